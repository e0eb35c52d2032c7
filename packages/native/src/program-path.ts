/** Finds the programs of this installation: all of them, and the addon, are bundled into one folder. */
import { fileURLToPath } from 'node:url';

/** Returns the path of a program beside this one. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
