/**
 * Opens only files beneath a folder: each name of a path is opened relative to the descriptor of the folder before it, and links
 * are not followed. Therefore neither `..` nor a link nor a rename at the wrong moment leads outside. Keeps FILE-1.
 *
 * This is the same as openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, which Node lacks: `/proc/self/fd/N/name` is openat(N,
 * "name").
 */
import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';
import { SpoolError } from '@spool/protocol';

/**
 * The flag for a handle that can be examined and opened from, but not read: opening a device or a pipe this way has no side effect.
 */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const PATH_CHARACTERS_MAX = 4096;

/** Returns the names of a relative path; '' is the folder itself. Throws FILE_UNKNOWN for a text that cannot be a path. */
function namesOf(path: string): readonly string[] {
  if (path === '') return [];
  const names = path.split('/');
  const isFit = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('\0');
  if (path.length > PATH_CHARACTERS_MAX || !names.every(isFit)) throw unknown(path);
  return names;
}

export class ConfinedFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #asked: string;
  readonly stats: Stats;

  private constructor(handle: FileHandle, asked: string, stats: Stats) {
    this.#handle = handle;
    this.#asked = asked;
    this.stats = stats;
  }

  /** Opens a file. Throws FILE_UNKNOWN if there is no such file or folder beneath `folder`, or a link is on the way. */
  static async open(folder: string, path: string): Promise<ConfinedFile> {
    const names = namesOf(path);
    let at = await openPath(folder, O_PATH | O_DIRECTORY, path);
    for (const [index, name] of names.entries()) {
      const flags = O_PATH | O_NOFOLLOW | (index < names.length - 1 ? O_DIRECTORY : 0);
      const before = at;
      try {
        at = await openPath(`${pathOf(before)}/${name}`, flags, path);
      } finally {
        await before.close();
      }
    }
    const stats = await at.stat();
    if (stats.isFile() || stats.isDirectory()) return new ConfinedFile(at, path, stats);
    await at.close();
    throw unknown(path);
  }

  /** A path to exactly this file or folder, even after its name was given to another one. */
  get path(): string {
    return pathOf(this.#handle);
  }

  /** Reads the first `bytesMax` bytes. Throws FILE_UNKNOWN for a file that may not or cannot be read, as some in /proc. */
  async read(bytesMax: number): Promise<Buffer> {
    try {
      await using file = await open(this.path, O_RDONLY | O_NONBLOCK);
      const bytes = Buffer.alloc(bytesMax);
      let length = 0;
      while (length < bytesMax) {
        const { bytesRead } = await file.read(bytes, length, bytesMax - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return bytes.subarray(0, length);
    } catch (error) {
      throw unknown(this.#asked, error);
    }
  }

  /** Returns at most `most` names of a folder, which may have a million. */
  async entries(most: number): Promise<readonly Dirent[]> {
    const found: Dirent[] = [];
    try {
      for await (const entry of await opendir(this.path)) if (found.push(entry) >= most) break;
    } catch (error) {
      throw unknown(this.#asked, error);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

const pathOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

async function openPath(path: string, flags: number, asked: string): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    throw unknown(asked, error);
  }
}

function unknown(path: string, cause?: unknown): SpoolError {
  return new SpoolError('FILE_UNKNOWN', { path: path.slice(0, 200) }, { cause });
}
