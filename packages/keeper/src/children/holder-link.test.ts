import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import type { DaemonRecord, FromHolder, FromKeeper } from '@spool/protocol';
import { fakeAlarm } from '@spool/testkit/fake-alarm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HolderLink } from './holder-link.ts';

const daemon = { home: {}, startedAt: 0, hasEscrow: true, canReadForeignExit: true } as unknown as DaemonRecord;

test('[LIFE-1] a holder that is dead before its welcome is read is no fault of the keeper, and nobody else is opened for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }); // so that no process is treated as hung later
  vi.spyOn(native, 'createAlarm').mockImplementation(fakeAlarm);
  const watch = new FdWatch();
  const [ours, theirs] = native.socketPair();
  const holder = new FdLink<FromKeeper, FromHolder>(watch, theirs, {
    onMessage: () => {},
    onFdsLost: () => {},
    onEnd: () => {},
  });
  const heard: string[] = [];
  new HolderLink(ours, {
    watch,
    node: () => process.execPath,
    logFd: 2,
    onMessage: ({ type }) => heard.push(type),
    onMoved: () => {},
    onReplaced: () => {},
    handOver: () => [],
    warn: () => {},
  } as ConstructorParameters<typeof HolderLink>[1]);
  onTestFinished(() => {
    watch[Symbol.dispose]();
    vi.useRealTimers();
  });
  const openedBefore = pidfds();
  const gone = spawnSync('true').pid;
  const fds = [native.openPipe(), native.openPipe()];
  holder.send({ type: 'welcome', holderPid: gone, holderStart: '1', daemon }, fds);
  // A pid that now belongs to another process: our own process plays that role.
  holder.send({ type: 'welcome', holderPid: process.pid, holderStart: '1', daemon }, fds);
  while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(['welcome', 'welcome']);
  expect(pidfds()).toBe(openedBefore);
});

/** Returns the number of pidfds that this process has open. */
function pidfds(): number {
  let count = 0;
  for (let fd = 0; fd < 200; fd++) {
    try {
      if (/^Pid:/m.test(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))) count++;
    } catch {
      // the fd is not open
    }
  }
  return count;
}
