/** Determines the kind of standard input, where that matters before anything is read. */
import { fstatSync, readFileSync } from 'node:fs';
import { UsageError } from '../command-line/usage-error.ts';

/**
 * Refuses a folder as standard input. Node reads a folder as an empty stream: the command would see the end of its input, and the
 * mistake would go unnoticed.
 */
export function refuseFolder(verb: string): void {
  if (stats()?.isDirectory() === true)
    throw new UsageError('stdin is a folder, which cannot be read; redirect a file, or < /dev/null', verb);
}

/**
 * Returns whether input is to be sent: stdin is a pipe of the shell, or a file that was not read to its end. Programs that start
 * this one have a socket or /dev/null there.
 */
export function hasInput(): boolean {
  const stat = stats();
  return stat?.isFIFO() === true || (stat?.isFile() === true && place() < stat.size);
}

function stats(): ReturnType<typeof fstatSync> | null {
  try {
    return fstatSync(0);
  } catch {
    return null; // EBADF: stdin is closed
  }
}

/** Returns the position up to which the file has been read; its start if the system does not report the position. */
function place(): number {
  try {
    return Number(/^pos:\s+(\d+)/m.exec(readFileSync('/proc/self/fdinfo/0', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
