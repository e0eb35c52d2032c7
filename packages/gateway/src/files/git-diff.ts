/**
 * Returns the changes in the working tree of a session's folder, by git. A repository may be hostile, because an agent in a sandbox
 * can write its configuration. Therefore git reads only its objects and a copy of its index (`PrivateGit`). Only files in the
 * session's folder are compared. Keeps FILE-4.
 */
import { PrivateGit } from '@spool/client/repository';
import { Semaphore } from '@spool/native/semaphore';
import type { WorkingTree } from '@spool/protocol';

const WITHIN_MS = 10_000;
const DIFF_BYTES_MAX = 2 * 1024 * 1024;
const UNTRACKED_MAX = 500;
const AT_ONCE_MAX = 4;

/** The command; its paths are relative to the session's folder. */
const DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--find-renames',
  '--relative',
  '--ignore-submodules=all',
];
const UNTRACKED = ['ls-files', '--others', '--exclude-standard', '-z', '--', '.'];

const semaphore = new Semaphore(AT_ONCE_MAX);

export async function workingTree(folder: string, signal?: AbortSignal): Promise<WorkingTree> {
  return await semaphore.run(async () => await compare(folder), signal);
}

async function compare(folder: string): Promise<WorkingTree> {
  await using git = await PrivateGit.open(folder, { withinMs: WITHIN_MS, outputBytesMax: DIFF_BYTES_MAX });
  if (!git) return { isRepository: false };
  const [diff, untracked] = await Promise.all(
    [[...DIFF, git.base, '--', '.'], UNTRACKED].map(async (args) => await git.run(...args).catch(() => null)),
  );
  return {
    isRepository: true,
    branch: git.head.branch ?? git.base.slice(0, 10),
    diff: diff?.text ?? '',
    isCut: !diff || diff.isCut,
    untracked: (untracked?.text ?? '').split('\0').filter(Boolean).slice(0, UNTRACKED_MAX),
  };
}
