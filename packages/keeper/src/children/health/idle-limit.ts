/**
 * Ends a session that is idle for a given time: no output, no input, no CPU time. Keeps STATE-42.
 *
 * Only sessions that were started with such a limit are examined, eight times within it. Time during which this process itself
 * was paused does not count: a laptop that sleeps does not end sessions.
 */
import { lookAtTree } from './process-tree.ts';

export interface IdleSubject {
  readonly pid: number;
  /** The end of the log: it grows with every byte of output. */
  readonly offset: number;
  readonly typedAt: number | null;
}

const LOOKS = 8;
/** A smaller share of a CPU does not count, for example timers of an event loop. */
const STILL_SHARE = 0.005;

/** Calls `end` once, when the session has been idle for the limit. Returns a function that cancels the limit. */
export function endWhenIdle(
  subject: () => IdleSubject,
  idleMs: number,
  end: () => void,
  look = lookAtTree,
): () => void {
  const everyMs = Math.max(1, Math.ceil(idleMs / LOOKS));
  let last = { ...subject(), cpuMs: look(subject().pid)?.cpuMs ?? 0 };
  let idleLooks = 0;
  const timer = setInterval(() => {
    const now = { ...subject(), cpuMs: look(last.pid)?.cpuMs ?? last.cpuMs };
    const isIdle =
      now.offset === last.offset &&
      now.typedAt === last.typedAt &&
      now.cpuMs - last.cpuMs <= Math.max(1, everyMs * STILL_SHARE);
    last = now;
    idleLooks = isIdle ? idleLooks + 1 : 0;
    if (idleLooks < LOOKS) return;
    clearInterval(timer);
    end();
  }, everyMs);
  return () => clearInterval(timer);
}
