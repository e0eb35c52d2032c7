/**
 * Finds the files of a folder that have changed within a time span, if it is in a git repository: those that differ from the last
 * commit and were last touched within the span, and those of the commits made within it. Of later commits, it includes the files
 * that have not been touched since: another user has committed changes from the span.
 *
 * The repository is untrusted, and its settings can name programs to run: git does not read them (`PrivateGit`).
 */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ChangedFile, changeOf } from '../../summary/changed-file.ts';
import { PrivateGit } from '../repository/private-git.ts';
import { COMMIT_FORMAT, whenMade, parseLog } from './commit-log.ts';
import { type TimeSpan, whenOf } from './span.ts';

const GIT_MS_MAX = 3000;
const GIT_BYTES_MAX = 8 * 1024 * 1024;
const COMMITS_MAX = 500;
/** The maximum of files: more than a user reads, and each file costs a check. */
const FILES_MAX = 2000;

/** Returns the files, sorted by path; null if the folder is in no repository, or git is missing or does not answer in time. */
export async function changedFiles(folder: string, span: TimeSpan): Promise<readonly ChangedFile[] | null> {
  try {
    await using git = await PrivateGit.open(folder, { withinMs: GIT_MS_MAX, outputBytesMax: GIT_BYTES_MAX });
    if (!git) return null;
    const status = await git.run(...STATUS);
    if (status.isCut) return null;
    const working = await touchedWithin(span, folder, parseStatus(status.text, git.prefix));
    const committed = await committedWithin(span, folder, git);
    return [...together([...committed, ...working]).values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  } catch {
    return null; // git is missing or too slow, or the folder is gone
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

/** Parses `XY path`, and for a rename the old path as a separate word. */
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

/** Merges the changes of each file, in order of time: a file that was added and then changed is still new. */
function together(files: readonly ChangedFile[]): Map<string, ChangedFile> {
  const all = new Map<string, ChangedFile>();
  for (const file of files) {
    const before = all.get(file.path);
    const isStillNew = file.change === 'modified' && (before?.change === 'added' || before?.change === 'renamed');
    all.set(file.path, isStillNew ? { ...before, isCommitted: file.isCommitted } : file);
  }
  return all;
}

async function committedWithin(span: TimeSpan, folder: string, git: PrivateGit): Promise<ChangedFile[]> {
  if (git.head.commit === null) return [];
  const since = `--since=${new Date(span.since).toISOString()}`;
  const log = await git.run(...LOG, since, git.head.commit, '--', '.').catch(() => null); // not readable
  const commits = log && !log.isCut ? parseLog(log.text) : [];
  const objects = join(git.repository.commonFolder, 'objects');
  const files: ChangedFile[] = [];
  for (const commit of commits) {
    const when = await whenMade(commit, span, objects);
    if (when === 'before') continue;
    files.push(...(when === 'within' ? commit.files : await touchedWithin(span, folder, commit.files)));
  }
  return files;
}

async function touchedWithin(span: TimeSpan, folder: string, files: readonly ChangedFile[]): Promise<ChangedFile[]> {
  const touched: ChangedFile[] = [];
  for (const file of files.slice(0, FILES_MAX)) {
    if ((await timesOf(folder, file)).some((at) => whenOf(at, span) === 'within')) touched.push(file);
  }
  return touched;
}

/** Returns the times of a file. A moved file keeps its mtime, but not its ctime; a deleted one changes its folder. */
async function timesOf(folder: string, { path }: ChangedFile): Promise<readonly number[]> {
  for (let place = join(folder, path); ; place = dirname(place)) {
    try {
      const { mtimeMs, ctimeMs } = await lstat(place);
      return [mtimeMs, ctimeMs];
    } catch {
      if (place === dirname(place)) return []; // the file and all its folders are gone
    }
  }
}
