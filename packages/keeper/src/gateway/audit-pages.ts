/**
 * Reads the audit log in pages and checks its chain on the way. A page costs as much as it holds: the next page continues at its
 * end, and no read is long enough to delay the keeper's sessions. Keeps DOOR-51.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { AuditDamage, AuditLine, Requests } from '@spool/protocol';
import { type FramedLine, LineFraming } from '@spool/protocol/line-framing';
import { type ChainEnd, damageOf, parsedLine } from './audit-chain.ts';
import { type AuditHead, readHead } from './audit-head.ts';
import { auditFile, auditFileBefore } from './audit-log.ts';

/** The lines of a page; a line is below 2 KiB. */
const PAGE_LINES = 400;
/** The maximum length of a line; the keeper writes no longer one, so it counts as damage. */
const LINE_BYTES_MAX = 64 * 1024;
const READ_BYTES = 64 * 1024;

type AuditPage = Requests['audit']['answer'];

/** The first byte that has not been shown, and the line before it. */
interface PagePosition {
  readonly inode: number;
  readonly offset: number;
  readonly before: ChainEnd;
}

export class AuditPages {
  readonly #folder: string;
  /** The end of the last page. */
  #place: PagePosition | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async page(after: number): Promise<AuditPage> {
    const from = this.#place?.before.n === after ? this.#place : null;
    const head = readHead(this.#folder); // the head is read before the lines, because lines are only added
    const lines: AuditLine[] = [];
    let damage: AuditDamage | null = null;
    let before = from?.before ?? null;
    let isFirst = from === null;
    for await (const { text, inode, offset, isTurned } of this.#lines(from)) {
      const line = parsedLine(text);
      const reason =
        damageOf(line, before) ??
        (isFirst && !isBeginning(line!.n, head, isTurned) ? 'the lines before it are missing' : null) ??
        (line!.n === head?.n && line!.hash !== head.hash ? 'it was changed' : null);
      if (reason !== null) damage ??= { line: line?.n ?? (before?.n ?? 0) + 1, reason };
      isFirst = false;
      if (line === null) continue;
      before = { n: line.n, hash: line.hash };
      if (line.n <= after) continue;
      if (lines.length === PAGE_LINES) return { lines, next: lines.at(-1)!.n, damage };
      lines.push(line);
      this.#place = { inode, offset, before };
    }
    return { lines, next: null, damage: damage ?? damageAtEnd(before, head) };
  }

  /** Reads the lines of both files, or those from a position on. `isTurned`: there is a file before the last one. */
  async *#lines(
    from: PagePosition | null,
  ): AsyncGenerator<{ text: string; inode: number; offset: number; isTurned: boolean }> {
    await using old = await opened(auditFileBefore(this.#folder));
    await using last = await opened(auditFile(this.#folder));
    const files = [old, last].filter((file) => file !== null);
    const start = files.findIndex(({ inode }) => inode === from?.inode);
    for (const [at, { handle, inode }] of files.entries()) {
      if (at < start) continue;
      const offset = at === start ? from!.offset : 0;
      for await (const { text, end } of linesOf(handle, offset))
        if (text !== '') yield { text, offset: end, inode, isTurned: old !== null };
    }
  }
}

/** Returns whether the log may begin with this line: lines may have been dropped, but only a whole file of them. */
function isBeginning(n: number, head: AuditHead | null, isTurned: boolean): boolean {
  if (head === null) return n === 1 || isTurned;
  return n === head.first || n === head.firstBefore;
}

/** Returns the damage at the end of the log. A line is on the disk before the head names it. */
function damageAtEnd(last: ChainEnd | null, head: AuditHead | null): AuditDamage | null {
  if (head === null)
    return last && { line: last.n, reason: 'the head of the log is missing: lines after this one may be, too' };
  const n = last?.n ?? 0;
  return n >= head.n ? null : { line: n + 1, reason: `it is missing, and so are all up to line ${head.n}` };
}

interface OpenAuditFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly inode: number;
}

async function opened(path: string): Promise<OpenAuditFile | null> {
  try {
    const handle = await open(path, 'r');
    const { ino: inode } = await handle.stat();
    return { handle, inode, [Symbol.asyncDispose]: () => handle.close() };
  } catch {
    return null; // the file does not exist yet
  }
}

async function* linesOf(handle: FileHandle, from: number): AsyncGenerator<FramedLine> {
  const room = Buffer.alloc(READ_BYTES);
  const lines = new LineFraming({ bytesMax: LINE_BYTES_MAX });
  for (let position = from; ;) {
    const { bytesRead } = await handle.read(room, 0, READ_BYTES, position);
    yield* bytesRead === 0 ? lines.end() : lines.push(room.subarray(0, bytesRead), position);
    if (bytesRead === 0) return;
    position += bytesRead;
  }
}
