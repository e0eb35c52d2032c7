/** Finds the programs of this installation: those in JavaScript are bundled into one folder, those in C may have their own package. */
import { installedFile } from '@spool/native/installed-file';

/** Returns the path of a program of this installation. */
export function programPath(name: string): string {
  return installedFile(import.meta.dirname, name);
}
