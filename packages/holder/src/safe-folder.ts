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
    makeFolders(dirname(folder));
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

/** Not `recursive`: where a folder cannot be made at all (/proc), Node then tries for ever, and on a read-only disk it says ENOENT. */
function makeFolders(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolders(dirname(folder));
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (again) {
      if ((again as NodeJS.ErrnoException).code !== 'EEXIST') throw again; // somebody else was faster
    }
  }
}
