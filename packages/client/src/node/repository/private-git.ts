/**
 * Runs git on a repository that may be hostile: an agent in a sandbox can write its configuration, hooks and attributes, and those
 * can name programs to run. Git gets a private folder as its repository (GIT_DIR), with our configuration and a copy of the index.
 * Of the user's repository, git sees only the working tree and the objects, which are data. Therefore no setting has to be
 * disabled, and changes between two calls have no effect (decision 157). The user's repository is never written. Keeps FILE-4 and,
 * for summaries, STATE-7.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { findRepository, type Repository } from './find-repository.ts';
import { type Head, headOf } from './head.ts';
import { readPlainFile, readPlainText } from './plain-file.ts';

/** The maximum size of an index; one of a million files is smaller. */
const INDEX_BYTES_MAX = 128 * 1024 * 1024;
const PATTERNS_BYTES_MAX = 1024 * 1024;
/** The size from which on files are compared as binary ones, without being read into memory. */
const BIG_FILE = '16m';
/** The largest allocation that git may make at once: an object declares its own size. */
const ALLOCATION_MAX = '512m';

export const EMPTY_TREES = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;

export interface GitLimits {
  /** The time limit for all calls together. */
  readonly withinMs: number;
  readonly outputBytesMax: number;
}

export interface GitOutput {
  readonly text: string;
  readonly isCut: boolean;
}

export class PrivateGit implements AsyncDisposable {
  readonly repository: Repository;
  readonly head: Head;
  /** The folder in which git runs: paths are relative to it. */
  readonly #folder: string;
  readonly #own: string;
  readonly #limits: GitLimits;
  readonly #endAt: number;
  #format: keyof typeof EMPTY_TREES = 'sha1';
  #excludes = '/dev/null';
  #path = '';

  private constructor(folder: string, repository: Repository, head: Head, own: string, limits: GitLimits) {
    this.#folder = folder;
    this.repository = repository;
    this.head = head;
    this.#own = own;
    this.#limits = limits;
    this.#endAt = performance.now() + limits.withinMs;
  }

