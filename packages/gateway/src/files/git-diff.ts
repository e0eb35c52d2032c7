/**
 * What has changed in the working tree of a session's folder, by git. A repository may be hostile (an agent in a sandbox can
 * write its configuration), so git is told to run nothing that a repository names: no filters, no text converters, no
 * file system monitor, no hooks, no remotes. Only what lies in the session's folder is compared. Keeps FILE-4.
 */
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';

const WITHIN_MS = 10_000;
const DIFF_BYTES_MAX = 2 * 1024 * 1024;
const UNTRACKED_MAX = 500;

export type WorkingTree =
  | { readonly isRepository: false }
  | {
      readonly isRepository: true;
      readonly branch: string;
      readonly diff: string;
      readonly isCut: boolean;
      readonly untracked: readonly string[];
    };

const SAFE = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.quotePath=false',
  '-c',
  'diff.external=',
  '-c',
  'submodule.recurse=false',
];

export async function workingTree(folder: string): Promise<WorkingTree> {
  const within = await realpath(folder).catch(() => null);
  if (within === null) return { isRepository: false };
  const git = (...args: string[]): Promise<string | null> => run(within, [...SAFE, ...args]);
  const top = (await git('rev-parse', '--show-toplevel'))?.trim();
  // A repository elsewhere that claims this folder, or none.
  if (top === undefined || top === '' || !`${within}/`.startsWith(top === '/' ? '/' : `${top}/`))
    return { isRepository: false };
  const off = await filtersOff(git);
  const head = (await git('rev-parse', '--verify', '--quiet', 'HEAD'))?.trim() || EMPTY_TREE;
  const [branch, diff, untracked] = await Promise.all([
    git('symbolic-ref', '--short', '--quiet', 'HEAD'),
    git(...off, 'diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all', head, '--', '.'),
    git(...off, 'ls-files', '--others', '--exclude-standard', '-z', '--', '.'),
  ]);
  return {
    isRepository: true,
    branch: branch?.trim() || head.slice(0, 10),
    diff: (diff ?? '').slice(0, DIFF_BYTES_MAX),
    isCut: diff === null || diff.length > DIFF_BYTES_MAX,
    untracked: (untracked ?? '').split('\0').filter(Boolean).slice(0, UNTRACKED_MAX),
  };
}

/** What a repository without a commit is compared with. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Clean filters run with every comparison: each one that is configured is switched off by name. */
async function filtersOff(git: (...args: string[]) => Promise<string | null>): Promise<string[]> {
  const names = (await git('config', '--name-only', '--null', '--get-regexp', String.raw`^filter\.`)) ?? '';
  const filters = new Set(names.split('\0').flatMap((name) => /^(filter\..+)\.[^.]+$/s.exec(name)?.[1] ?? []));
  return [...filters].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => ['-c', `${name}.${setting}`]),
  );
}

/**
 * An object that is missing in a partial clone is fetched by whatever program the repository names as its remote's. From 2.45 on git
 * can be told not to; before that, no protocol may be used.
 */
const NO_REMOTE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' } as const;

/** Null when git is not there, refuses, or takes too long; longer output is cut. */
function run(cwd: string, args: readonly string[]): Promise<string | null> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C.UTF-8', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', ...NO_REMOTE };
  return new Promise((resolve) => {
    execFile(
      'git',
      args,
      { cwd, env, timeout: WITHIN_MS, killSignal: 'SIGKILL', maxBuffer: DIFF_BYTES_MAX + 1, encoding: 'utf8' },
      (error, stdout) => {
        const isTooLong = (error as { code?: unknown } | null)?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
        resolve(error && !isTooLong ? null : stdout);
      },
    );
  });
}
