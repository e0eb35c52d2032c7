import type { Client } from '@spool/client';
import { BareClient, program, seen, socketRoomBytes, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };
const MIB = 1024 * 1024;
/** The memory limit of a watcher, however slow it is. */
const WATCHER_BYTES_MAX = 256 * 1024;
/** The bytes that the client's own socket reads before it pauses. */
const READ_AHEAD_BYTES = 64 * 1024;

test('[SLOW-2] a watcher that does not read holds at most 256 KiB in the daemon, whatever it is sent', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { socket } = await client.status();
  const bytes = 32 * MIB;
  const { id } = await client.run({ command: waiting(bytes), size: PTY, env });
  await seen(client, id, 'ready');
  const deaf = await Promise.all(Array.from({ length: 10 }, () => BareClient.connect(socket)));
  for (const each of deaf) {
    await each.answer(1, { op: 'watch', session: id, from: 'end', creditBytes: 16 * MIB });
    await each.answer(2, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id });
    each.pause();
  }
  await client.write(id, '\n');
  await client.wait(id);
  // With its session gone there is no more output: later bytes were already in transit.
  await client.remove(id);
  for (const each of deaf) {
    each.resume();
    await each.hears(1, 'removed');
    const held = each.frames.reduce((sum, { payload }) => sum + payload.length, 0);
    expect(held).toBeGreaterThan(0);
    expect(held - socketRoomBytes() - READ_AHEAD_BYTES).toBeLessThan(WATCHER_BYTES_MAX);
    each.close();
  }
}, 300_000);

test('[SLOW-1] of two hundred watchers some are slow and some never read: the child ends, the others see every byte, and the slow ones too', async () => {
  await using daemon = new TestDaemon();
  const bytes = 2 * MIB;
  const first = await daemon.client();
  const session = await first.run({ command: waiting(bytes, '100 64'), size: PTY, env });
  const from = (await seen(first, session.id, 'ready\n')).length;
  const { socket } = await first.status();
  const deaf = await Promise.all(Array.from({ length: 20 }, () => BareClient.connect(socket)));
  for (const each of deaf) {
    await each.answer(1, { op: 'watch', session: session.id, from, creditBytes: 16 * MIB });
    each.pause();
  }
  const clients = await Promise.all(Array.from({ length: 8 }, () => daemon.client()));
  let isOver = false;
  const watchFrom = async (client: Client, isSlow: boolean): Promise<object> => {
    const stream = new VerifiedStream();
    for await (const item of client.watch(session.id, { from, ...(isSlow && { creditBytes: 16 * 1024 }) })) {
      // A slow watcher reads no more before the child is gone and all the others have read all output.
      if (isSlow) await until('the fast ones have ended', () => isOver, 240_000);
      if (item.type === 'output') stream.push(item.offset - from, item.bytes);
      if (item.type === 'exit') return { bytes: stream.offset, exitCode: item.exitCode };
    }
    return { bytes: stream.offset, exitCode: null };
  };
  // The slow ones share their connections with fast ones.
  const slow = Array.from({ length: 20 }, (_, at) => watchFrom(clients[at % 4]!, true));
  const fast = Array.from({ length: 160 }, (_, at) => watchFrom(clients[at % 8]!, false));
  await until('all are there', async () => (await first.get(session.id)).watchers === 200);
  await first.write(session.id, '\n');
  const whole = { bytes, exitCode: 7 };
  expect(await Promise.all(fast)).toEqual(fast.map(() => whole));
  expect(await first.wait(session.id)).toMatchObject({ exitCode: 7, offset: from + bytes });
  isOver = true;
  expect(await Promise.all(slow)).toEqual(slow.map(() => whole));
  for (const each of deaf) {
    expect(each.output(1).length).toBeLessThan(bytes);
    each.resume();
    await each.hears(1, 'exit');
    const stream = new VerifiedStream();
    stream.push(0, each.output(1));
    expect(stream.offset).toBe(bytes);
    each.close();
  }
}, 300_000);

/** Returns a program that prints "ready", waits for a line, and then writes so many bytes. */
function waiting(bytes: number, pace = ''): string[] {
  return ['sh', '-c', `stty raw -echo; echo ready; read go; exec ${program('verified-source')} ${bytes} ${pace}`];
}
