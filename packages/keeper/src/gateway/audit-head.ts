/**
 * The head of the audit log's chain: the first and the last line of the log, in a file outside of its folder, written after each
 * line. Without it, a log whose last lines, or all lines, were deleted would look complete. Keeps DOOR-51.
 *
 * A line is on the disk before the head names it. After a crash in between, the log is longer than its head: the additional lines
 * are chained, so they count. A log that is shorter than its head has lost lines.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChainEnd } from './audit-chain.ts';

export interface AuditHead extends ChainEnd {
  /** The number of the first line that is kept. */
  readonly first: number;
  /** While old lines are being dropped: the number of the first line before that. */
  readonly firstBefore?: number | undefined;
}

export const auditHeadFile = (folder: string): string => join(dirname(folder), 'audit-head.json');

/** Returns null if there is no readable head. */
export function readHead(folder: string): AuditHead | null {
  try {
    const head = JSON.parse(readFileSync(auditHeadFile(folder), 'utf8')) as Partial<AuditHead> | null;
    const isWhole =
      [head?.n, head?.first].every((number) => typeof number === 'number') && typeof head?.hash === 'string';
    return isWhole ? (head as AuditHead) : null;
  } catch {
    return null; // this daemon has not written its first line yet
  }
}

/** Writes the head; it is on the disk when this returns. */
export function writeHead(folder: string, head: AuditHead): void {
  const path = auditHeadFile(folder);
  const fd = openSync(`${path}.tmp`, 'w', 0o600);
  try {
    writeSync(fd, JSON.stringify(head));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.tmp`, path);
}
