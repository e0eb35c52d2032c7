/** Finds the program file of this process, which can be started again even if it was moved, replaced or deleted on disk. */
import { statSync } from 'node:fs';

/**
 * The kernel's link to the file that this process runs. In a child that is about to execute a program, it leads to the same file.
 */
const RUNNING = '/proc/self/exe';

/** Returns the path of the Node that runs this process: its usual path if that still leads to the same file. */
export function ownNode(): string {
  if (process.platform !== 'linux' || isSameFile(process.execPath, RUNNING)) return process.execPath;
  return RUNNING;
}

export function isSameFile(one: string, other: string): boolean {
  try {
    const [first, second] = [statSync(one), statSync(other)];
    return first.ino === second.ino && first.dev === second.dev;
  } catch {
    return false; // one of them is gone, or cannot be reached
  }
}
