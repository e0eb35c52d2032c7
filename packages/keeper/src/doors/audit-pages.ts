/**
 * Reads the audit log in pages and checks its chain on the way. A page costs what it holds: the next one goes on where this one has
 * ended, and nothing is read at once that could hold up the keeper's sessions. Keeps DOOR-16.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { AuditDamage, AuditLine, Requests } from '@spool/protocol';
import { type ChainEnd, damageOf, parsedLine } from './audit-chain.ts';
import { auditFile, auditFileBefore } from './audit-log.ts';

/** A line is below 2 KiB. */
const PAGE_LINES = 400;
const READ_BYTES = 64 * 1024;

type Page = Requests['audit']['answer'];

/** The first byte that was not shown, and the line before it. */
interface Place {
  readonly inode: number;
  readonly offset: number;
  readonly before: ChainEnd;
}

export class AuditPages {
  readonly #folder: string;
  /** Where the last page ended. */
  #place: Place | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async page(after: number): Promise<Page> {
    const from = this.#place?.before.n === after ? this.#place : null;
    const lines: AuditLine[] = [];
    let damage: AuditDamage | null = null;
    let before = from?.before ?? null;
    let isFirst = from === null;
    for await (const { text, inode, offset, isTurned } of this.#lines(from)) {
      const line = parsedLine(text);
      const reason =
        damageOf(line, before) ??
        // What was turned away is allowed to be missing, but only as a whole.
        (isFirst && line!.n !== 1 && !isTurned ? 'the lines before it are missing' : null);
      if (reason !== null) damage ??= { line: line?.n ?? (before?.n ?? 0) + 1, reason };
      isFirst = false;
      if (line === null) continue;
      before = { n: line.n, hash: line.hash };
      if (line.n <= after) continue;
      if (lines.length === PAGE_LINES) return { lines, next: lines.at(-1)!.n, damage };
      lines.push(line);
      this.#place = { inode, offset, before };
    }
    return { lines, next: null, damage };
  }

  /** Of both files, or from a place on. `isTurned`: there is a file before the last. */
  async *#lines(
    from: Place | null,
  ): AsyncGenerator<{ text: string; inode: number; offset: number; isTurned: boolean }> {
    await using old = await opened(auditFileBefore(this.#folder));
    await using last = await opened(auditFile(this.#folder));
    const files = [old, last].filter((file) => file !== null);
    const start = files.findIndex(({ inode }) => inode === from?.inode);
    for (const [at, { handle, inode }] of files.entries()) {
      if (at < start) continue;
      const offset = at === start ? from!.offset : 0;
      for await (const line of linesOf(handle, offset)) yield { ...line, inode, isTurned: old !== null };
    }
  }
}

interface Opened extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly inode: number;
}

async function opened(path: string): Promise<Opened | null> {
  try {
    const handle = await open(path, 'r');
    const { ino: inode } = await handle.stat();
    return { handle, inode, [Symbol.asyncDispose]: () => handle.close() };
  } catch {
    return null; // there is none yet
  }
}

/** Each with the offset after it. */
async function* linesOf(handle: FileHandle, from: number): AsyncGenerator<{ text: string; offset: number }> {
  const room = Buffer.alloc(READ_BYTES);
  let rest = Buffer.alloc(0);
  for (let position = from, offset = from; ;) {
    const { bytesRead } = await handle.read(room, 0, READ_BYTES, position);
    position += bytesRead;
    rest = Buffer.concat([rest, room.subarray(0, bytesRead)]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      offset += end + 1;
      const text = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      if (text !== '') yield { text, offset };
    }
    if (bytesRead > 0) continue;
    if (rest.length > 0) yield { text: rest.toString('utf8'), offset: offset + rest.length };
    return;
  }
}
