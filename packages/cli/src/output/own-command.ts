/**
 * The words that start Spool in the user's shell, for hints that can be copied: `spool` if the shell finds it, otherwise the path
 * of this installation. Keeps SAY-40.
 */
import { accessSync, constants } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { printCommand } from './printable.ts';

/** Returns a command line that runs `spool` with these words. */
export function ownCommand(words: readonly string[]): string {
  return printCommand([programWord(), ...words]);
}

function programWord(): string {
  if ((process.env['PATH'] ?? '').split(':').some((folder) => folder !== '' && isProgram(join(folder, 'spool'))))
    return 'spool';
  // `dist/spool.cjs` is beside the script that starts it.
  const script = join(dirname(dirname(process.argv[1] ?? '')), 'spool');
  if (!isProgram(script)) return 'spool';
  return dirname(script) === folderNow() ? `./${relative(dirname(script), script)}` : script;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the current folder; null if it was deleted. */
function folderNow(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
