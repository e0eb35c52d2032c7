/**
 * The audit log: what came through the doors, one line each. Every line holds the hash of the one before, so that none can be changed
 * or taken out unnoticed; only the end can be cut off. The keeper is its only writer. Keeps DOOR-16.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { AuditDamage, AuditEntry, AuditLine, Requests } from '@spool/protocol';

/** Then a new file begins, and the one before is kept. */
export const AUDIT_BYTES_MAX = 8 * 1024 * 1024;

/** A line is below 2 KiB. */
const PAGE_LINES = 400;

const FIRST = '0'.repeat(64);

export class AuditLog {
  readonly #path: string;
  readonly #folder: string;
  #last: { n: number; hash: string } | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/audit.ndjson`;
  }

  record(entries: readonly AuditEntry[]): void {
    if (entries.length === 0) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#turn();
    let last = (this.#last ??= this.#end());
    const lines = entries.map((entry) => {
      const line = { n: last.n + 1, ...entry, prev: last.hash };
      const hash = hashOf(line);
      last = { n: line.n, hash };
      return `${JSON.stringify({ ...line, hash })}\n`;
    });
    appendFileSync(this.#path, lines.join(''), { mode: 0o600 });
    this.#last = last;
  }

  page(after: number): Requests['audit']['answer'] {
    const { lines, damage } = this.#read();
    const from = lines.findIndex(({ n }) => n > after);
    const page = from === -1 ? [] : lines.slice(from, from + PAGE_LINES);
    const isLast = from === -1 || from + PAGE_LINES >= lines.length;
    return { lines: page, next: isLast ? null : page.at(-1)!.n, damage };
  }

  #turn(): void {
    const bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > AUDIT_BYTES_MAX) renameSync(this.#path, `${this.#path}.1`);
  }

  /** Continues after a damaged line too: the damage stays visible, and new lines are not lost. */
  #end(): { n: number; hash: string } {
    const last = this.#read().lines.at(-1);
    return last ? { n: last.n, hash: last.hash } : { n: 0, hash: FIRST };
  }

  #read(): { readonly lines: readonly AuditLine[]; readonly damage: AuditDamage | null } {
    const lines: AuditLine[] = [];
    let damage: AuditDamage | null = null;
    for (const text of [`${this.#path}.1`, this.#path].flatMap(linesIn)) {
      const line = parsed(text);
      const before = lines.at(-1);
      const reason =
        line === null
          ? 'it is not a line of the log'
          : hashOf(line) !== line.hash
            ? 'it was changed'
            : before && (line.prev !== before.hash || line.n !== before.n + 1)
              ? 'the line before it is missing or was changed'
              : null;
      if (reason !== null) damage ??= { line: line?.n ?? (before?.n ?? 0) + 1, reason };
      if (line) lines.push(line);
    }
    // What was turned away is allowed to be missing, but only as a whole.
    if (damage === null && lines.length > 0 && lines[0]!.n !== 1 && linesIn(`${this.#path}.1`).length === 0)
      damage = { line: lines[0]!.n, reason: 'the lines before it are missing' };
    return { lines, damage };
  }
}

function hashOf({ hash: _hash, ...line }: Partial<AuditLine>): string {
  return createHash('sha256').update(JSON.stringify(line)).digest('hex');
}

function parsed(text: string): AuditLine | null {
  try {
    const line = JSON.parse(text) as AuditLine;
    return typeof line.n === 'number' && typeof line.hash === 'string' ? line : null;
  } catch {
    return null; // cut short by a power cut, or by somebody
  }
}

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return []; // there is none yet
  }
}
