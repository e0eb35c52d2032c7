/**
 * Kills a process and waits until it is gone, for whoever takes over its work. A signal that was sent is not yet a death: a
 * process can be stuck in the kernel with SIGKILL pending, and go on writing where its successor writes. Its pidfd tells when
 * it is over.
 */
import { constants } from 'node:os';
import type { FdWatch } from './fd-watch.ts';
import { native, POLL } from './index.ts';
import { NO_PROCESS } from './process-identity.ts';

/** One that was killed is gone within milliseconds; what takes longer is worth a sentence. */
const LONG_MS = 1000;

/** Takes over `pidfd`, of `openProcess`. `onLong` is called once if it takes long. */
export function killAndWait(watch: FdWatch, pidfd: number, onLong: () => void): Promise<void> {
  if (pidfd === NO_PROCESS) return Promise.resolve();
  native.pidfdSignal(pidfd, constants.signals.SIGKILL);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(onLong, LONG_MS);
  watch.watch(pidfd, POLL.readable, () => {
    clearTimeout(timer);
    watch.unwatch(pidfd);
    native.close(pidfd);
    resolve();
  });
  return promise;
}
