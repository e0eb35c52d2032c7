import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { seen, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const COUNT = 1000;
const env = { PATH: process.env.PATH! };

test('[LIFE-6] a thousand idle sessions: 64 KiB each, no thread each, all adopted within 2 s of a keeper kill, and all alive after it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await start(client, 20); // what the first sessions cost in code and buffers is not the price of a session
  const before = await figures(client);
  const startedAt = performance.now();
  const ids = await start(client, COUNT);
  const spawnMs = (performance.now() - startedAt) / COUNT;
  const after = await figures(client);
  expect(spawnMs).toBeLessThan(20);
  expect(after.threads).toBe(before.threads);
  expect((after.kib - before.kib) / COUNT).toBeLessThan(64);

  const { keeper } = await client.status();
  const killedAt = performance.now();
  process.kill(keeper.pid, 'SIGKILL');
  const listed = await client.list();
  expect(performance.now() - killedAt).toBeLessThan(2000);
  expect(listed.filter(({ state }) => state === 'running').length).toBe(COUNT + 20);
  expect((await client.status()).keeper.pid).not.toBe(keeper.pid);
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
  // Four pings in six seconds, each a few switches on either side: far below anything that grows with sessions.
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

/** Memory and threads of all our processes. */
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

/** How often the main thread of a process was woken. */
function switches(pid: number): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8'))![1]);
}

/** The one place where time itself is what is measured. */
function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
