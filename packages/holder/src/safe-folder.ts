/**
 * Creates folders that only this user can enter. Anyone who can write into them could take over the sessions, so a
 * folder that is a symlink or belongs to another user is refused with a message, never repaired. Wrong permissions on
 * our own folder are corrected. Keeps DOOR-8 and the folder half of LOG-7.
 */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpoolError } from '@spool/protocol';

export function makeSafeFolder(folder: string): void {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new SpoolError('FOLDER_REFUSED', { folder, reason: `cannot be made: ${code}` }, { cause: error });
  }
  const found = lstatSync(folder);
  if (found.isSymbolicLink()) throw new SpoolError('FOLDER_REFUSED', { folder, reason: 'it is a symbolic link' });
  if (!found.isDirectory()) throw new SpoolError('FOLDER_REFUSED', { folder, reason: 'it is not a folder' });
  if (found.uid !== process.getuid!()) {
    throw new SpoolError('FOLDER_REFUSED', { folder, reason: `it belongs to user ${found.uid}, not to you` });
  }
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}
