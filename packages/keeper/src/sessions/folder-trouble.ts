/**
 * Describes the fault of a log's folder: a session with a damaged folder is shown with this message, and affects no other session.
 * Keeps the part of LIFE-9 about the message.
 */
import { accessSync, constants } from 'node:fs';

/**
 * Returns the fault; null if the folder is healthy or missing. It is cheap enough for each of ten thousand ended sessions: their
 * logs stay closed.
 */
export function folderTrouble(folder: string): string | null {
  try {
    accessSync(`${folder}/.`, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? null : troubleOf(folder, code);
  }
}

export function troubleOf(folder: string, code = 'unknown error'): string {
  const what = code === 'ENOTDIR' ? 'a file lies in its place (ENOTDIR)' : `the system says ${code}`;
  return `its log ${folder} cannot be read: ${what}`;
}
