/**
 * Folders that only their user can enter: anyone who can write into them could take over the sessions or impersonate the
 * daemon. Client and holder make and judge them alike; each brings its own `mkdir`, because this package knows no Node.
 */

/** What `lstat` tells of a folder. */
export interface FoundFolder {
  readonly uid: number;
  readonly mode: number;
  isSymbolicLink(): boolean;
  isDirectory(): boolean;
}

/** Why it must not be used; null if it may be, whatever its mode. */
export function foreignFolder(found: FoundFolder, uid: number): string | null {
  if (found.isSymbolicLink()) return 'it is a symbolic link';
  if (!found.isDirectory()) return 'it is not a folder';
  if (found.uid !== uid) return `it belongs to user ${found.uid}, not to you`;
  return null;
}

export const canOthersEnter = ({ mode }: FoundFolder): boolean => (mode & 0o077) !== 0;

/**
 * Makes an absolute folder and what is missing above it; a folder that exists is fine.
 *
 * Not Node's `recursive`: where a folder cannot be made at all (/proc), that tries for ever, and on a read-only disk it says
 * ENOENT.
 */
export function makeFolders(folder: string, mkdir: (folder: string) => void): void {
  try {
    mkdir(folder);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    const above = folder.slice(0, folder.lastIndexOf('/'));
    if (codeOf(error) !== 'ENOENT' || above === '') throw error;
    makeFolders(above, mkdir);
    try {
      mkdir(folder);
    } catch (again) {
      if (codeOf(again) !== 'EEXIST') throw again; // somebody else was faster
    }
  }
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
