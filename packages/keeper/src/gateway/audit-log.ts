/**
 * The audit log: one line for each action that came through the gateway. Every line holds the hash of the line before, and the
 * head of the chain is kept in another place, so that no line can be changed or removed unnoticed, not even the last one. The
 * keeper is its only writer. Keeps DOOR-16, DOOR-51 and DOOR-52.
 *
 * An action does not wait for its line: even on a full disk a token can be revoked. Lost lines are counted, and the next line
 * contains their number.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { AuditEntry } from '@spool/protocol';
import { type AuditHead, readHead, writeHead } from './audit-head.ts';
import { CHAIN_START, chained, type ChainEnd, parsedLine } from './audit-chain.ts';

/** The size above which a new file begins; the previous file is kept. */
export const AUDIT_BYTES_MAX = 8 * 1024 * 1024;

/** The number of bytes that contain the last lines: a line is below 2 KiB. */
const TAIL_BYTES = 64 * 1024;

const NEWLINE = 10;

export const auditFile = (folder: string): string => `${folder}/audit.ndjson`;
export const auditFileBefore = (folder: string): string => `${auditFile(folder)}.1`;

/** The place of the next line. */
interface Continuation {
  readonly end: ChainEnd;
  /** The number of the first line that is kept. */
  readonly first: number;
  /** Whether the last line has no end, which happens after a power cut. */
  readonly isCutShort: boolean;
  /** Whether the log has lines, but no head that names the last one. */
  readonly isHeadMissing: boolean;
}

export class AuditLog {
  readonly #folder: string;
  readonly #warn: (sentence: string) => void;
  /** The place of the next line; null if it is unknown or not reliable. */
  #next: Continuation | null = null;
  #lost = 0;
  #isHeadWritten = true;

  constructor(folder: string, warn: (sentence: string) => void = () => {}) {
    this.#folder = folder;
    this.#warn = warn;
  }

  record(entries: readonly AuditEntry[]): void {
    if (entries.length === 0) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const next = this.#turned((this.#next ??= this.#continuation()));
      const before = [
        ...(next.isHeadMissing ? [headEntry()] : []),
        ...(this.#lost === 0 ? [] : [lostEntry(this.#lost)]),
      ];
      const end = this.#append(next, [...before, ...entries]);
      this.#next = { end, first: next.first, isCutShort: false, isHeadMissing: false };
      this.#lost = 0;
      this.#writeHead({ ...end, first: next.first });
    } catch (error) {
      this.#next = null;
      if (this.#lost === 0) this.#warn(`the audit log cannot be written: ${(error as Error).message}`);
      this.#lost += entries.length;
    }
  }

  /** Appends all lines or none: half a line would damage the next one too. */
  #append({ end, isCutShort }: Continuation, entries: readonly AuditEntry[]): ChainEnd {
    let last = end;
    const lines = entries.map((entry) => {
      const line = chained(entry, last);
      last = line;
      return `${JSON.stringify(line)}\n`;
    });
    const fd = openSync(auditFile(this.#folder), 'a+', 0o600);
    try {
      writeWhole(fd, Buffer.from(`${isCutShort ? '\n' : ''}${lines.join('')}`), fstatSync(fd).size);
    } finally {
      closeSync(fd);
    }
    return { n: last.n, hash: last.hash };
  }

  /** Writes the head. The line is on the disk in any case, so a head that could not be written has the same effect as a crash. */
  #writeHead(head: AuditHead): void {
    try {
      writeHead(this.#folder, head);
      this.#isHeadWritten = true;
    } catch (error) {
      if (this.#isHeadWritten)
        this.#warn(
          `the end of the audit log cannot be noted, so its last lines could be cut off: ${(error as Error).message}`,
        );
      this.#isHeadWritten = false;
    }
  }

  /**
   * Begins a new file and drops the one before the last. The head records this first, so that a crash does not count as a loss.
   */
  #turned(next: Continuation): Continuation {
    const path = auditFile(this.#folder);
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes <= AUDIT_BYTES_MAX) return next;
    const first = firstIn(path) ?? next.first;
    writeHead(this.#folder, { ...next.end, first, firstBefore: next.first });
    renameSync(path, auditFileBefore(this.#folder));
    return { ...next, first, isCutShort: false };
  }

  /**
   * Returns the place after the head, if the log is shorter or has another line there: the damage then stays visible, and new
   * lines are not lost. Returns the place after the last line, if a crash has left an old head.
   */
  #continuation(): Continuation {
    const [path, pathBefore] = [auditFile(this.#folder), auditFileBefore(this.#folder)];
    const [tail, tailBefore] = [tailOf(path), tailOf(pathBefore)];
    const isCutShort = tail.length > 0 && tail.at(-1) !== NEWLINE;
    const last = lastIn(tail) ?? lastIn(tailBefore);
    const head = readHead(this.#folder);
    if (head)
      return { end: last && last.n > head.n ? last : head, first: head.first, isCutShort, isHeadMissing: false };
    const first = firstIn(pathBefore) ?? firstIn(path) ?? 1;
    return { end: last ?? CHAIN_START, first, isCutShort, isHeadMissing: last !== null };
  }
}

/** Returns the line that notes a missing head: the head was removed, or an older version wrote the log. */
function headEntry(): AuditEntry {
  const note = 'the head of this log was missing: lines before this one may have been cut off';
  return { at: Date.now(), token: null, who: '', what: 'head-missing', note };
}

function lostEntry(count: number): AuditEntry {
  return { at: Date.now(), token: null, who: '', what: 'lost', note: `${count} lines could not be written` };
}

function tailOf(path: string): Buffer {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return partOf(path, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES));
}

/** Returns the number of the first line of a file; null if it has none. */
function firstIn(path: string): number | null {
  const [text = ''] = partOf(path, 0, TAIL_BYTES).toString('utf8').split('\n', 1);
  return parsedLine(text)?.n ?? null;
}

function partOf(path: string, from: number, bytes: number): Buffer {
  if (!statSync(path, { throwIfNoEntry: false })) return Buffer.alloc(0);
  const fd = openSync(path, 'r');
  try {
    const part = Buffer.alloc(bytes);
    return part.subarray(0, readSync(fd, part, 0, bytes, from));
  } finally {
    closeSync(fd);
  }
}

function lastIn(tail: Buffer): ChainEnd | null {
  for (const text of tail.toString('utf8').split('\n').reverse()) {
    const line = parsedLine(text);
    if (line) return { n: line.n, hash: line.hash };
  }
  return null;
}

function writeWhole(fd: number, bytes: Buffer, size: number): void {
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd); // the head may name only lines that are on the disk
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
}
