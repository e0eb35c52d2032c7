/**
 * Kills a process and waits until it is gone, for the process that takes over its work. Sending a signal is not enough:
 * a process can be stuck in the kernel with SIGKILL pending, and continue to write where its successor writes. Its
 * pidfd reports the end.
 */
import { constants } from 'node:os';
import type { FdWatch } from './fd-watch.ts';
import { native, POLL } from './index.ts';
import { NO_PROCESS } from './process-identity.ts';

/** The time after which a wait is logged: a killed process is usually gone within milliseconds. */
const LONG_MS = 1000;

/** Kills the process and takes over `pidfd`, which comes from `openProcess`. `onLong` is called once if the end takes long. */
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
