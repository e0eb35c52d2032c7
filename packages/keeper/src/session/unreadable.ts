/**
 * A session whose record exists and cannot be read (no permission, a read error of the disk): it is listed with what is
 * wrong, instead of being missing. Helps to keep LIFE-9.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { RECORD_FILE, type SessionRecord } from '@spool/core';

/** For these, the record may be whole; a missing or garbage one is reported by `doctor`. */
const UNREADABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EIO']);

/** What is known of it: the id, and the time of its folder. Null when its record can be read, or is not there. */
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
