/**
 * Describes a session whose record exists and cannot be read (no permission, a read error of the disk): it is listed with the
 * fault, instead of being missing. Keeps the part of LIFE-9 about records that cannot be read.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { RECORD_FILE, type SessionRecord } from '@spool/store';

/** The errors after which the record may still be valid; `doctor` reports a missing or damaged one. */
const UNREADABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EIO']);

/** Returns the known facts: the id, and the time of its folder. Returns null if the record can be read, or does not exist. */
export function unreadableRecord(folder: string, id: string, access = accessSync): SessionRecord | null {
  try {
    access(`${folder}/${RECORD_FILE}`, constants.R_OK);
    return null;
  } catch (error) {
    if (!UNREADABLE.has((error as NodeJS.ErrnoException).code)) return null;
  }
  const at = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return {
    run: { id, command: ['(unreadable)'], cwd: '/', env: {} },
    name: id,
    pid: 0,
    startedAt: at,
    size: null,
    controlGroup: null,
    ending: null,
    end: {
      state: 'lost',
      exitCode: null,
      signal: null,
      at,
      by: null,
      offset: 0,
      firstOffset: 0,
      noticedAt: Date.now(),
    },
  };
}
