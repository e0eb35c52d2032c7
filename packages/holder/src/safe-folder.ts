/**
 * Creates folders that only this user can enter. A folder that is a symlink or belongs to another user is refused with a
 * message, never repaired. Wrong permissions on our own folder are corrected. Keeps DOOR-8 and the mode of folders in LOG-7.
 */
import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { canOthersEnter, foreignFolder, makeFolders, SpoolError } from '@spool/protocol';

export function makeSafeFolder(folder: string): void {
  const uid = process.getuid!();
  try {
    makeFolders(folder, uid, {
      mkdir: (path) => mkdirSync(path, { mode: 0o700 }),
      stat: (path) => statSync(path, { throwIfNoEntry: false }),
    });
  } catch (error) {
    if (error instanceof SpoolError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new SpoolError('FOLDER_REFUSED', { folder, reason: `cannot be made: ${code}` }, { cause: error });
  }
  const found = lstatSync(folder);
  const reason = foreignFolder(found, uid);
  if (reason !== null) throw new SpoolError('FOLDER_REFUSED', { folder, reason });
  if (canOthersEnter(found)) chmodSync(folder, 0o700);
}
