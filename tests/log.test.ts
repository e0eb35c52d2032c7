import { readdirSync, readFileSync } from 'node:fs';
import { TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };
const PTY = { cols: 80, rows: 24 };

test('[LOG-2] no watcher sees a byte that is not in the log already', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); done';
  const session = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  let seenBytes = 0;
  for await (const item of session.watch({ from: 0 })) {
    if (item.type !== 'output') continue;
    const stored = storedBytes(`${daemon.home}/sessions/${session.id}/log`);
    const there = stored.subarray(item.offset, item.offset + item.bytes.length);
    expect(there.equals(item.bytes)).toBe(true);
    seenBytes += item.bytes.length;
  }
  expect(seenBytes).toBe((await client.get(session.id)).offset);
});

test('[LOG-5] a session that was told to keep little tells what it dropped as a gap, with its exact bounds', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const retainBytes = 8 * 1024 * 1024;
  // Random bytes, so that compression does not save them.
  const command = ['sh', '-c', 'stty raw; head -c 30000000 /dev/urandom; read go'];
  const session = await client.run({ command, size: PTY, env, retainBytes });
  for await (const event of retried(() => client.get(session.id))) if (event.firstOffset > 0) break;
  const { firstOffset } = await client.get(session.id);
  const [first, second] = await firstItems(session.watch({ from: 1000 }), 2);
  expect(first).toMatchObject({ type: 'gap', from: 1000, reason: 'retention' });
  expect(second).toMatchObject({ type: 'output', offset: (first as { to: number }).to });
  expect((first as { to: number }).to).toBeGreaterThanOrEqual(firstOffset);
  const kept = readdirSync(`${daemon.home}/sessions/${session.id}/log`).length;
  expect(kept).toBeGreaterThan(0);
});

function storedBytes(folder: string): Buffer {
  const segments = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return Buffer.concat(segments.sort().map((name) => readFileSync(`${folder}/${name}`)));
}

async function* retried<T>(ask: () => Promise<T>): AsyncGenerator<T> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
    yield await ask();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen within a minute');
}

async function firstItems<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
}
