/** Inspects processes from outside, for tests. */
import { readFileSync } from 'node:fs';

/** Returns a field of /proc/PID/status, '' if the process is gone. */
export function statusField(pid: number, field: string): string {
  try {
    return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

export function isAlive(pid: number): boolean {
  const state = statusField(pid, 'State');
  return state !== '' && !state.startsWith('Z');
}

/** Checks every few milliseconds until `claim` holds; throws with `what` if that takes too long. */
export async function until(what: string, claim: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await claim())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
