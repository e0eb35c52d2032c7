/**
 * Tests the daemon's own checks with bare frames, because the SDK would refuse some of these requests before they reach the
 * daemon.
 */
import { BareClient, outputOf, program, seen, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { FrameType } from '@spool/protocol';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const MIB = 1024 * 1024;
const env = { PATH: process.env.PATH! };

async function bareClient(daemon: TestDaemon): Promise<BareClient> {
  return BareClient.connect((await (await daemon.client()).status()).socket);
}

test('[ATT-7] what a read-only viewer types is refused by the daemon, and reaches neither the program nor the record', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['cat'], size: PTY, env });
  const bare = await bareClient(daemon);
  await bare.answer(5, { op: 'attach', session: id, creditBytes: MIB, typing: 'one-who-looks', isReadOnly: true });
  bare.type(5, 'not mine to type\r');
  expect(await bare.hears(5, 'input-refused')).toMatchObject({ code: 'NOT_ALLOWED', offset: 17 });
  await client.write(id, 'allowed\r');
  expect(await seen(client, id, 'allowed\r\nallowed')).not.toContain('not mine');
  expect((await client.get(id)).typed).not.toMatchObject({ who: 'a bare client' });
  // The same frames from a viewer that may type do arrive.
  await bare.answer(6, { op: 'attach', session: id, creditBytes: MIB, typing: 'one-who-types' });
  bare.type(6, 'mine\r');
  await seen(client, id, 'mine\r\nmine');
  bare.close();
});

test("[SIZE-1] a read-only viewer's size is not counted by the daemon, neither when it attaches nor later", async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['cat'], size: PTY, env });
  const bare = await bareClient(daemon);
  const size = { cols: 33, rows: 11 };
  const attach = { op: 'attach', session: id, creditBytes: MIB, size };
  await bare.answer(5, { ...attach, typing: 'one-who-looks', isReadOnly: true });
  await bare.hears(5, 'viewers'); // the picture is being sent; the size would be applied now
  await bare.answer(6, { op: 'view', channel: 5, size: { cols: 44, rows: 12 } });
  await bare.answer(7, { ...attach, typing: 'one-with-a-past', isReadOnly: true, historyLines: 10 });
  await bare.hears(7, 'viewers');
  await bare.answer(8, { op: 'status' });
  expect((await client.get(id)).size).toEqual(PTY);
  // The same request from a viewer that may type counts.
  await bare.answer(9, { ...attach, typing: 'one-who-types' });
  await until('its size is applied', async () => (await client.get(id)).size?.cols === 33);
  bare.close();
});

test('[WIRE-3] the daemon sends no byte without credit, and control goes on meanwhile', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: [program('verified-source'), String(4 * MIB)], size: PTY, env });
  await client.wait(id);
  const bare = await bareClient(daemon);
  await bare.answer(5, { op: 'watch', session: id, from: 0, creditBytes: 100_000 });
  await until('what was granted came', () => bare.output(5).length >= 100_000);
  for (let asked = 0; asked < 10; asked++) await bare.answer(100 + asked, { op: 'get', session: id });
  expect(bare.output(5).length).toBe(100_000);
  bare.grant(5, 150_000);
  await until('what was granted came', () => bare.output(5).length >= 150_000);
  await bare.answer(200, { op: 'status' });
  expect(bare.output(5).length).toBe(150_000);
  expect(bare.told(5)).toEqual([]);
  bare.grant(5, 8 * MIB);
  expect(await bare.hears(5, 'exit')).toMatchObject({ offset: 4 * MIB });
  const stream = new VerifiedStream();
  stream.push(0, bare.output(5));
  expect(stream.offset).toBe(4 * MIB);
  bare.close();
});

test('[SLOW-3] a watcher that falls 20 MB behind the child reads on from the log, every byte', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const bytes = 20 * MIB;
  const command = ['sh', '-c', `stty raw -echo; echo ready; read go; exec ${program('verified-source')} ${bytes}`];
  const { id } = await client.run({ command, size: PTY, env });
  const { length } = await seen(client, id, 'ready\n');
  const bare = await bareClient(daemon);
  await bare.answer(5, { op: 'watch', session: id, from: 'end', creditBytes: 16 * MIB });
  bare.grant(5, 64 * MIB);
  await bare.answer(6, { op: 'status' });
  bare.pause();
  await client.write(id, '\n');
  await client.wait(id);
  bare.resume();
  expect(await bare.hears(5, 'exit')).toMatchObject({ offset: length + bytes, exitCode: 7 });
  expect(bare.told(5).map(({ type }) => type)).toEqual(['synced', 'exit']);
  const stream = new VerifiedStream();
  stream.push(0, bare.output(5));
  expect(stream.offset).toBe(bytes);
  expect(bare.frames.some(({ type }) => type === FrameType.snapshot)).toBe(false);
  bare.close();
});

