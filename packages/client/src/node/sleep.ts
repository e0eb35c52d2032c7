import type { AbortSignalLike } from '../index.ts';

/** The longest timer of Node (24 days); a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Resolves after `ms`, or at once when aborted; the timer is then cleared. */
export async function sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
  await sleepOnce(Math.min(ms, TIMER_MS_MAX), signal);
  if (ms > TIMER_MS_MAX && !signal?.aborted) await sleep(ms - TIMER_MS_MAX, signal);
}

function sleepOnce(ms: number, signal?: AbortSignalLike): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal?.aborted) resolve();
  else {
    const timer = setTimeout(resolve, ms);
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort);
    promise.then(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    });
  }
  return promise;
}
