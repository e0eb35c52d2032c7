/** Helpers for the tests of the log: temporary folders, bytes that identify their offset, and ways to read a whole log. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import type { LogRead, LogStream } from '../types.ts';

/** The folder for tests, in memory if possible: thousands of small folders took 28 s on a busy disk, and 2 s here. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder for one test; `using` removes it. The log is in a subfolder, so that creating its folder is tested too. */
export class Scratch {
  readonly root = mkdtempSync(join(ROOT, 'spool-log-'));
  #copies = 0;

  get log(): string {
    return join(this.root, 'log');
  }

  /** Copies the folder as it is now: the state that a kill at this moment would leave. */
  copyOf(folder: string): string {
    const copy = join(this.root, `copy-${this.#copies++}`);
    mkdirSync(copy);
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name));
    return copy;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Returns bytes that differ from their neighbours and from those one segment later. */
export function sampleBytes(length: number, from = 0): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = Math.imul(from + i, 0x9e37_79b1) >>> 24;
  return bytes;
}

export type LogPiece = Exclude<LogRead, { type: 'end' }>;

/** Reads repeatedly, as a watcher does, and checks that it always advances and ends at the end. */
export function readAll(log: Log, from = 0, maxBytes = 1 << 20): LogPiece[] {
  const pieces: LogPiece[] = [];
  for (let cursor = from; ;) {
    const read = log.read(cursor, maxBytes);
    if (read.from !== cursor) throw new Error(`asked for ${cursor}, was given ${read.from}`);
    if (read.type === 'end') {
      if (cursor !== log.end) throw new Error(`ended at ${cursor}, but the log at ${log.end}`);
      return pieces;
    }
    const next = read.type === 'gap' ? read.to : cursor + read.bytes.length;
    if (next <= cursor) throw new Error(`stuck at ${cursor}`);
    pieces.push(read);
    cursor = next;
  }
}

/** Returns the whole log as text: bytes as they are, gaps as `<reason from-to>`, stderr in `[]`. */
export function story(log: Log, from = 0): string {
  return readAll(log, from)
    .map((piece) => (piece.type === 'gap' ? `<${piece.reason} ${piece.from}-${piece.to}>` : quoted(piece)))
    .join('');
}

function quoted({ bytes, stream }: { bytes: Uint8Array; stream: LogStream }): string {
  const text = Buffer.from(bytes).toString('latin1');
  return stream === 'stderr' ? `[${text}]` : text;
}

export function text(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}

/** Returns the fds that this process has open below a folder. */
export function openFiles(folder: string, readlink: (path: string) => string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlink(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // the fd of the listing itself
    }
  });
}
