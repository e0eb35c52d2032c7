/**
 * The record of a session: all facts besides its bytes, as one small JSON file in its folder. Keeps LIFE-10, with the keeper's
 * `record-keeper.ts`, and LIFE-44.
 *
 * There is one file for each session, and no database, so that damage costs one session and a user can read it. The file is
 * written under a temporary name and renamed: a kill at any moment leaves the old record or the new one. After a power cut a file
 * that was not synced may be empty under its new name, so the last durable record is kept beside it until the new one is durable.
 */
import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { EndedBy, ProcessIdentity, RunRequest, Size } from '@spool/protocol';
import type { EndRequest, Lifecycle } from './lifecycle.ts';
import { isSystemError } from '../log/files.ts';
import { isSessionRecord } from './record-check.ts';

export interface SessionRecord {
  readonly run: RunRequest;
  readonly name: string;
  readonly pid: number;
  /** The identity of the pid. Records of older versions lack it; then the pid is not trusted. */
  readonly process?: ProcessIdentity | null;
  /** The inode of the folder in which the record was written: a copy of the folder does not own the process. */
  readonly folderInode?: number;
  readonly startedAt: number;
  readonly size: Size | null;
  readonly controlGroup: string | null;
  readonly ending: EndRequest | null;
  /** The start of an agent's first prompt, for lists. */
  readonly prompt?: string;
  /** Whether the events log of an ended agent is complete. */
  readonly areEventsDone?: boolean;
  /** The client that typed last; written with the end. Until then, it is in the input journal. */
  readonly typed?: { readonly who: string; readonly at: number };
  readonly end: {
    readonly state: Extract<Lifecycle, { phase: 'ended' }>['state'];
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly at: number;
    readonly by: EndedBy | null;
    readonly offset: number;
    /** The start of its log; missing in older records. */
    readonly firstOffset?: number;
    /** The time when a lost session was found: its end may be long past, but was unknown before. */
    readonly noticedAt?: number;
  } | null;
}

export const RECORD_FILE = 'session.json';

/** The previous record, kept until the new one is durable. */
const LAST_RECORD_FILE = 'session.json.last';

/** The members that this version knows. */
const MEMBERS: Readonly<Record<keyof SessionRecord, true>> = {
  run: true,
  name: true,
  pid: true,
  process: true,
  folderInode: true,
  startedAt: true,
  size: true,
  controlGroup: true,
  ending: true,
  prompt: true,
  areEventsDone: true,
  typed: true,
  end: true,
};

/** `keepLast`: the existing record is durable, and is kept until `forgetLastRecord`. */
export function writeRecord(folder: string, record: SessionRecord, { keepLast = false } = {}): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${folder}/${RECORD_FILE}.tmp`;
  const whole = { ...unknownMembers(folder), ...record };
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeSync(fd, `${JSON.stringify(whole)}\n`);
  } finally {
    closeSync(fd);
  }
  if (keepLast) quietly(() => linkSync(`${folder}/${RECORD_FILE}`, `${folder}/${LAST_RECORD_FILE}`));
  renameSync(temporary, `${folder}/${RECORD_FILE}`);
}

/** Returns the members of the present record that only a later version knows: after a downgrade they are kept for it. */
function unknownMembers(folder: string): object {
  try {
    const present = JSON.parse(readFileSync(`${folder}/${RECORD_FILE}`, AT_ONCE)) as object;
    return Object.fromEntries(Object.entries(present).filter(([name]) => !Object.hasOwn(MEMBERS, name)));
  } catch {
    return {}; // a new session, or a damaged record, which is replaced
  }
}

/** Removes the previous record: the new one is durable. */
export function forgetLastRecord(folder: string): void {
  quietly(() => unlinkSync(`${folder}/${LAST_RECORD_FILE}`));
}

/** Runs a precaution that may fail: the copy already exists, there is no record to keep, or the disk refuses. */
function quietly(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** Returns null if there is no readable record. */
export function readRecord(folder: string): SessionRecord | null {
  return readRecordFile(folder, RECORD_FILE) ?? readRecordFile(folder, LAST_RECORD_FILE);
}

/**
 * Options that do not block: opening a pipe in the place of a record would block the keeper, and all its clients, until a process
 * writes into the pipe.
 */
const AT_ONCE = { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NONBLOCK } as const;

function readRecordFile(folder: string, file: string): SessionRecord | null {
  try {
    const record: unknown = JSON.parse(readFileSync(`${folder}/${file}`, AT_ONCE));
    // A copy of another session's folder would use its name and its log.
    return isSessionRecord(record) && record.run.id === basename(folder) ? record : null;
  } catch {
    return null; // missing or damaged: only this session loses its name, and the daemon continues
  }
}

/** Returns the ids of all sessions that have a folder. The call is off-thread: there may be tens of thousands. */
export async function listRecords(sessions: string): Promise<readonly string[]> {
  return (await readdir(sessions)).filter((name) => /^[a-z0-9]{8,32}$/.test(name));
}
