import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { seen, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const COUNT = 1000;
const env = { PATH: process.env.PATH! };

test('[LIFE-6] a thousand idle sessions: 64 KiB each, no thread each, all adopted for 2 s of CPU after a keeper kill, and all alive after it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await start(client, 20); // the code and buffers of the first sessions are not part of the cost of a session
  const before = await figures(client);
  const ids = await start(client, COUNT);
  const after = await figures(client);
  expect(after.threads).toBe(before.threads);
  expect((after.kib - before.kib) / COUNT).toBeLessThan(64);

  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  const listed = await client.list();
  expect(listed.filter(({ state }) => state === 'running').length).toBe(COUNT + 20);
  const next = (await client.status()).keeper.pid;
  expect(next).not.toBe(keeper.pid);
  expect(cpuSeconds(next)).toBeLessThan(2); // it has done no other work yet
  for (const id of [ids[0]!, ids[COUNT / 2]!, ids[COUNT - 1]!]) {
    await client.write(id, 'still here\r');
    await seen(client, id, 'still here\r\nstill here');
  }
}, 300_000);

test('[LIFE-6] an idle daemon with sessions is woken by its heartbeat alone', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await start(client, 50);
  const { holder, keeper } = await client.status();
  client.close();
  await quiet(2000);
  const before = [holder.pid, keeper.pid].map(switches);
  await quiet(6000);
  const woken = [holder.pid, keeper.pid].map((pid, at) => switches(pid) - before[at]!);
  // Four pings in six seconds, each a few switches on either side: far below any number that grows with sessions.
  expect(Math.max(...woken)).toBeLessThan(60);
});

async function start(client: Client, count: number): Promise<string[]> {
  const ids: string[] = [];
  const lane = async (): Promise<void> => {
    while (ids.length < count) {
      const at = ids.push('') - 1;
      ids[at] = (await client.run({ command: ['cat'], size: { cols: 80, rows: 24 }, env })).id;
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return ids;
}

/** Returns the memory and threads of all our processes. */
async function figures(client: Client): Promise<{ kib: number; threads: number }> {
  const { holder, keeper } = await client.status();
  let kib = 0;
  let threads = 0;
  for (const pid of [holder.pid, keeper.pid]) {
    kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]);
    threads += readdirSync(`/proc/${pid}/task`).length;
  }
  return { kib, threads };
}

/** Returns the processor time of a process: it measures the work, on a busy machine too. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the number of wake-ups of a process's main thread. */
function switches(pid: number): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8'))![1]);
}

/** Waits; this is the only test that measures time itself. */
function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
