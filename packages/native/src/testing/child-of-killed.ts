/**
 * Starts a child that is in an endless loop and ends with this process (`child-of-killed.ts SECONDS`, its grace period). Prints the
 * pid of the child, and waits to be killed.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { native } from '../index.ts';

const [grace, role] = process.argv.slice(2);
if (role === undefined) {
  const [, theirs] = native.socketPair();
  const file = fileURLToPath(import.meta.url);
  spawn(process.execPath, [file, grace!, 'child'], { stdio: ['ignore', 'inherit', 'inherit', theirs] });
  native.close(theirs);
  setInterval(() => {}, 100_000);
} else {
  native.endWithParent(3, Number(grace));
  writeSync(1, `${process.pid}\n`);
  for (;;);
}
