/**
 * Which files of a folder have changed since a time, when it lies in a git repository: those that differ from what is
 * committed and were touched since, and those of the commits made since.
 *
 * The repository may be anybody's, and its settings can name programs to run: so no hooks, no file watcher, no filters, no
 * signatures, no pager and nothing from afar, no lock is taken, and git has only so much time.
 */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface ChangedFile {
  /** As seen from the folder. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** What it was called before. */
  readonly from?: string | undefined;
  readonly isCommitted: boolean;
}

const GIT_MS_MAX = 3000;
const GIT_BYTES_MAX = 8 * 1024 * 1024;
const COMMITS_MAX = 500;
/** Beyond this nobody reads on, and each is looked at. */
const FILES_MAX = 2000;

const SAFE = [
  '--no-pager',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'].flatMap((set) => ['-c', set]),
];

/** Sorted by path; null when the folder is in no repository, or there is no git that answers in time. */
export async function changedFiles(folder: string, since: number): Promise<readonly ChangedFile[] | null> {
  try {
    // With -z, git tells paths as they are, but seen from the top of the repository.
    const prefix = (await git(folder, 'rev-parse', '--show-prefix')).replace(/\n$/, '');
    const working = await touchedSince(folder, since, parseStatus(await status(folder), prefix));
    const log = git(folder, ...LOG, `--since=${new Date(since).toISOString()}`, '--', '.');
    const committed = parseLog(await log.catch(() => '')); // there is no commit yet
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
  '--ignore-submodules=all', // each has settings of its own
  '--find-renames',
  '--',
  '.',
];
/** What git would hand the content of files to, before it compares them. */
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
  '--format=',
];

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = {
  '?': 'added',
  A: 'added',
  C: 'added',
  D: 'deleted',
  R: 'renamed',
};

/** `XY path`, and for a rename the old path as a word of its own. */
export function parseStatus(text: string, prefix: string): ChangedFile[] {
  const words = text.split('\0');
  const files: ChangedFile[] = [];
  const seenFromHere = (path: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  for (let at = 0; at < words.length; at++) {
    const entry = words[at]!;
    if (entry.length < 4) continue;
    const letters = entry.slice(0, 2);
    const letter = [...letters].find((each) => each in CHANGES) ?? 'M';
    const path = seenFromHere(entry.slice(3));
    const isMoved = letters.includes('R') || letters.includes('C');
    const from = isMoved ? seenFromHere(words[++at] ?? '') : undefined;
    files.push({ path, change: CHANGES[letter] ?? 'modified', isCommitted: false, ...(letter === 'R' && { from }) });
  }
  return files;
}

/** `M`, path; for a rename `R100`, old path, new path. */
export function parseLog(text: string): ChangedFile[] {
  const words = text.split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < words.length;) {
    const letter = words[at++]!.trim()[0]; // between two commits git may leave a newline
    if (letter === undefined) continue;
    const from = letter === 'R' || letter === 'C' ? words[at++] : undefined;
    const path = words[at++] ?? '';
    if (path === '') continue;
    files.push({ path, change: CHANGES[letter] ?? 'modified', isCommitted: true, ...(letter === 'R' && { from }) });
  }
  return files;
}

/** One entry each, in order of time: what was added and then changed is still new. */
function together(files: readonly ChangedFile[]): Map<string, ChangedFile> {
  const all = new Map<string, ChangedFile>();
  for (const file of files) {
    const before = all.get(file.path);
    const isStillNew = file.change === 'modified' && (before?.change === 'added' || before?.change === 'renamed');
    all.set(file.path, isStillNew ? { ...before, isCommitted: file.isCommitted } : file);
  }
  return all;
}

async function touchedSince(folder: string, since: number, files: readonly ChangedFile[]): Promise<ChangedFile[]> {
  const touched: ChangedFile[] = [];
  for (const file of files.slice(0, FILES_MAX)) {
    if ((await touchedAt(folder, file)) >= since) touched.push(file);
  }
  return touched;
}

/** A file that was moved keeps its time of writing, but not that of its change; a deleted one changes its folder. */
async function touchedAt(folder: string, { path }: ChangedFile): Promise<number> {
  for (let place = join(folder, path); ; place = dirname(place)) {
    try {
      const { mtimeMs, ctimeMs } = await lstat(place);
      return Math.ceil(Math.max(mtimeMs, ctimeMs));
    } catch {
      if (place === dirname(place)) return 0; // gone, with all that it was in
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

/** A name that `-c` would not take as it is (git ends it at `=`; we have it as text, not as bytes) could not be switched off. */
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
