import { type ChildProcess, spawn } from 'node:child_process';
import { until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { isServing, lookAtTree } from './process-tree.ts';

function started(file: string, ...args: string[]): ChildProcess & { pid: number } {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  onTestFinished(() => void process.kill(-child.pid!, 'SIGKILL'));
  return child as ChildProcess & { pid: number };
}

test('[STATE-20] a process that sleeps, is stopped, and goes on', async () => {
  const { pid } = started('sleep', '1000');
  await until('it sleeps', () => lookAtTree(pid)?.last.waitsIn === 'hrtimer_nanosleep');
  expect(lookAtTree(pid)).toMatchObject({ processes: 1, isChain: true, isStopped: false, isTraced: false });
  process.kill(pid, 'SIGSTOP');
  await until('it is stopped', () => lookAtTree(pid)!.isStopped);
  process.kill(pid, 'SIGCONT');
  await until('it goes on', () => !lookAtTree(pid)!.isStopped);
});

test('[STATE-20] a circle uses CPU time and does nothing; a chain of shells is one', async () => {
  const { pid } = started('sh', '-c', 'sh -c "while :; do :; done"; true');
  await until('there are two', () => lookAtTree(pid)!.processes === 2);
  const used = (ms: number, since = 0): Promise<void> =>
    until('time was used', () => lookAtTree(pid)!.cpuMs >= since + ms);
  await used(200); // the program has been loaded by then
  const before = lookAtTree(pid)!;
  expect(before.isChain).toBe(true);
  await used(100, before.cpuMs);
  expect(lookAtTree(pid)!.deeds).toBe(before.deeds);
});

test('[STATE-20] two children are no chain; a process that is gone is null', async () => {
  const { pid } = started('sh', '-c', 'sleep 1000 & sleep 1000 & wait');
  await until('there are three', () => lookAtTree(pid)!.processes === 3);
  expect(lookAtTree(pid)!.isChain).toBe(false);
  expect(lookAtTree(4_000_000)).toBe(null);
});

test('[STATE-20] a server is known by its socket', async () => {
  const script = 'net.createServer().listen(0, "127.0.0.1", () => console.log("ready"))';
  const server = started(process.execPath, '-e', `const net = require("net"); ${script}`);
  await new Promise((resolve) => server.stdout!.once('data', resolve));
  expect(isServing(server.pid)).toBe(true);
  expect(isServing(started('sleep', '1000').pid)).toBe(false);
});
