/** The chain of the audit log: each line must fit the line before it. */
import { createHash } from 'node:crypto';
import type { AuditEntry, AuditLine } from '@spool/protocol';

/** The end of the chain so far. */
export interface ChainEnd {
  readonly n: number;
  readonly hash: string;
}

export const CHAIN_START: ChainEnd = { n: 0, hash: '0'.repeat(64) };

export function chained(entry: AuditEntry, before: ChainEnd): AuditLine {
  const line = { n: before.n + 1, ...entry, prev: before.hash };
  return { ...line, hash: hashOf(line) };
}

/** Returns null if the text is not a line of the log. */
export function parsedLine(text: string): AuditLine | null {
  try {
    const line = JSON.parse(text) as AuditLine | null;
    return typeof line?.n === 'number' && typeof line.hash === 'string' ? line : null;
  } catch {
    return null; // a power cut or a person has truncated it
  }
}

/** Returns why a line is damaged; null if it is intact. Without `before`, the lines before it are not known. */
export function damageOf(line: AuditLine | null, before: ChainEnd | null): string | null {
  if (line === null) return 'it is not a line of the log';
  if (hashOf(line) !== line.hash) return 'it was changed';
  if (before && (line.prev !== before.hash || line.n !== before.n + 1))
    return 'the line before it is missing or was changed';
  return null;
}

function hashOf({ hash: _hash, ...line }: Partial<AuditLine>): string {
  return createHash('sha256').update(JSON.stringify(line)).digest('hex');
}
