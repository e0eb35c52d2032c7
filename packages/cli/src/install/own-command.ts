/** Finds the words that start this installation of spool: absolute paths, and the Node that runs it. */
import type { ProgramLocation } from '../program.ts';

/** Returns the program and its first arguments, for callers without our PATH. */
export function ownCommand({ folder, isBundled }: Pick<ProgramLocation, 'folder' | 'isBundled'>): readonly string[] {
  return [process.execPath, isBundled ? `${folder}/spool.cjs` : process.argv[1]!];
}
