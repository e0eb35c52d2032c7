/** Tests the real terminator with real processes; only the session is a fake. */
import { type ChildProcess, spawn } from 'node:child_process';
import { whatTermDoes } from '@spool/store';
import { native } from '@spool/native';
import { identify } from '@spool/native/process-identity';
import { isAlive, program } from '@spool/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Terminator } from './terminator.ts';
import type { KeeperSession } from '../sessions/session.ts';

interface StartedSession {
  readonly session: KeeperSession;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

/** Starts a session around a process that has printed "ready". */
async function start(command: readonly string[]): Promise<StartedSession> {
  const [file, ...args] = command;
  const child: ChildProcess = spawn(file!, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const pid = child.pid!;
  const pidfd = native.pidfdOpen(pid);
  onTestFinished(() => {
    child.kill('SIGKILL');
    native.close(pidfd);
  });
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  const onEnded: (() => void)[] = [];
  const session = {
    id: `test${pid}`,
    file: {
      folder: '/nowhere',
      isCopy: false,
      record: { pid, process: identify(pid, pidfd), controlGroup: null },
      askEnd: () => {},
      recordAsked: () => {},
    },
    isRunning: true,
    whenEnded: (callback: () => void) => onEnded.push(callback),
    handOver: () => null,
  };
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('exit', (code, signal) => {
      session.isRunning = false;
      for (const callback of onEnded) callback();
      resolve({ code, signal });
    }),
  );
  return { session: session as unknown as KeeperSession, ended };
}

const DEAF = ['bash', '-c', `trap '' TERM HUP; echo ready; while :; do sleep 0.05; done`];
const drain = (ms: number): string[] => [program('drain'), '/dev/null', String(ms)];
const HOUR_MS = 3_600_000;

function setClock(byMs: number): void {
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + byMs);
  onTestFinished(() => void vi.restoreAllMocks());
}

test('[RUN-5] a clock on the wall that is set forward takes nothing of the grace', async () => {
  const { session, ended } = await start(drain(600));
  const done = new Terminator().end(session, 'stop', 20_000);
  setClock(HOUR_MS);
  expect(await ended).toEqual({ code: 0, signal: null });
  await done;
});

test('[RUN-5] one that is set back adds nothing to it', async () => {
  const { session, ended } = await start(DEAF);
  const done = new Terminator().end(session, 'stop', 300);
  setClock(-HOUR_MS);
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
  await done;
});

test('[RUN-5] a stop that the last keeper had begun is gone on with, without a second SIGTERM', async () => {
  const { session, ended } = await start(drain(600));
  process.kill(session.file.record.pid, 'SIGTERM'); // the signal of the last keeper; this also restores the default disposition
  await vi.waitUntil(() => whatTermDoes(session.file.record.pid) !== 'handles', 10_000);
  const done = new Terminator().end(session, 'stop', 20_000, { isResumed: true });
  expect(await ended).toEqual({ code: 0, signal: null });
  await done;
});

test('[RUN-5] a kill during a stop does not wait for the grace, and both are answered', async () => {
  const { session, ended } = await start(DEAF);
  const terminator = new Terminator();
  const stopped = terminator.end(session, 'stop', 60_000);
  const killed = terminator.end(session, 'kill', 0);
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
  await Promise.all([stopped, killed, terminator.settled(session), terminator.finish(0)]);
});

test('[RUN-7] a session whose pid means another process by now ends nothing', async () => {
  const { session } = await start(['bash', '-c', 'echo ready; sleep 1000']);
  const { record } = session.file;
  const process = record.process!;
  const startTicks = `${BigInt(process.startTicks) - 1n}`;
  const stale = {
    ...session,
    isRunning: false,
    whenEnded: () => {},
    file: { ...session.file, record: { ...record, process: { ...process, startTicks } } },
  } as unknown as KeeperSession;
  await new Terminator().end(stale, 'kill', 0);
  expect(isAlive(session.file.record.pid)).toBe(true);
});

test('[RUN-7] the daemon itself is spared, even if a session should claim it', async () => {
  const { session } = await start(['bash', '-c', 'echo ready; sleep 1000']);
  const over = { ...session, isRunning: false, whenEnded: () => {} } as unknown as KeeperSession;
  await new Terminator(() => [session.file.record.pid]).end(over, 'kill', 0);
  expect(isAlive(session.file.record.pid)).toBe(true);
});

test('[RUN-41] while no fd is free nobody is taken for gone, and what could not be sent is sent later', async () => {
  const { session, ended } = await start(drain(10));
  const { pidfdOpen } = native;
  let refusals = 3;
  vi.spyOn(native, 'pidfdOpen').mockImplementation((pid) => {
    if (refusals-- > 0) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return pidfdOpen(pid);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await new Terminator().end(session, 'stop', 20_000);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(refusals).toBeLessThanOrEqual(0);
});
