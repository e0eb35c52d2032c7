/**
 * Copies the lines of files that an agent appends to into the log of its side channel, each with its place in its file. A restarted
 * copier continues after the last line in the log; a line that two copiers have copied counts once. Keeps the copying part of
 * CHAN-3, and CHAN-40.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { agentLines } from '@spool/drivers';

const PIECE_BYTES = 64 * 1024;
/** The maximum of files; further ones are not copied. */
const FILES_MAX = 1000;

interface CopiedFile {
  readonly path: string;
  /** The end of the last line that was copied. */
  position: number;
  /** The offset of the next read: the beginning of a line is kept, with its long strings cut, and not read again. */
  readTo: number;
  lines: ReturnType<typeof agentLines>;
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
    const position = this.#positions.get(name) ?? 0;
    this.#files.set(name, { path, position, readTo: position, lines: agentLines() });
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
      while (!this.#isClosed && (await this.#copyPiece(handle, name, file)));
    } catch (error) {
      file.readTo = file.position; // what was not copied is read again
      file.lines = agentLines();
      throw error;
    } finally {
      await handle.close();
    }
  }

  /** Copies the lines that end in the next piece. Returns false if there is no more. */
  async #copyPiece(handle: FileHandle, name: string, file: CopiedFile): Promise<boolean> {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, file.readTo);
    const from = file.readTo;
    file.readTo += bytesRead;
    for (const { offset, end, text } of file.lines.push(buffer.subarray(0, bytesRead), from)) {
      if (offset < file.position) continue; // another driver has copied it
      await this.#copyLine(name, offset, end, text);
      file.position = end;
    }
    return bytesRead > 0;
  }

  async #copyLine(file: string, from: number, to: number, text: string): Promise<void> {
    const line = parseObject(text);
    if (line === null || this.#isClosed || !this.#options.isKept(line)) return;
    await this.#options.append(`{"file":${JSON.stringify(file)},"from":${from},"to":${to},"line":${text}}`);
  }
}

/**
 * Opens a regular file; null for anything else: reading a pipe or a device under this name might never end, and a link would lead to
 * another file.
 */
export async function openPlainFile(path: string, flags = constants.O_RDONLY): Promise<FileHandle | null> {
  const handle = await open(path, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(() => null);
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
