/** Tests the fd store alone, with packets in the holder's format. Its fds are counted in the kernel's list. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { native } from '@spool/native';
import { until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const STORE = fileURLToPath(new URL('../dist/spool-fd-store', import.meta.url));

test('[LIFE-14] after a hand-over the store has the fds of the sessions that were named in it, and no other', async () => {
  const [ours, theirs] = native.socketPair(true);
  const child = spawn(STORE, ['3', '/bin/false', 'none'], { stdio: ['ignore', 'ignore', 'ignore', theirs] });
  native.close(theirs);
  const file = openSync('/dev/full', 'w'); // only this test has given this file to the store
  onTestFinished(() => {
    child.kill('SIGKILL');
    native.close(ours);
    closeSync(file);
  });
  const held = (): number =>
    readdirSync(`/proc/${child.pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${child.pid}/fd/${fd}`) === '/dev/full';
      } catch {
        return false; // closed meanwhile
      }
    }).length;
  const send = (text: string, fds: readonly number[] = []): void =>
    void expect(native.sendFds(ours, Buffer.from(text), [...fds])).toBeGreaterThan(0);
  send('pone\n{}', [file]);
  send('ptwo\n{}', [file]);
  send('pthree\n{}', [file]);
  await until('it has them', () => held() === 3, 60_000);
  send('b');
  send('ptwo\n{}', [file]);
  send('pfour\n{}', [file]);
  send('e');
  await until('it has let the others go', () => held() === 2, 60_000);
  send('dtwo\n');
  await until('one is left', () => held() === 1, 60_000);
});
