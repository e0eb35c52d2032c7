/** Repeats an attempt to reach another machine as long as it is wanted: at once after a healthy link, then less and less often. Keeps NODE-63. */
import { setTimeout as pause } from 'node:timers/promises';
import { SpoolError } from '@spool/protocol';
import { RemovedError } from './handshake.ts';

const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 5000;

/** The pause after a refusal for the versions: it stays until one of the two machines is upgraded. */
const VERSIONS_AGAIN_MS = 30_000;

/** The time after which a link counts as healthy, so that the next attempt is immediate. */
const HEALTHY_MS = 2000;

export interface DialState {
  state: 'online' | 'away' | 'refused';
  /** The time at which the present state began. */
  since: number;
  /** The reason why the last attempt failed. */
  reason: string | undefined;
}

export function newDialState(): DialState {
  return { state: 'away', since: Date.now(), reason: undefined };
}

/**
 * Calls `once` until `signal` is aborted, or the other machine refuses permanently. `once` calls `onOnline` when the other machine
 * is reached, and resolves when the link has ended.
 */
export async function keepDialling(
  dial: DialState,
  signal: AbortSignal,
  once: (onOnline: () => void) => Promise<void>,
  againMsMax = AGAIN_MS_MAX,
): Promise<void> {
  const change = (state: DialState['state']): void => {
    if (dial.state !== state) dial.since = Date.now();
    dial.state = state;
  };
  let againMs = 0;
  while (!signal.aborted) {
    let isRefused = false;
    let onlineAt = Number.POSITIVE_INFINITY;
    try {
      await once(() => {
        onlineAt = performance.now();
        change('online');
      });
      dial.reason = undefined;
    } catch (error) {
      dial.reason = (error as Error).message.slice(0, 200);
      if (error instanceof RemovedError) return change('refused');
      isRefused = SpoolError.is(error, 'VERSION_UNSUPPORTED');
    }
    change('away');
    const wasHealthy = performance.now() - onlineAt >= HEALTHY_MS && dial.reason === undefined;
    againMs = wasHealthy ? AGAIN_MS_FIRST : Math.min(againMsMax, Math.max(AGAIN_MS_FIRST, againMs * 2));
    // Machines that return at the same time are spread out.
    const waitMs = isRefused ? VERSIONS_AGAIN_MS : againMs;
    await pause(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
  }
}
