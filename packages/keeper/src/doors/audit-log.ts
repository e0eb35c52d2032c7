/**
 * The audit log: what came through the doors, one line each. Every line holds the hash of the one before, so that none can be changed
 * or taken out unnoticed; only the end can be cut off. The keeper is its only writer. Keeps DOOR-16.
 *
 * What is done through a door does not wait for its line: on a full disk a token can still be revoked. Lines that were lost are
 * counted, and the next line says how many.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { AuditEntry } from '@spool/protocol';
import { CHAIN_START, chained, type ChainEnd, parsedLine } from './audit-chain.ts';

/** Then a new file begins, and the one before is kept. */
export const AUDIT_BYTES_MAX = 8 * 1024 * 1024;

/** The last lines are in it: a line is below 2 KiB. */
const TAIL_BYTES = 64 * 1024;

const NEWLINE = 10;

export const auditFile = (folder: string): string => `${folder}/audit.ndjson`;
export const auditFileBefore = (folder: string): string => `${auditFile(folder)}.1`;

export class AuditLog {
  readonly #folder: string;
  readonly #warn: (sentence: string) => void;
  /** Null: not known, or not to be relied on. */
  #last: ChainEnd | null = null;
  #lost = 0;

  constructor(folder: string, warn: (sentence: string) => void = () => {}) {
    this.#folder = folder;
    this.#warn = warn;
  }

  record(entries: readonly AuditEntry[]): void {
    if (entries.length === 0) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#turn();
      this.#append(this.#lost === 0 ? entries : [lostEntry(this.#lost), ...entries]);
      this.#lost = 0;
    } catch (error) {
      if (this.#lost === 0) this.#warn(`the audit log cannot be written: ${(error as Error).message}`);
      this.#lost += entries.length;
    }
  }

  /** All of it, or nothing: half a line would spoil the next one too. */
  #append(entries: readonly AuditEntry[]): void {
    const fd = openSync(auditFile(this.#folder), 'a+', 0o600);
    try {
      const { size } = fstatSync(fd);
      let isCutShort = false;
      if (this.#last === null) [this.#last, isCutShort] = this.#end(fd, size);
      let last = this.#last;
      const lines = entries.map((entry) => {
        const line = chained(entry, last);
        last = line;
        return `${JSON.stringify(line)}\n`;
      });
      // After a power cut the last line may have no end.
      writeWhole(fd, Buffer.from(`${isCutShort ? '\n' : ''}${lines.join('')}`), size);
      this.#last = { n: last.n, hash: last.hash };
    } catch (error) {
      this.#last = null;
      throw error;
    } finally {
      closeSync(fd);
    }
  }

  #turn(): void {
    const bytes = statSync(auditFile(this.#folder), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > AUDIT_BYTES_MAX) renameSync(auditFile(this.#folder), auditFileBefore(this.#folder));
  }

  /** Continues after a damaged line too: the damage stays visible, and new lines are not lost. */
  #end(fd: number, size: number): [last: ChainEnd, isCutShort: boolean] {
    const tail = tailOf(fd, size);
    const isCutShort = tail.length > 0 && tail.at(-1) !== NEWLINE;
    return [lastIn(tail) ?? this.#endBefore() ?? CHAIN_START, isCutShort];
  }

  #endBefore(): ChainEnd | null {
    const path = auditFileBefore(this.#folder);
    if (!statSync(path, { throwIfNoEntry: false })) return null;
    const fd = openSync(path, 'r');
    try {
      return lastIn(tailOf(fd, fstatSync(fd).size));
    } finally {
      closeSync(fd);
    }
  }
}

function lostEntry(count: number): AuditEntry {
  return { at: Date.now(), token: null, who: '', what: 'lost', note: `${count} lines could not be written` };
}

function tailOf(fd: number, size: number): Buffer {
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  return tail.subarray(0, readSync(fd, tail, 0, tail.length, size - tail.length));
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
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
}
