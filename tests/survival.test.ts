import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SpoolError } from '@spool/protocol';
import {
  inNamespace,
  isAlive,
  NAMESPACES_MISSING,
  outputOf,
  program,
  seen,
  statusField,
  TestDaemon,
  until,
  VerifiedStream,
} from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';
import type { Stuck } from './bodies/stuck-in-the-kernel.ts';
import type { FdStoreReport } from './bodies/fd-store.ts';
import type { PausedStore } from './bodies/paused-store.ts';
import type { Together } from './bodies/killed-together.ts';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

test('[LIFE-1] [ATT-2] keeper and holder are killed 40 times at random during 192 MB: no byte lost, none twice, exit code right', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const bytes = 192 * 1024 * 1024;
  const session = await client.run({
    command: [program('verified-source'), String(bytes), '60', '128'],
    size: PTY,
    env,
  });
  const stream = new VerifiedStream();
  const killer = killAtRandom(daemon, 40);
  let exit: unknown;
  for await (const item of session.watch({ from: 0 })) {
    if (item.type === 'output') stream.push(item.offset, item.bytes);
    if (item.type === 'exit') exit = { exitCode: item.exitCode, signal: item.signal, offset: item.offset };
    if (item.type === 'gap') throw new Error(`a gap: ${JSON.stringify(item)}`);
  }
  const killed = await killer;
  expect(exit).toEqual({ exitCode: 7, signal: null, offset: bytes });
  expect(stream.offset).toBe(bytes);
  expect(killed.keeper + killed.holder).toBeGreaterThanOrEqual(30);
  expect(killed.keeper).toBeGreaterThan(5);
  expect(killed.holder).toBeGreaterThan(5);
}, 600_000);

test('[LIFE-1] a child that ends while its keeper, or its holder, is dead still ends with its own code and its last byte', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (const victim of ['keeper', 'holder'] as const) {
    const command = ['sh', '-c', 'read go; echo the last word; exit 42'];
    const session = await client.run({ command, size: PTY, env });
    const status = await client.status();
    await client.write(session.id, 'go\r');
    process.kill(status[victim].pid, 'SIGKILL');
    const { exitCode, signal } = await client.wait(session.id);
    expect({ victim, exitCode, signal }).toEqual({ victim, exitCode: 42, signal: null });
    expect((await outputOf(client, session.id)).toString()).toContain('the last word\r\n');
    expect((await client.status())[victim].pid).not.toBe(status[victim].pid);
  }
});

