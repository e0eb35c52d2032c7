/**
 * Describes what is wrong with a log's folder: a session with a damaged folder is shown with this message, and affects
 * no other session. Helps to keep LIFE-9.
 */
import { accessSync, constants } from 'node:fs';

/** Cheap enough for each of ten thousand ended sessions: their logs stay closed. Null when the folder is well or missing. */
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
