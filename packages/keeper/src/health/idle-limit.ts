/**
 * Ends a session that does nothing for a given time: writes nothing, is typed nothing, uses no CPU time. Keeps STATE-20.
 *
 * Only sessions that were started with such a limit are looked at, eight times within it. Time during which this process
 * itself was paused does not count: a laptop that sleeps ends nothing.
 */
import { lookAtTree } from './process-tree.ts';

export interface IdleSubject {
  readonly pid: number;
  /** Grows with every byte that is written. */
  readonly offset: number;
  readonly typedAt: number | null;
}

const LOOKS = 8;
/** Less than this share of a CPU is nothing: timers of an event loop, for instance. */
const STILL_SHARE = 0.005;

/** Calls `end` once. Returns a function that cancels the limit. */
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