test('[LIFE-1] a pipes session keeps its two streams apart and exact over kills', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'i=0; while [ $i -lt 3000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done; exit 3';
  const session = await client.run({ command: ['sh', '-c', script], size: null, env });
  const killer = killAtRandom(daemon, 6);
  const streams = { stdout: '', stderr: '' };
  for await (const item of session.watch({ from: 0 })) {
    if (item.type === 'output') streams[item.stream] += Buffer.from(item.bytes).toString();
  }
  await killer;
  const lines = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word} ${i}\n`).join('');
  expect(streams.stdout === lines('out')).toBe(true);
  expect(streams.stderr === lines('err')).toBe(true);
  expect((await client.wait(session.id)).exitCode).toBe(3);
});

test('[LIFE-2] a keeper and a holder that hang are replaced within 5 s, and the session goes on', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  for (const victim of ['keeper', 'holder'] as const) {
    const before = await client.status();
    process.kill(before[victim].pid, 'SIGSTOP');
    // 5 s of the time in which the other process could run: on a busy machine, more of anybody else's.
    await gone(before[victim].pid, 60_000);
    const after = await client.status();
    expect(after[victim].pid).not.toBe(before[victim].pid);
    await client.write(session.id, `still here after ${victim}\r`);
    await seen(client, session.id, `still here after ${victim}\r\n`);
  }
  await client.kill(session.id);
});

testNeeding(missingProgram('strace'))(
  '[LIFE-1] a kill at each of the first 40 transfers of the keeper is exact',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const bytes = 400_000;
    for (let at = 1; at <= 40; at++) {
      // The source waits for a line, so that the trap is set before the first transfer.
      const command = ['sh', '-c', `read go; exec ${program('verified-source')} ${bytes} 0 64`];
      const session = await client.run({ command, size: PTY, env });
      await client.write(session.id, 'x');
      await seen(client, session.id, 'x');
      const { keeper } = await client.status();
      const trap = spawn(
        'strace',
        [
          '-f',
          '-qq',
          '-p',
          String(keeper.pid),
          '-e',
          'trace=splice',
          '-e',
          `inject=splice:signal=KILL:when=${at}`,
          '-o',
          '/dev/null',
        ],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      );
      await until('strace is attached', () => statusField(keeper.pid, 'TracerPid') !== '0');
      // The kill may come before the confirmation; the later output shows that the bytes arrived.
      await client.write(session.id, '\r').catch((error: unknown) => {
        if (!SpoolError.is(error, 'INPUT_UNCONFIRMED')) throw error;
      });
      const got: Buffer[] = [];
      let exitCode: number | null = null;
      for await (const item of session.watch({ from: 0 })) {
        if (item.type === 'output') got.push(Buffer.from(item.bytes));
        if (item.type === 'exit') exitCode = item.exitCode;
      }
      if (trap.exitCode === null) trap.kill();
      if (trap.exitCode === null && trap.signalCode === null) await once(trap, 'exit');
      const all = Buffer.concat(got);
      const start = all.indexOf('\r\n') + 2;
      const stream = new VerifiedStream();
      stream.push(0, all.subarray(start));
      expect({ at, bytes: stream.offset, exitCode }).toEqual({ at, bytes, exitCode: 7 });
      expect((await client.status()).keeper.pid, `kill at transfer ${at} happened`).not.toBe(keeper.pid);
    }
  },
  300_000,
);

test('[LIFE-5] all processes killed at once: the log is a valid prefix, and the session reads lost with its last offset', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: [program('verified-source'), '100000000', '200', '16'], size: PTY, env });
  for await (const item of session.watch({ from: 0 })) if (item.type === 'output' && item.offset > 1_000_000) break;
  daemon.killWhole(await client.status());
  client.close();
  const after = await daemon.client();
  const info = await after.get(session.id);
  expect(info).toMatchObject({ state: 'lost', exitCode: null, signal: null });
  expect(info.offset).toBeGreaterThan(1_000_000);
  const stream = new VerifiedStream();
  for await (const item of after.watch(session.id, { from: 0 }))
    if (item.type === 'output') stream.push(item.offset, item.bytes);
  expect(stream.offset).toBe(info.offset);
});

for (const victim of ['keeper', 'holder'] as const)
  testNeeding(NAMESPACES_MISSING)(
    `[LIFE-1] a ${victim} that is killed and stays in the kernel has no successor at work before it is gone`,
    async () => {
      const body = new URL('bodies/stuck-in-the-kernel.ts', import.meta.url);
      expect(await inNamespace<Stuck>(body, { victim })).toEqual({ hadSuccessor: false, wasTold: true });
    },
    120_000,
  );

/** Kills keeper or holder, at random, as soon as the daemon reports that one of them may die. */
async function killAtRandom(daemon: TestDaemon, times: number): Promise<{ keeper: number; holder: number }> {
  const killed = { keeper: 0, holder: 0 };
  const client = await daemon.client();
  for (let kill = 0; kill < times; kill++) {
    const status = await client.status();
    const victim = kill % 2 === 0 ? 'keeper' : 'holder';
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    process.kill(status[victim].pid, 'SIGKILL');
    killed[victim]++;
    await gone(status[victim].pid);
  }
  return killed;
}

function gone(pid: number, withinMs?: number): Promise<void> {
  return until(`process ${pid} is gone`, () => !isAlive(pid), withinMs);
}

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-1] once the successor of a killed process has everything, the other one may be killed too',
  async () => {
    const body = new URL('bodies/killed-together.ts', import.meta.url);
    for (const first of ['keeper', 'holder']) {
      const tried = await inNamespace<Together[]>(body, { first, after: ['settled'], sessions: 3, tries: 2 });
      expect([first, tried]).toEqual([first, [{ after: 'settled', tries: 2, survived: 2 }]]);
    }
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-14] holder and keeper killed at the same moment: every session goes on, time after time',
  async () => {
    const body = new URL('bodies/killed-together.ts', import.meta.url);
    for (const first of ['keeper', 'holder']) {
      const tried = await inNamespace<Together[]>(body, { first, after: [0, 20], sessions: 3, tries: 2 });
      expect([first, ...tried.map(({ survived }) => survived)]).toEqual([first, 2, 2]);
    }
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-14] a daemon whose store is paused can be stopped, and the next one starts',
  async () => {
    const body = new URL('bodies/paused-store.ts', import.meta.url);
    for (const isForeign of [false, true]) {
      const paused = await inNamespace<PausedStore>(body, { isForeign });
      expect([isForeign, paused]).toEqual([isForeign, { stopped: 0, printed: 'again\n', isSame: true, stores: 1 }]);
    }
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[LIFE-14] killed together under load, and their store in between: no byte and no exit code is lost, no input stays open',
  async () => {
    const stored = await inNamespace<FdStoreReport>(new URL('bodies/fd-store.ts', import.meta.url));
    expect(stored).toMatchObject({ isWhole: true, exitCode: 7, catEnded: 5, storesAfterKill: 1 });
    expect(stored.kills).toBeGreaterThan(1);
    expect(stored.memoryKiB).toBeLessThan(1024);
  },
);
