/**
 * Copies the lines of files that an agent appends to into the log of its side channel, each with its place in its file. A restarted
 * copier continues after the last line in the log; a line that two copiers have copied counts once. Keeps the copying part of
 * CHAN-3.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const PIECE_BYTES = 256 * 1024;
/** A longer line is left out. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** The maximum of files; further ones are not copied. */
const FILES_MAX = 1000;
const NEWLINE = 0x0a;

interface CopiedFile {
  readonly path: string;
  position: number;
}

export interface LineCopierOptions {
  append(line: string): Promise<void>;
  /** Returns whether the dialect uses this line of a file. */
  isKept(line: Readonly<Record<string, unknown>>): boolean;
}

export class LineCopier {
  readonly #options: LineCopierOptions;
  /** The files, by their name in the log. */
  readonly #files = new Map<string, CopiedFile>();
  readonly #positions = new Map<string, number>();
  #isClosed = false;

  constructor(options: LineCopierOptions) {
    this.#options = options;
  }

  /** Learns from a line of the log how far a file was copied. Returns false for another line. */
  learn({ file, to }: Readonly<Record<string, unknown>>): boolean {
    if (typeof file !== 'string' || typeof to !== 'number') return false;
    this.#positions.set(file, Math.max(to, this.#positions.get(file) ?? 0));
    const copied = this.#files.get(file);
    if (copied) copied.position = Math.max(copied.position, to);
    return true;
  }

  /** Returns whether the file is copied. */
  add(name: string, path: string): boolean {
    if (this.#files.has(name)) return true;
    if (this.#files.size >= FILES_MAX) return false;
    this.#files.set(name, { path, position: this.#positions.get(name) ?? 0 });
    return true;
  }

  /** Copies the new complete lines of all files. */
  async copy(): Promise<void> {
    for (const [name, file] of this.#files) await this.#copyFile(name, file);
  }

  close(): void {
    this.#isClosed = true;
  }

  async #copyFile(name: string, file: CopiedFile): Promise<void> {
    const handle = await openPlainFile(file.path);
    if (handle === null) return;
    try {
      for (let rest: Buffer | null = Buffer.alloc(0); rest !== null;)
        rest = await this.#copyPiece(handle, name, file, rest);
    } finally {
      await handle.close();
    }
  }

  /** Copies the complete lines of the next piece. Returns the start of the next line; null at the end. */
  async #copyPiece(handle: FileHandle, name: string, file: CopiedFile, before: Buffer): Promise<Buffer | null> {
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, file.position + before.length);
    if (bytesRead === 0) return null;
    const bytes = Buffer.concat([before, piece.subarray(0, bytesRead)]);
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
      const to = file.position + at + 1 - start;
      await this.#copyLine(name, file.position, to, bytes.toString('utf8', start, at));
      file.position = to;
      start = at + 1;
    }
    const rest = bytes.subarray(start);
    if (rest.length <= LINE_BYTES_MAX) return rest;
    file.position = Number.MAX_SAFE_INTEGER; // such a file is not a transcript
    return null;
  }

  async #copyLine(file: string, from: number, to: number, text: string): Promise<void> {
    const line = parseObject(text);
    if (line === null || this.#isClosed || !this.#options.isKept(line)) return;
    await this.#options.append(`{"file":${JSON.stringify(file)},"from":${from},"to":${to},"line":${text}}`);
  }
}

/** Opens a regular file; null for anything else: reading a pipe or a device under this name might never end. */
async function openPlainFile(path: string): Promise<FileHandle | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

/** Returns the first bytes of a file as text; empty if it does not exist. */
export async function readStart(path: string, bytes: number): Promise<string> {
  const handle = await openPlainFile(path);
  if (handle === null) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the object that this JSON describes; null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
