/** Finds the programs of this installation: all of them are bundled into one folder. */
import { fileURLToPath } from 'node:url';

/** Returns the path of a program beside this one. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
