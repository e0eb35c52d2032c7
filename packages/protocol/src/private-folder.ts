/**
 * Creates and checks folders that only their user can enter: anyone who can write into them could take over the sessions or
 * impersonate the daemon. Client and holder use the same rules; each provides its own file system functions, because this package
 * does not depend on Node. Keeps DOOR-24.
 */
import { SpoolError } from './errors.ts';

/** The result of `lstat` for a folder. */
export interface FoundFolder {
  readonly uid: number;
  readonly mode: number;
  isSymbolicLink(): boolean;
  isDirectory(): boolean;
}

/** Returns the reason why a folder must not be used; null if it may be, whatever its mode. */
export function foreignFolder(found: FoundFolder, uid: number): string | null {
  if (found.isSymbolicLink()) return 'it is a symbolic link';
  if (!found.isDirectory()) return 'it is not a folder';
  if (found.uid !== uid) return `it belongs to user ${found.uid}, not to you`;
  return null;
}

export const canOthersEnter = ({ mode }: FoundFolder): boolean => (mode & 0o077) !== 0;

/** Creates folders and reads their state: a link is followed, and a missing path is undefined. */
export interface FolderDisk {
  mkdir(folder: string): void;
  stat(folder: string): FoundFolder | undefined;
}

const ROOT = 0;
const STICKY = 0o1000;

/**
 * Creates an absolute folder and its missing parents; a folder that exists is accepted. Root creates none in a folder of another
 * user: with `sudo` and the HOME of that user, ~/.local would belong to root, and its user could not enter it any more.
 *
 * Node's `recursive` is not used: if a folder cannot be created at all (/proc), it tries forever, and on a read-only disk it
 * reports ENOENT.
 */
export function makeFolders(folder: string, uid: number, disk: FolderDisk): void {
  if (disk.stat(folder) !== undefined) return;
  const above = folder.slice(0, folder.lastIndexOf('/'));
  if (above !== '') makeFolders(above, uid, disk);
  const found = disk.stat(above === '' ? '/' : above);
  if (uid === ROOT && found && found.uid !== ROOT && (found.mode & STICKY) === 0) {
    const reason = `root would make it inside a folder of user ${found.uid} (${above}); use \`sudo -H\`, or set SPOOL_HOME`;
    throw new SpoolError('FOLDER_REFUSED', { folder, reason });
  }
  try {
    disk.mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error; // another process was faster
  }
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
