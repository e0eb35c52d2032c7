import type { AbortSignalLike } from '../index.ts';

/** Resolves after `ms`, or at once when aborted; the timer goes with it. */
export function sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
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
