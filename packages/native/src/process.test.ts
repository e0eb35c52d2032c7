/** Tests the exit statuses of our own and other processes, and which process reaps them. */
import { spawn as spawnNode } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import { native, POLL } from './index.ts';
import {
  SIZE,
  finish,
  folder,
  guardAgainstLeaks,
  line,
  pipes,
  release,
  run,
  spawn,
  stateOf,
  until,
} from './testing/children.ts';

const { ESRCH } = constants.errno;

guardAgainstLeaks();

test('[RUN-3] every exit code from 0 to 255 is exact', async () => {
  const codes = await Promise.all(
    Array.from({ length: 256 }, async (_, code) => (await run(['sh', '-c', `exit ${code}`])).status),
  );
  expect(codes).toEqual(Array.from({ length: 256 }, (_, code) => ({ code, signal: 0, coreDumped: false })));
});

test('[RUN-3] every signal that ends a process is exact, on pipes and on a terminal', async () => {
  const { SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU } = constants.signals;
  const harmless = [SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU];
  const deadly = [...Array(31).keys(), 33, 63].map((n) => n + 1).filter((n) => !harmless.includes(n));
  for (const size of [undefined, SIZE]) {
    const ends = await Promise.all(
      deadly.map(async (signal) => {
        const child = spawn(['sleep', '1000'], size && { size });
        expect(native.exitStatus(child.pidfd)).toBe(null);
        expect(native.pidfdSignal(child.pidfd, signal)).toBe(0);
        await until(child.pidfd, POLL.readable);
        const status = native.exitStatus(child.pidfd)!;
        release(child);
        return { code: status.code, signal: status.signal };
      }),
    );
    expect(ends).toEqual(deadly.map((signal) => ({ code: 0, signal })));
  }
});

test('a dumped core is told', async () => {
  const { status } = await run(['sh', '-c', 'ulimit -c unlimited 2>/dev/null; kill -ABRT $$'], { cwd: folder });
  expect(status).toMatchObject({ code: 0, signal: constants.signals.SIGABRT });
  expect(status.coreDumped).toBeTypeOf('boolean'); // depends on core_pattern and the hard limit of this machine
});

test('[RUN-3] the status can be asked for again after the child was reaped', async () => {
  const child = spawn(['sh', '-c', 'exit 7']);
  await until(child.pidfd, POLL.readable);
  expect(native.exitStatus(child.pidfd)).toEqual({ code: 7, signal: 0, coreDumped: false });
  const again = native.canReadForeignExit() ? { code: 7, signal: 0, coreDumped: false } : null;
  expect(native.exitStatus(child.pidfd)).toEqual(again);
  expect(native.pidfdSignal(child.pidfd, constants.signals.SIGTERM)).toBe(-ESRCH);
  release(child);
});

const FOREIGN_EXIT_MISSING = native.canReadForeignExit() ? null : 'It runs on Linux 6.15 or newer.';

testNeeding(FOREIGN_EXIT_MISSING)(
  '[RUN-3] the exit code of a foreign process is known once its parent has reaped it',
  async () => {
    for (const [how, expected] of [
      ['exit 37', { code: 37, signal: 0, coreDumped: false }],
      ['exit 0', { code: 0, signal: 0, coreDumped: false }],
      ['kill -KILL', { code: 0, signal: 9, coreDumped: false }],
    ] as const) {
      const parent = pipes(['sh', '-c', `exec 3<&0; (read x <&3; ${how}) & echo $!; wait; echo reaped; read y`]);
      const pidfd = native.pidfdOpen(Number(await line(parent.stdout)));
      expect(native.exitStatus(pidfd)).toBe(null); // it runs
      native.pidfdSignal(parent.pidfd, constants.signals.SIGSTOP);
      while (stateOf(parent.pid) !== 'T'); // now it cannot reap
      if (expected.signal) native.pidfdSignal(pidfd, expected.signal);
      else native.write(parent.stdin, Buffer.from('\n'));
      await until(pidfd, POLL.readable);
      expect(stateOf(parent.pid)).toBe('T');
      expect(native.exitStatus(pidfd)).toBe(null); // it is a zombie: it has ended, but the kernel has not recorded the status
      native.pidfdSignal(parent.pidfd, constants.signals.SIGCONT);
      expect(await line(parent.stdout)).toBe('reaped');
      expect(native.exitStatus(pidfd)).toEqual(expected);
      native.close(pidfd);
      native.close(parent.stdin);
      await finish({ ...parent, stdin: -1 });
    }
  },
);

test('a pidfd of a missing process cannot be opened', () => {
  expect(() => native.pidfdOpen(2 ** 22 + 1)).toThrow(
    expect.objectContaining({ code: 'ESRCH', syscall: 'pidfd_open' }),
  );
});

test.for([0, 1])(
  '[DRV-45, DOOR-10] a process in an endless loop ends with its killed parent, with a grace period of %i s',
  async (graceSeconds) => {
    const script = fileURLToPath(new URL('testing/child-of-killed.ts', import.meta.url));
    const parent = spawnNode(process.execPath, [script, String(graceSeconds)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [bytes] = (await once(parent.stdout, 'data')) as [Buffer];
    const looping = native.pidfdOpen(Number(bytes.toString()));
    const isClosed = once(parent, 'close');
    parent.kill('SIGKILL');
    await until(looping, POLL.readable);
    native.close(looping);
    await isClosed;
  },
);
