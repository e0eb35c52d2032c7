/**
 * File descriptors that the daemon got from whoever started it, without anybody meaning it. Kept open for as long as the
 * daemon lives, they would hold a lock (`exec 9>lock; flock 9; spool run -d …`), a pipe or a mount that is not ours.
 *
 * Node marks those below 16 close-on-exec before it starts us; one that is higher comes through.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { native } from '@spool/native';

const O_CLOEXEC = 0o2000000;
const STDERR = 2;

/** Closes what was inherited, but for standard input and output, errors, and `kept`. To be called before anything is opened. */
export function closeInheritedFds(kept: number): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    // All that Node opens itself is close-on-exec.
    if (fd > STDERR && fd !== kept && !isCloseOnExec(fd)) native.close(fd);
  }
}

function isCloseOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))![1]!;
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    return true; // gone: it was the fd that the folder was read with
  }
}
