/** Tests the pidfds of owners, which are counted in /proc. */
import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { native } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { identify, openProcess } from '@spool/native/process-identity';
import { expect, onTestFinished, test } from 'vitest';
import { OwnerWatch } from './owner-watch.ts';

const pidfds = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('pidfd');
    } catch {
      return false; // the fd of the folder itself
    }
  }).length;

test('[TASK-8, LIFE-8] a tied task leaves no file behind, whether it ends or its owner does', async () => {
  const fds = new FdWatch();
  onTestFinished(() => fds[Symbol.dispose]());
  const gone = Promise.withResolvers<void>();
  const watch = new OwnerWatch(fds, () => gone.resolve());
  const before = pidfds();
  const follow = (child: ReturnType<typeof spawn>, id: string): (() => void) => {
    const pidfd = openProcess(child.pid!);
    const owners = [identify(child.pid!, pidfd)!];
    native.close(pidfd);
    let end = (): void => {};
    watch.follow({
      id,
      run: { id, command: ['x'], cwd: '/', env: {}, owners, whileOwner: true },
      isRunning: true,
      lifecycle: { phase: 'running', ending: null },
      whenEnded: (callback) => {
        end = callback;
        return () => {};
      },
    });
    return () => end();
  };
  const [one, two] = [spawn('sleep', ['1000']), spawn('sleep', ['1000'])];
  onTestFinished(() => void [one, two].map((child) => child.kill('SIGKILL')));
  const ends = [1, 2, 3].map((n) => follow(one, `t${n}`));
  follow(two, 'last');
  expect(pidfds()).toBe(before + 2);
  for (const end of ends) end();
  expect(pidfds()).toBe(before + 1);
  two.kill('SIGKILL');
  await gone.promise;
  expect(pidfds()).toBe(before);
});
