/**
 * What is known of a session besides its bytes, as one small JSON file in its folder.
 *
 * One file each, and no database, so that damage costs one session and a person can read it. Written to a temporary name
 * and renamed: a kill at any moment leaves the old record or the new one.
 */
import { closeSync, fdatasyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { EndedBy, ProcessIdentity, RunRequest, Size } from '@spool/protocol';
import type { Ending, Life } from './life.ts';
import { isSessionRecord } from './record-check.ts';

export interface SessionRecord {
  readonly run: RunRequest;
  readonly name: string;
  readonly pid: number;
  /** Whom the pid means. Records of older versions do not say; then it means nobody. */
  readonly process?: ProcessIdentity | null;
  readonly startedAt: number;
  readonly size: Size | null;
  readonly controlGroup: string | null;
  readonly ending: Ending | null;
  readonly end: {
    readonly state: Extract<Life, { phase: 'ended' }>['state'];
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly at: number;
    readonly by: EndedBy | null;
    readonly offset: number;
    /** Where its log begins; not in records of before. */
    readonly firstOffset?: number;
  } | null;
}

export function writeRecord(folder: string, record: SessionRecord, { durably = false } = {}): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${folder}/session.json.tmp`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeSync(fd, `${JSON.stringify(record)}\n`);
    if (durably) fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, `${folder}/session.json`);
}

/** Null when there is none, or none that can be understood. */
export function readRecord(folder: string): SessionRecord | null {
  try {
    const record: unknown = JSON.parse(readFileSync(`${folder}/session.json`, 'utf8'));
    // A copy of another session's folder would take its name, and its log.
    return isSessionRecord(record) && record.run.id === basename(folder) ? record : null;
  } catch {
    return null; // missing or damaged: that costs this one session its name, not the daemon its life
  }
}

/** The ids of all sessions that have a folder. Off-thread: there may be tens of thousands. */
export async function listRecords(sessions: string): Promise<readonly string[]> {
  return (await readdir(sessions)).filter((name) => /^[a-z0-9]{8,32}$/.test(name));
}

export function removeRecord(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
}
