/**
 * The files of a folder that have changed within a span of time, if it is in a git repository: those that differ from
 * the last commit and were last touched within the span, and those of the commits made within it. Of later commits, the
 * files that have not been touched since: another user has committed what was done in the span.
 *
 * The repository is untrusted, and its settings can name programs to run: so no hooks, no file watcher, no filters, no
 * signatures, no pager, no network, no lock, and a time limit for git.
 */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ChangedFile, changeOf } from '../../summary/changed-file.ts';
import { COMMIT_FORMAT, whenMade, parseLog } from './commit-log.ts';
import { type Span, whenOf } from './span.ts';

const GIT_MS_MAX = 3000;
const GIT_BYTES_MAX = 8 * 1024 * 1024;
const COMMITS_MAX = 500;
/** More than a user reads, and each file costs a check. */
const FILES_MAX = 2000;

const SAFE = [
  '--no-pager',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'].flatMap((set) => ['-c', set]),
];

/** Sorted by path; null when the folder is in no repository, or git is missing or does not answer in time. */
export async function changedFiles(folder: string, span: Span): Promise<readonly ChangedFile[] | null> {
  try {
    // With -z, git prints paths unquoted, but relative to the top of the repository.
    const prefix = (await git(folder, 'rev-parse', '--show-prefix')).replace(/\n$/, '');
    const working = await touchedWithin(span, folder, parseStatus(await status(folder), prefix));
    const committed = await committedWithin(span, folder);
    return [...together([...committed, ...working]).values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  } catch {
    return null; // no git, no repository, no such folder any more, or not in time
  }
}

const STATUS = [
  'status',
  '--porcelain=v1',
  '-z',
  '--untracked-files=all',
  '--ignore-submodules=all', // each has its own settings
  '--find-renames',
  '--',
  '.',
];
/** Programs to which git would pass the content of files before it compares them. */
const FILTERS = ['config', '-z', '--name-only', '--get-regexp', '^filter\\..*\\.(clean|smudge|process)$'];
const LOG = [
  'log',
  '--reverse',
  `--max-count=${COMMITS_MAX}`,
  '--name-status',
  '--relative',
  '-z',
  '--find-renames',
  '--no-ext-diff',
  COMMIT_FORMAT,
];

/** `XY path`, and for a rename the old path as a separate word. */
export function parseStatus(text: string, prefix: string): ChangedFile[] {
  const words = text.split('\0');
  const files: ChangedFile[] = [];
  const seenFromHere = (path: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  for (let at = 0; at < words.length; at++) {
    const entry = words[at]!;
    if (entry.length < 4) continue;
    const letters = entry.slice(0, 2);
    const letter = [...letters].find((each) => changeOf(each) !== 'modified') ?? 'M';
    const path = seenFromHere(entry.slice(3));
    const isMoved = letters.includes('R') || letters.includes('C');
    const from = isMoved ? seenFromHere(words[++at] ?? '') : undefined;
    files.push({ path, change: changeOf(letter), isCommitted: false, ...(letter === 'R' && { from }) });
  }
  return files;
}

/** One entry each, in order of time: a file that was added and then changed is still new. */
function together(files: readonly ChangedFile[]): Map<string, ChangedFile> {
  const all = new Map<string, ChangedFile>();
  for (const file of files) {
    const before = all.get(file.path);
    const isStillNew = file.change === 'modified' && (before?.change === 'added' || before?.change === 'renamed');
    all.set(file.path, isStillNew ? { ...before, isCommitted: file.isCommitted } : file);
  }
  return all;
}

async function committedWithin(span: Span, folder: string): Promise<ChangedFile[]> {
  const log = git(folder, ...LOG, `--since=${new Date(span.since).toISOString()}`, '--', '.');
  const commits = parseLog(await log.catch(() => '')); // there is no commit yet
  if (commits.length === 0) return [];
  const objects = resolve(folder, (await git(folder, 'rev-parse', '--git-path', 'objects')).replace(/\n$/, ''));
  const files: ChangedFile[] = [];
  for (const commit of commits) {
    const when = await whenMade(commit, span, objects);
    if (when === 'before') continue;
    files.push(...(when === 'within' ? commit.files : await touchedWithin(span, folder, commit.files)));
  }
  return files;
}

async function touchedWithin(span: Span, folder: string, files: readonly ChangedFile[]): Promise<ChangedFile[]> {
  const touched: ChangedFile[] = [];
  for (const file of files.slice(0, FILES_MAX)) {
    if ((await timesOf(folder, file)).some((at) => whenOf(at, span) === 'within')) touched.push(file);
  }
  return touched;
}

/** A moved file keeps its mtime, but not its ctime; a deleted one changes its folder. */
async function timesOf(folder: string, { path }: ChangedFile): Promise<readonly number[]> {
  for (let place = join(folder, path); ; place = dirname(place)) {
    try {
      const { mtimeMs, ctimeMs } = await lstat(place);
      return [mtimeMs, ctimeMs];
    } catch {
      if (place === dirname(place)) return []; // gone, with all that it was in
    }
  }
}

async function status(folder: string): Promise<string> {
  const settings = await git(folder, ...FILTERS).catch((error: { code?: unknown }) => {
    if (error.code === 1) return ''; // none
    throw error;
  });
  const filters = new Set(
    settings
      .split('\0')
      .filter((name) => name !== '')
      .map((name) => name.slice(0, name.lastIndexOf('.'))),
  );
  return git(folder, ...[...filters].flatMap(withoutFilter), ...STATUS);
}

/**
 * A name that `-c` would not take unchanged (git ends it at `=`; we have it as text, not as bytes) could not be
 * switched off.
 */
function withoutFilter(filter: string): string[] {
  if (/[=\uFFFD]/.test(filter)) throw new Error('a filter that cannot be switched off');
  return ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((set) => ['-c', `${filter}.${set}`]);
}

function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...own } = process.env;
  const env = { ...own, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: '', LC_ALL: 'C' };
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      [...SAFE, ...args],
      { cwd: folder, env, timeout: GIT_MS_MAX, killSignal: 'SIGKILL', maxBuffer: GIT_BYTES_MAX, windowsHide: true },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
  });
}
