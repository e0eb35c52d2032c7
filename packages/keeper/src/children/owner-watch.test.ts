/** Uses real processes as owners: their ends come from the kernel. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { FdWatch } from '@spool/native/fd-watch';
import { identify, openProcess } from '@spool/native/process-identity';
import { native } from '@spool/native';
import type { ProcessIdentity } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { checkOwners, OwnerWatch } from './owner-watch.ts';

function sleeper(): ChildProcess {
  const child = spawn('sleep', ['1000']);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function identityOf({ pid }: ChildProcess): ProcessIdentity {
  const pidfd = openProcess(pid!);
  const identity = identify(pid!, pidfd)!;
  native.close(pidfd);
  return identity;
}

function setUp(): {
  follow(id: string, owners: readonly ProcessIdentity[]): () => void;
  watch: OwnerWatch;
  gone: string[];
} {
  const fds = new FdWatch();
  onTestFinished(() => fds[Symbol.dispose]());
  const gone: string[] = [];
  const watch = new OwnerWatch(fds, ({ id }) => void gone.push(id));
  return {
    gone,
    watch,
    follow(id, owners) {
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
    },
  };
}

test('[TASK-8] the end of an owner is reported once for each of its sessions, of no other one', async () => {
  const { follow, gone, watch } = setUp();
  const [one, two] = [sleeper(), sleeper()];
  follow('first', [identityOf(one)]);
  follow('second', [identityOf(one)]);
  follow('other', [identityOf(two)]);
  follow('both', [identityOf(two), identityOf(one)]);
  expect(watch.count).toBe(2);
  one.kill('SIGKILL');
  await once(one, 'exit');
  await expect.poll(() => gone.toSorted()).toEqual(['both', 'first', 'second']);
  expect(watch.count).toBe(1);
});

test('[TASK-8] a process with the pid of an owner, started at another time, is not the owner: it is gone', () => {
  const { follow, gone } = setUp();
  const child = sleeper();
  follow('reused', [{ ...identityOf(child), startTicks: '1' }]);
  expect(gone).toEqual(['reused']);
  expect(child.exitCode).toBe(null);
});

test('[TASK-8] of an owner in another boot or namespace nothing is known: it is refused at the start, and ends nothing later', () => {
  const { follow, gone } = setUp();
  const elsewhere = { ...identityOf(sleeper()), pidNamespace: '1' };
  expect(() => checkOwners({ owners: [elsewhere] })).toThrow(/another container/);
  expect(() => checkOwners({})).toThrow(/needs an owner/);
  follow('elsewhere', [elsewhere]);
  expect(gone).toEqual([]);
});

test('a session that has ended needs no owner any more', async () => {
  const { follow, gone, watch } = setUp();
  const child = sleeper();
  follow('ended', [identityOf(child)])();
  expect(watch.count).toBe(0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(gone).toEqual([]);
});

test('[TASK-8] looking for an owner that is gone leaves no file open', () => {
  const { follow, gone } = setUp();
  const reused = { ...identityOf(sleeper()), startTicks: '1' };
  const before = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 10; round++) follow(`${round}`, [reused]);
  expect(gone).toHaveLength(10);
  expect(readdirSync('/proc/self/fd')).toHaveLength(before);
});
