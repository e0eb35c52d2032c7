import { createConnection } from 'node:net';
import type { Client } from '@spool/client';
import { encodeJson, FrameType } from '@spool/protocol';
import { program, statusField, TestDaemon, VerifiedStream } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
const MIB = 1024 * 1024;

test('[SLOW-2] twenty watchers that never read cost at most 32 MiB during 192 MB', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // Once round, so that what such a session costs by itself (code, buffers, compression) is not blamed on the watchers.
  await client.wait(
    (await client.run({ command: [program('verified-source'), String(192 * MIB)], size: PTY, env })).id,
  );
  const before = await memory(client);
  const session = await client.run({
    command: ['sh', '-c', `read go; exec ${program('verified-source')} ${192 * MIB}`],
    size: PTY,
    env,
  });
  const { socket } = await client.status();
  const stuck: { close(): void }[] = [];
  for (let n = 0; n < 10; n++) {
    // A watcher whose program does not read on, and one that does not even read its socket.
    const own = await daemon.client();
    const watch = own.watch(session.id, { from: 0 });
    await watch[Symbol.asyncIterator]().next();
    const deaf = createConnection(socket);
    deaf.pause();
    deaf.write(encodeJson(FrameType.hello, 0, { protocol: 1, version: 'test' }));
    deaf.write(encodeJson(FrameType.request, 1, { op: 'watch', session: session.id, from: 0, creditBytes: 16 * MIB }));
    stuck.push(watch, { close: () => deaf.destroy() });
  }
  await client.write(session.id, 'go\r');
  await client.wait(session.id);
  const grown = (await memory(client)) - before;
  expect(grown / MIB).toBeLessThan(32);
  for (const watch of stuck) watch.close();
}, 300_000);

test('[SLOW-1] two hundred watchers of one session all see every byte', async () => {
  await using daemon = new TestDaemon();
  const bytes = 4 * MIB;
  const first = await daemon.client();
  const session = await first.run({
    command: ['sh', '-c', `stty raw -echo; read go; exec ${program('verified-source')} ${bytes} 100 64`],
    size: PTY,
    env,
  });
  const clients = await Promise.all(Array.from({ length: 8 }, () => daemon.client()));
  const watching = Array.from({ length: 200 }, async (_, index) => {
    const stream = new VerifiedStream();
    for await (const item of clients[index % clients.length]!.watch(session.id, { from: 0 })) {
      if (item.type === 'output') stream.push(item.offset, item.bytes);
      if (item.type === 'exit') return { bytes: stream.offset, exitCode: item.exitCode };
    }
    return { bytes: stream.offset, exitCode: null };
  });
  await first.write(session.id, '\n');
  expect(await Promise.all(watching)).toEqual(Array.from({ length: 200 }, () => ({ bytes, exitCode: 7 })));
  // Both processes together; each alone stays well below.
  expect((await memory(first)) / MIB).toBeLessThan(300);
}, 300_000);

/** Resident memory of all our processes, in bytes. */
async function memory(client: Client): Promise<number> {
  const { holder, keeper } = await client.status();
  return [holder.pid, keeper.pid].reduce((sum, pid) => sum + Number.parseInt(statusField(pid, 'VmRSS')) * 1024, 0);
}
