/** Checks and creates the folders of the daemon before a connection: only this user may be able to enter them. */
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { canOthersEnter, type FolderDisk, foreignFolder, makeFolders, SpoolError } from '@spool/protocol';

const PRIVATE_FOLDERS: FolderDisk = {
  mkdir: (folder) => mkdirSync(folder, { mode: 0o700 }),
  stat: (folder) => statSync(folder, { throwIfNoEntry: false }),
};

/** Returns whether the folder exists. Throws if it exists and is not private. */
export function hasPrivateFolder(folder: string, uid: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const mode = (found.mode & 0o777).toString(8);
  const open = `other users can enter it (mode ${mode}); run \`chmod 700\` on it if it is for Spool alone`;
  const reason = foreignFolder(found, uid) ?? (canOthersEnter(found) ? open : null);
  if (reason !== null) throw new SpoolError('FOLDER_REFUSED', { folder, reason });
  return true;
}

/** Creates the folder if needed and possible. Returns whether the folder exists afterwards. */
export function makePrivateFolder(folder: string, uid: number): boolean {
  try {
    makeFolders(folder, uid, PRIVATE_FOLDERS);
  } catch (error) {
    if (error instanceof SpoolError) throw error;
    return false; // the daemon will have the same problem, and report it better
  }
  return hasPrivateFolder(folder, uid);
}
