/**
 * Reads a file that another program may have replaced by a pipe, a device or something endless: only a regular file is opened,
 * and only up to a limit.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The flag for a handle that can be examined and opened again, but not read: opening a device or a pipe this way has no side
 * effect.
 */
const O_PATH = 0o10000000;

export interface PlainFile {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly mtimeMs: number;
}

/** Returns null if there is no such regular file, if it cannot be read, or if it has more than `bytesMax` bytes. */
export async function readPlainFile(path: string, bytesMax: number): Promise<PlainFile | null> {
  try {
    await using place = await open(path, O_PATH);
    const { mode, mtimeMs } = await place
      .stat()
      .then((stats) => (stats.isFile() ? stats : Promise.reject(new Error('not a file'))));
    // This is the same file, even if its name has been replaced.
    await using file = await open(`/proc/self/fd/${place.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
    const parts: Buffer[] = [];
    for (let length = 0; ;) {
      const part = Buffer.alloc(Math.min(1024 * 1024, bytesMax + 1 - length));
      const { bytesRead } = await file.read(part, 0, part.length, length);
      if (bytesRead === 0) return { bytes: Buffer.concat(parts), mode, mtimeMs };
      parts.push(part.subarray(0, bytesRead));
      length += bytesRead;
      if (length > bytesMax) return null;
    }
  } catch {
    return null;
  }
}

export async function readPlainText(path: string, bytesMax: number): Promise<string | null> {
  return (await readPlainFile(path, bytesMax))?.bytes.toString('utf8') ?? null;
}