test('[OUT-4] on the wire the tail comes though nothing follows it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `read go; printf 'first '; printf 'tail without an end'; exec sleep 1000`;
  const { id } = await client.run({ command: ['bash', '-c', script], size: null, env });
  const bare = await bareClient(daemon);
  const subscribe = { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id };
  await bare.answer(5, { ...subscribe, flushMs: 100 });
  await bare.answer(6, { ...subscribe, flushMs: 100, chunking: 'line' });
  await bare.answer(7, { ...subscribe, flushMs: 60_000, chunking: 'line' });
  await client.write(id, 'go\n');
  const textOf = (channel: number): string =>
    bare
      .told(channel)
      .map(({ data }) => data)
      .join('');
  await until('both have the tail', () => [5, 6].every((channel) => textOf(channel).endsWith('without an end')));
  expect([textOf(5), textOf(6), textOf(7)]).toEqual(['first tail without an end', 'first tail without an end', '']);
  bare.close();
});

test.each([
  ['exit 3', { exitCode: 3, signal: null, state: 'failed' }],
  ['kill -TERM $$', { exitCode: null, signal: 'SIGTERM', state: 'failed' }],
])('[RUN-3] the end by `%s` reads the same on a watch, in a list, and at the next keeper', async (script, end) => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sh', '-c', `printf x; ${script}`], size: null, env });
  const bare = await bareClient(daemon);
  await bare.answer(5, { op: 'watch', session: id, from: 0, creditBytes: MIB });
  expect(await bare.hears(5, 'exit')).toEqual({ type: 'exit', offset: 1, ...end });
  expect(await client.get(id)).toMatchObject(end);
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  expect(await client.get(id)).toMatchObject({ ...end, offset: 1 });
  expect((await client.list()).find((session) => session.id === id)).toMatchObject(end);
  const again = await bareClient(daemon);
  await again.answer(5, { op: 'watch', session: id, from: 0, creditBytes: MIB });
  expect(await again.hears(5, 'exit')).toEqual({ type: 'exit', offset: 1, ...end });
  bare.close();
  again.close();
});

test("[RUN-1] the caller's TERM and COLORTERM win over the daemon's own and over the default", async () => {
  await using daemon = new TestDaemon({ env: { TERM: 'linux', COLORTERM: 'none-of-yours' } });
  const client = await daemon.client();
  const printed = async (asked: Record<string, string>): Promise<string> => {
    const command = ['sh', '-c', 'echo "$TERM/$COLORTERM"'];
    const { id } = await client.run({ command, size: PTY, env: { ...env, ...asked } });
    await client.wait(id);
    return (await outputOf(client, id)).toString().trim();
  };
  expect(await printed({})).toBe('xterm-256color/truecolor');
  expect(await printed({ TERM: 'vt100', COLORTERM: '24bit' })).toBe('vt100/24bit');
});

test('[WIRE-4] a newer client attaches, and is told when the daemon does not know what to do', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['cat'], name: 'old', size: { cols: 80, rows: 24 }, env });
  const newer = await bareClient(daemon);
  const attach = { op: 'attach', session: id, creditBytes: 65_536, typing: 'abcdefgh', fromTheFuture: { deep: 1 } };
  await newer.answer(1, attach);
  await expect(newer.answer(2, { op: 'prompt', session: id, text: 'x', fromTheFuture: true })).rejects.toMatchObject({
    code: 'REQUEST_UNKNOWN',
  });
  await expect(newer.answer(3, { op: 'fromTheFuture', session: id })).rejects.toMatchObject({
    code: 'REQUEST_UNKNOWN',
  });
});

test('[RUN-1] the same id with another command is refused, with the same request it is the same session', async () => {
  await using daemon = new TestDaemon();
  const client = await bareClient(daemon);
  const ask = { op: 'run', id: 'abcdefgh12', command: ['sleep', '100'], cwd: '/', env, name: 'first' };
  const other = { ...ask, command: ['sleep', '200'], name: undefined };
  // During the start, and after it.
  const [first, again] = [client.answer<{ pid: number }>(1, ask), client.answer<{ pid: number }>(2, ask)];
  await expect(client.answer(3, other)).rejects.toMatchObject({ code: 'ID_TAKEN' });
  expect((await again).pid).toBe((await first).pid);
  await expect(client.answer(4, other)).rejects.toMatchObject({ code: 'ID_TAKEN', details: { session: 'first' } });
  expect((await client.answer<{ pid: number }>(5, ask)).pid).toBe((await first).pid);
});
