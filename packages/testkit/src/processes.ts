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

/** The first pause between two checks, the longest, and how much longer each is than the one before. */
const PAUSE_MS = 5;
const PAUSE_MS_MAX = 50;
const PAUSE_GROWTH = 1.15;

/**
 * Checks again and again until `claim` holds; throws with `what` if that takes too long. The pauses grow: a claim about a screen or a
 * page that is checked every few milliseconds takes more of the machine than what the test waits for.
 */
export async function until(what: string, claim: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = PAUSE_MS; !(await claim()); pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MS_MAX)) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
