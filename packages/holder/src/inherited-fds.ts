/**
 * Closes file descriptors that the daemon inherited by accident from the process that started it. Left open for the
 * daemon's lifetime, they would hold a lock (`exec 9>lock; flock 9; spool run -d …`), a pipe or a mount of another
 * program.
 *
 * Node marks those below 16 close-on-exec before it starts us; higher ones come through.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { native } from '@spool/native';

const O_CLOEXEC = 0o2000000;
const STDERR = 2;

/**
 * Closes every inherited fd except standard input, output and error, and those `kept`. Must be called before any file is opened.
 */
export function closeInheritedFds(...kept: readonly number[]): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    // All fds that Node opens itself are close-on-exec.
    if (fd > STDERR && !kept.includes(fd) && !isCloseOnExec(fd)) native.close(fd);
  }
}

function isCloseOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))![1]!;
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    return true; // gone: it was the fd with which the folder was read
  }
}
