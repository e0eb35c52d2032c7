/**
 * Finds the program of a command line, and asks an agent for its version, once for each binary and within a time limit. Keeps the version
 * part of RUN-47. No function here blocks on a disk: a folder of PATH may be on a server that does not answer.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, open, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { RunRequest } from '@spool/protocol';

const ANSWER_MS_MAX = 5000;
const ANSWER_BYTES_MAX = 4096;
const FILES_MAX = 64;
/** The first bytes of a binary. */
const ELF = Buffer.from('\x7fELF', 'latin1');
/** The PATH for a child without one, the same as in the C code of `native`. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

type ProgramContext = Pick<RunRequest, 'env' | 'cwd'>;

/** Returns the file that would be executed; null if it does not exist. */
export async function findProgram(program: string, { env, cwd }: ProgramContext): Promise<string | null> {
  const folders = program.includes('/') ? [''] : (env['PATH'] ?? USUAL_PATH).split(':');
  for (const folder of folders) {
    const path = resolve(cwd, folder, program);
    try {
      await access(path, constants.X_OK);
      if ((await stat(path)).isFile()) return path;
    } catch {
      // the next folder may have it
    }
  }
  return null;
}

export type VersionAnswer = { readonly version: string } | { readonly why: string };

export class ProgramVersions {
  readonly #name: string;
  readonly #pattern: RegExp;
  readonly #packages: RegExp | undefined;
  readonly #known = new Map<string, VersionAnswer>();

  /**
   * Finds the version in the printed text: it is the first group of `pattern`. If the program belongs to an npm package named in
   * `packages`, it is not started: its package has the version.
   */
  constructor(name: string, pattern: RegExp, packages?: RegExp) {
    this.#name = name;
    this.#pattern = pattern;
    this.#packages = packages;
  }

  /** Returns the version of a file, or the reason why it is unknown. `limitMs` is for tests. */
  async ask(file: string, place: ProgramContext, limitMs = ANSWER_MS_MAX): Promise<VersionAnswer> {
    const key = await fileKey(file, place);
    const known = key === null ? undefined : this.#known.get(key);
    if (known) return known;
    const packed = await packageVersion(file, this.#packages);
    const text = packed ?? (await printedVersion(file, place, limitMs));
    if (text === null) return { why: `\`${this.#name} --version\` did not answer within ${limitMs / 1000} s` }; // the machine may be under load
    const version = this.#pattern.exec(text)?.[1];
    const answer = version ? { version } : { why: `\`${this.#name} --version\` printed no known version` };
    if (key === null) return answer;
    if (this.#known.size >= FILES_MAX) this.#known.clear();
    this.#known.set(key, answer);
    return answer;
  }
}

/**
 * Returns a key for a version of a binary; null for a script: it may start another program, which can be updated while the script stays
 * the same. A launcher of versions (`volta`, `mise`) is a binary that decides by the folder and PATH, so these are included. npm gives
 * every file the same modification time, so the inode and its change time are included.
 */
async function fileKey(file: string, { env, cwd }: ProgramContext): Promise<string | null> {
  const path = await realpath(file);
  if (!(await isBinary(path))) return null;
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [file, path, dev, ino, size, mtimeNs, ctimeNs, cwd, env['PATH']].join('\0');
}

async function isBinary(path: string): Promise<boolean> {
  const handle = await open(path).catch(() => null);
  if (handle === null) return false; // it may be executable and not readable
  try {
    const { buffer } = await handle.read(Buffer.alloc(ELF.length), 0, ELF.length, 0);
    return buffer.equals(ELF);
  } finally {
    await handle.close();
  }
}

/** Returns the version of the npm package that the program is in, two folders above at most; null if that is another package. */
async function packageVersion(file: string, names: RegExp | undefined): Promise<string | null> {
  if (names === undefined) return null;
  let folder = await realpath(file);
  for (let depth = 0; depth < 2; depth++) {
    folder = dirname(folder);
    try {
      const about = JSON.parse(await readFile(`${folder}/package.json`, 'utf8')) as {
        name?: unknown;
        version?: unknown;
      };
      return names.test(String(about.name)) && typeof about.version === 'string' ? about.version : null;
    } catch {
      // the folder above may have it
    }
  }
  return null;
}

/** Returns the printed text; null if the program does not end in time. */
function printedVersion(file: string, { env, cwd }: ProgramContext, limitMs: number): Promise<string | null> {
  return new Promise((resolveText) => {
    let text = '';
    // It has a separate process group, so that killing a wrapper also kills the processes that it has started.
    const child = spawn(file, ['--version'], { env, cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const timer = setTimeout(() => finish(null), limitMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < ANSWER_BYTES_MAX) text += chunk;
    });
    child.once('error', () => finish(''));
    child.once('close', () => finish(text));

    function finish(answer: string | null): void {
      clearTimeout(timer);
      child.removeAllListeners('close');
      child.stdout.destroy();
      try {
        if (answer === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // ESRCH: the process has just ended
      }
      resolveText(answer);
    }
  });
}
