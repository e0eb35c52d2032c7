import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { native } from '@spool/native';
import { homeFrom } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnSockets, nameOwner } from './listening.ts';

/** Listens in a home with a runtime folder; a daemon of `owner` has locked the socket folder in the state folder. */
function lockedBy(owner: (state: string) => string): ReturnType<typeof listenOnSockets> {
  const base = mkdtempSync(`${tmpdir()}/spool-listening-`);
  onTestFinished(() => rmSync(base, { recursive: true }));
  mkdirSync(`${base}/runtime`, { mode: 0o700 });
  const home = homeFrom({ HOME: base, XDG_RUNTIME_DIR: `${base}/runtime` }, process.getuid!());
  mkdirSync(`${home.state}/run`, { recursive: true, mode: 0o700 });
  const lock = openSync(`${home.state}/run/daemon.lock`, 'a+', 0o600);
  expect(native.tryLock(lock)).toBe(true);
  nameOwner(lock, owner(home.state));
  const listening = listenOnSockets(home, () => {});
  const { socketFds = [], lockFds = [] } = listening ?? {};
  for (const fd of [lock, ...socketFds, ...lockFds]) native.close(fd);
  return listening;
}

test('[LIFE-12] a daemon that has lost the lock of its state folder still keeps a second one out', () => {
  expect(lockedBy((state) => state)).toBe(null);
});

test('[LIFE-0] a folder that the daemon of another state folder uses is left to it', () => {
  expect(lockedBy((state) => `${state}-other`)?.sockets).toEqual([expect.stringContaining('/runtime/')]);
});
