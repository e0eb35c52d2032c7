/**
 * The identity of a process, in the form that the daemon compares: see `ProcessIdentity`. Keeps TASK-8: an owner is never a bare
 * pid.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import type { ProcessIdentity } from '@spool/protocol';

/**
 * Returns the identity of this process (default) or another one in the same pid namespace; null if it is gone, or without /proc.
 */
export function processIdentity(pid: number = process.pid): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may contain anything; the fields begin after the last closing bracket.
    const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const pidNamespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return startTicks && pidNamespace ? { pid, startTicks, bootId, pidNamespace } : null;
  } catch {
    return null; // the process is gone, or there is no /proc
  }
}
