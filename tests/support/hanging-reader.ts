/** Makes a process hang: it reads a FIFO in place of a file, and waits for bytes that never come. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, renameSync } from 'node:fs';
import { until } from '@spool/testkit';
import { onTestFinished } from 'vitest';

/** Puts a FIFO in the place of a file, or where no file is. */
export function placeFifo(path: string): void {
  execFileSync('mkfifo', [`${path}.fifo`]);
  renameSync(`${path}.fifo`, path);
}

/** Resolves when a process hangs on this FIFO, which lasts as long as the test. */
export async function hangsOn(path: string, withinMs: number): Promise<void> {
  let fd = -1;
  await until(
    'a process reads the FIFO',
    () => {
      try {
        fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false; // no process reads it so far
        throw error;
      }
    },
    withinMs,
  );
  onTestFinished(() => closeSync(fd));
}