  /** Returns null if the folder is in no working tree, or in one whose HEAD cannot be read. */
  static async open(folder: string, limits: GitLimits): Promise<PrivateGit | null> {
    const within = await realpath(folder).catch(() => null);
    const repository = within === null ? null : await findRepository(within);
    const head = repository && (await headOf(repository));
    if (within === null || !repository || !head) return null;
    const own = await mkdtemp(join(tmpdir(), 'spool-git-')); // 0700
    const git = new PrivateGit(within, repository, head, own, limits);
    try {
      await git.#prepare();
      return git;
    } catch (error) {
      await git[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The commit to compare with; before the first commit, an empty tree. */
  get base(): string {
    return this.head.commit ?? EMPTY_TREES[this.#format];
  }

  /** The folder relative to the top of the working tree: `sub/`, or an empty text. */
  get prefix(): string {
    const path = relative(this.repository.top, this.#folder);
    return path === '' ? '' : `${path}/`;
  }

  /** Runs git. Rejects if it is missing, fails or takes too long. Longer output is truncated. */
  async run(...args: readonly string[]): Promise<GitOutput> {
    const timeout = Math.max(1, Math.ceil(this.#endAt - performance.now()));
    const { outputBytesMax } = this.#limits;
    return await new Promise((resolve, reject) => {
      execFile(
        'git',
        ['--no-pager', ...args],
        {
          cwd: this.#folder,
          env: this.#environment(),
          timeout,
          killSignal: 'SIGKILL',
          maxBuffer: outputBytesMax,
          encoding: 'utf8',
        },
        (error, text) => {
          const isCut = (error as { code?: unknown } | null)?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
          if (error && !isCut) reject(error);
          else resolve({ text, isCut });
        },
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    const { gitFolder, commonFolder } = this.repository;
    const put = async (name: string, content: string | Buffer): Promise<void> =>
      await writeFile(join(this.#own, name), content, { mode: 0o600 });
    for (const name of ['refs', 'info']) await mkdir(join(this.#own, name));
    const index = await readPlainFile(join(gitFolder, 'index'), INDEX_BYTES_MAX);
    if (index) {
      await put('index', index.bytes);
      // Git compares a file by content if it was changed in the second in which the index was written, so the copy keeps the time
      // of the index.
      const second = Math.floor(index.mtimeMs / 1000);
      await utimes(join(this.#own, 'index'), second, second);
    }
    for (const [name, bytes] of index ? await sharedIndexes(gitFolder, index.bytes) : []) await put(name, bytes);
    this.#format = formatOf(this.head.commit, index?.bytes);
    await put('HEAD', `${this.head.commit ?? 'ref: refs/heads/none'}\n`);
    // The list of commits whose parents are missing on purpose, and the ignored files: both are data.
    const shallow = (await readPlainText(join(commonFolder, 'shallow'), PATTERNS_BYTES_MAX)) ?? '';
    if (/^([0-9a-f]{40,64}\n)+$/.test(shallow)) await put('shallow', shallow);
    const excluded = await readPlainFile(join(commonFolder, 'info', 'exclude'), PATTERNS_BYTES_MAX);
    if (excluded) await put('info/exclude', excluded.bytes);
    // Git creates an executable file only if the file system has no such bit.
    const head = await readPlainFile(join(gitFolder, 'HEAD'), PATTERNS_BYTES_MAX);
    const hasModes = ((head?.mode ?? 0) & 0o111) === 0;
    await put('config', configOf(this.#format, hasModes));
    this.#path = await pathOutside(this.repository.top);
    this.#excludes = await userExcludes(this.#own, this.#path);
  }

  /** Returns the whole environment for git; of ours, it contains only PATH. */
  #environment(): Record<string, string> {
    const { top, commonFolder } = this.repository;
    return {
      PATH: this.#path,
      HOME: this.#own,
      LC_ALL: 'C.UTF-8',
      GIT_DIR: this.#own,
      GIT_WORK_TREE: top,
      GIT_OBJECT_DIRECTORY: join(commonFolder, 'objects'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.excludesFile',
      GIT_CONFIG_VALUE_0: this.#excludes,
      GIT_ATTR_NOSYSTEM: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      // From 2.45 on git does not fetch missing objects; earlier versions have no protocol to do so, and no remote.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_TERMINAL_PROMPT: '0',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_ALLOC_LIMIT: ALLOCATION_MAX,
    };
  }
}

function configOf(format: keyof typeof EMPTY_TREES, hasModes: boolean): string {
  const core = {
    repositoryFormatVersion: format === 'sha1' ? 0 : 1,
    bare: false,
    fileMode: hasModes,
    fsmonitor: false,
    untrackedCache: false,
    commitGraph: false,
    multiPackIndex: false,
    hooksPath: '/dev/null',
    attributesFile: '/dev/null',
    quotePath: false,
    bigFileThreshold: BIG_FILE,
  };
  const settings = Object.entries(core).map(([name, value]) => `\t${name} = ${value}\n`);
  return `[core]\n${settings.join('')}[extensions]\n${format === 'sha1' ? '' : `\tobjectFormat = ${format}\n`}`;
}

/** Returns the format of ids, by their length; before the first commit by the index, which ends with its own hash. */
function formatOf(commit: string | null, index: Buffer | undefined): keyof typeof EMPTY_TREES {
  if (commit !== null) return commit.length === 64 ? 'sha256' : 'sha1';
  if (!index || index.length < 32) return 'sha1';
  const hash = createHash('sha256').update(index.subarray(0, -32)).digest();
  return hash.equals(index.subarray(-32)) ? 'sha256' : 'sha1';
}

/** Returns the files that hold the rest of a split index, which contains the ids in their names. */
async function sharedIndexes(gitFolder: string, index: Buffer): Promise<readonly (readonly [string, Buffer])[]> {
  const found: (readonly [string, Buffer])[] = [];
  for (const name of await readdir(gitFolder).catch(() => [])) {
    const id = /^sharedindex\.([0-9a-f]{40}|[0-9a-f]{64})$/.exec(name)?.[1];
    if (id === undefined || !index.includes(Buffer.from(id, 'hex'))) continue;
    const file = await readPlainFile(join(gitFolder, name), INDEX_BYTES_MAX);
    if (file) found.push([name, file.bytes]);
  }
  return found;
}

/** Returns the file with the user's own ignore patterns: the only setting that comes from the user, and it is only data. */
async function userExcludes(own: string, path: string): Promise<string> {
  const { HOME = homedir(), XDG_CONFIG_HOME } = process.env;
  const env = { PATH: path, HOME, ...(XDG_CONFIG_HOME && { XDG_CONFIG_HOME }), GIT_DIR: own };
  const args = ['config', '--global', '--type=path', '--get', 'core.excludesFile'];
  const named = await new Promise<string>((resolve) => {
    execFile('git', args, { cwd: own, env, timeout: 1000, killSignal: 'SIGKILL' }, (error, text) =>
      resolve(error ? '' : text.replace(/\n$/, '')),
    );
  });
  return isAbsolute(named) ? named : join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git', 'ignore');
}

/** Returns the user's PATH without entries that are relative or in the working tree: a `git` there does not belong to the user. */
async function pathOutside(top: string): Promise<string> {
  const entries: string[] = [];
  for (const entry of (process.env.PATH ?? '').split(':').filter(isAbsolute)) {
    const place = await realpath(entry).catch(() => null);
    if (place !== null && !`${place}/`.startsWith(`${top}/`)) entries.push(entry);
  }
  return entries.join(':');
}
