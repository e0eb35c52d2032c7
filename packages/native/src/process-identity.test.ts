import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { native } from './index.ts';
import {
  ageMs,
  identify,
  isOfThisPlace,
  NO_PROCESS,
  openProcess,
  readProc,
  readStat,
  signalAndClose,
} from './process-identity.ts';

function sleeper(): number {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid!;
}

function identityOf(pid: number): ReturnType<typeof identify> {
  const pidfd = native.pidfdOpen(pid);
  try {
    return identify(pid, pidfd);
  } finally {
    native.close(pidfd);
  }
}

test('[RUN-7] a process has one identity for its whole life, and another process another', () => {
  const [one, other] = [sleeper(), sleeper()].map(identityOf);
  expect(identityOf(one!.pid)).toEqual(one);
  expect(other).not.toEqual(one);
  expect([one!, other!].map(isOfThisPlace)).toEqual([true, true]);
});

test('[RUN-7] a pid whose process has been reaped identifies no process', async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const pidfd = native.pidfdOpen(child.pid!);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('exit', resolve));
  expect(identify(child.pid!, pidfd)).toBeNull();
  // Also null when another process has the pid by now: our own pid plays that process.
  expect(identify(process.pid, pidfd)).toBeNull();
  native.close(pidfd);
});

test.each([
  ['no identity', null],
  ['the kernel', { pid: 0 }],
  ['init', { pid: 1 }],
  ['another boot', { bootId: 'b4b5b6' }],
  ['another namespace', { pidNamespace: '7' }],
])('[RUN-7] %s is not of this place', (_name, change) => {
  const own = identityOf(process.pid)!;
  expect(isOfThisPlace(change && { ...own, ...change })).toBe(false);
});

test('[RUN-7] a process that is gone, or started at another time, cannot be opened; a signal to it goes nowhere', () => {
  const gone = spawnSync('true').pid;
  const ticks = readStat(process.pid)!.startTicks;
  expect([openProcess(gone), openProcess(1), openProcess(process.pid, `${BigInt(ticks) + 1n}`)]).toEqual([
    NO_PROCESS,
    NO_PROCESS,
    NO_PROCESS,
  ]);
  signalAndClose(NO_PROCESS, ['SIGKILL']);
  const pidfd = openProcess(process.pid, ticks);
  expect(pidfd).toBeGreaterThan(2);
  native.close(pidfd);
});

test('a name with brackets and spaces does not shift what is read', async () => {
  const child = spawn('sh', ['-c', `printf ') R 1 (' > /proc/self/comm; echo; read x`], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect(readStat(child.pid!)).toMatchObject({ name: ') R 1 (', parent: process.pid, isZombie: false });
});

test('a file of /proc that is larger than the buffer is read whole', async () => {
  const child = spawn('sleep', ['1000'], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], A: 'a'.repeat(100_000), Z: 'last' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(readProc(`/proc/${child.pid}/environ`)).toContain('\0Z=last');
});

test('the age of a process is known without the wall clock; null for other identities', async () => {
  const identity = identityOf(sleeper())!;
  const before = performance.now();
  const young = ageMs(identity)!;
  const from = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const to = performance.now();
  const grown = ageMs(identity)! - young;
  const after = performance.now();
  // Between what had certainly and what had at most passed; the kernel counts in steps of 10 ms.
  expect([grown > to - from - 20, grown < after - before + 20]).toEqual([true, true]);
  expect(ageMs(null)).toBeNull();
  expect(ageMs({ ...identity, bootId: 'another' })).toBeNull();
  expect(ageMs({ ...identity, startTicks: String(Number(identity.startTicks) + 1_000_000) })).toBeNull();
});
