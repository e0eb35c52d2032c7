/** Folders that only this user can enter: anyone who can write beside the socket could impersonate the daemon. */
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpoolError } from '@spool/protocol';

/** Whether it exists. Throws if it exists and is not private. */
export function hasPrivateFolder(folder: string, uid: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const reason = found.isSymbolicLink()
    ? 'it is a symbolic link'
    : !found.isDirectory()
      ? 'it is not a folder'
      : found.uid !== uid
        ? `it belongs to user ${found.uid}, not to you`
        : (found.mode & 0o077) !== 0
          ? `other users can enter it (mode ${(found.mode & 0o777).toString(8)}); run \`chmod 700\` on it if it is yours`
          : undefined;
  if (reason !== undefined) throw new SpoolError('FOLDER_REFUSED', { folder, reason });
  return true;
}

/** Creates it if needed and possible. Returns whether it exists then. */
export function makePrivateFolder(folder: string, uid: number): boolean {
  try {
    makeFolders(folder);
  } catch {
    return false; // the daemon will have the same problem, and report it better
  }
  return hasPrivateFolder(folder, uid);
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
