import { createConnection, type Socket } from 'node:net';
import { ERROR_CODES, encodeFrame, encodeJson, FrameReader, FrameType, HEADER_BYTES } from '@spool/protocol';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const HELLO = encodeJson(FrameType.hello, 0, { protocol: 1, version: 'test' });

const HOSTILE: readonly (readonly [string, Uint8Array])[] = [
  ['plain text', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ['zeros', Buffer.alloc(4096)],
  ['random bytes', Buffer.from(Array.from({ length: 65536 }, (_, i) => (i * 7919 + (i >> 3)) & 255))],
  ['no hello first', encodeJson(FrameType.request, 1, { op: 'list' })],
  ['hello of another version', encodeJson(FrameType.hello, 0, { protocol: 999, version: 'x' })],
  ['hello that is not JSON', encodeFrame(FrameType.hello, 0, Buffer.from('{'))],
  ['hello that is null', encodeJson(FrameType.hello, 0, null)],
  ['a frame of 4 GiB', Buffer.concat([HELLO, header(0xffffffff, FrameType.request)])],
  ['a control frame over the limit', Buffer.concat([HELLO, header(1024 * 1024 + 1, FrameType.request)])],
  ['an input frame over the limit', Buffer.concat([HELLO, header(70_000, FrameType.input)])],
  ['an unknown type', Buffer.concat([HELLO, header(0, 99)])],
  ['a frame that only a daemon may send', Buffer.concat([HELLO, encodeJson(FrameType.reply, 1, {})])],
];

test.each(HOSTILE)('[WIRE-2] %s: a typed error, then the end of the connection', async (_name, bytes) => {
  await using daemon = new TestDaemon();
  const { socket } = await (await daemon.client()).status();
  const { errors, isEndedByDaemon } = await exchange(socket, bytes);
  expect(isEndedByDaemon).toBe(true);
  expect(errors.every(({ code }) => /^[A-Z_]+$/.test(code))).toBe(true);
  expect(errors.length).toBe(1);
  expect((await (await daemon.client()).status()).keeper.pid).toBeGreaterThan(0);
});

test('[WIRE-2] only what a later daemon might know speaks of versions', async () => {
  await using daemon = new TestDaemon();
  const { socket } = await (await daemon.client()).status();
  const requests = [{ op: 'no-such' }, { op: 'get', session: 'x', extra: 1 }, { op: 'get', session: 5 }];
  const frames = requests.map((request, at) => encodeJson(FrameType.request, at + 1, request));
  const status = encodeJson(FrameType.request, 999, { op: 'status' });
  const { errors } = await exchange(socket, Buffer.concat([HELLO, ...frames, status]), 999);
  expect(errors.map(({ code }) => code)).toEqual(['REQUEST_UNKNOWN', 'REQUEST_UNKNOWN', 'REQUEST_INVALID']);
  expect(ERROR_CODES.REQUEST_INVALID).not.toMatch(/version|older/);
});

test('[WIRE-2] requests that are nonsense are answered one by one with typed errors, and the connection goes on', async () => {
  await using daemon = new TestDaemon();
  const { socket } = await (await daemon.client()).status();
  const requests: unknown[] = [
    null,
    42,
    'list',
    [],
    {},
    { op: 'no-such' },
    { op: '__proto__' },
    { op: 'constructor' },
    { op: 'get' },
    { op: 'get', session: 5 },
    { op: 'get', session: 'x', extra: 1 },
    { op: 'run', id: '../../etc', command: ['true'], cwd: '/', env: {} },
    { op: 'run', id: 'abcdefgh', command: [], cwd: '/', env: {} },
    { op: 'run', id: 'abcdefgh', command: ['a\0b'], cwd: '/', env: {} },
    { op: 'run', id: 'abcdefgh', command: ['true'], cwd: 'relative', env: {} },
    { op: 'run', id: 'abcdefgh', command: ['true'], cwd: '/', env: { 'A=B': 'x' } },
    { op: 'resize', session: '', cols: 0, rows: 1 },
    { op: 'watch', session: '', from: -1, creditBytes: 1 },
    JSON.parse('{"op":"run","__proto__":{"polluted":1},"id":"abcdefgh","command":["true"],"cwd":"/","env":{}}'),
  ];
  const frames = requests.map((request, at) => encodeJson(FrameType.request, at + 1, request));
  const status = encodeJson(FrameType.request, 999, { op: 'status' });
  const { errors, replies, isEndedByDaemon } = await exchange(socket, Buffer.concat([HELLO, ...frames, status]), 999);
  expect(errors.map(({ channel }) => channel).toSorted((a, b) => a - b)).toEqual(requests.map((_, at) => at + 1));
  expect([replies.has(999), isEndedByDaemon]).toEqual([true, false]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('[WIRE-2] half frames, a million tiny ones and a client that never reads: memory stays bounded and others are served', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { socket, keeper } = await client.status();
  const rss = (): number => Number.parseInt(statusField(keeper.pid, 'VmRSS')) / 1024;
  const before = rss();
  const open: Socket[] = [];
  // Two hundred connections that promise a megabyte each and stop halfway.
  for (let n = 0; n < 200; n++) {
    const half = createConnection(socket);
    half.on('error', () => {});
    half.write(Buffer.concat([HELLO, header(1024 * 1024, FrameType.request), Buffer.alloc(1000)]));
    open.push(half);
  }
  // One connection that asks a million times and never reads an answer.
  const deaf = createConnection(socket);
  deaf.on('error', () => {});
  deaf.pause();
  open.push(deaf);
  deaf.write(HELLO);
  const tiny = Buffer.concat(
    Array.from({ length: 1000 }, (_, at) => encodeJson(FrameType.request, at, { op: 'get', session: 'x' })),
  );
  for (let n = 0; n < 1000 && !deaf.writableNeedDrain; n++) deaf.write(tiny);
  // One connection that sends a million frames which need no answer at all.
  const chatty = createConnection(socket);
  chatty.on('error', () => {});
  open.push(chatty);
  chatty.write(HELLO);
  const credits = Buffer.concat(
    Array.from({ length: 10_000 }, (_, at) => encodeFrame(FrameType.credit, at, new Uint8Array(0), 1)),
  );
  for (let n = 0; n < 100; n++)
    if (!chatty.write(credits)) await new Promise((resolve) => chatty.once('drain', resolve));
  for (let n = 0; n < 50; n++) await client.list();
  // Half a frame may cost the memory that it promised, and no more.
  expect(rss() - before).toBeLessThan(200 + 64);
  for (const each of open) each.destroy();
  await until('the connections are gone', async () => (await client.status()).keeper.pid === keeper.pid);
});

function header(bytes: number, type: number): Uint8Array {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32BE(bytes, 0);
  head[4] = type;
  return head;
}

/** Sends bytes; collects the answer until the daemon ends the connection, or until `untilChannel` is answered. */
async function exchange(
  socket: string,
  bytes: Uint8Array,
  untilChannel?: number,
): Promise<{ errors: { channel: number; code: string }[]; replies: Set<number>; isEndedByDaemon: boolean }> {
  const errors: { channel: number; code: string }[] = [];
  const replies = new Set<number>();
  const reader = new FrameReader();
  // Half open: an end by the daemon is detected as one, and does not follow from ours.
  const connection = createConnection({ path: socket, allowHalfOpen: true });
  let isEndedByDaemon = false;
  connection.on('data', (chunk) => {
    reader.push(chunk, ({ type, channel, payload }) => {
      if (type === FrameType.error)
        errors.push({ channel, code: (JSON.parse(Buffer.from(payload).toString()) as { code: string }).code });
      if (type === FrameType.reply) replies.add(channel);
    });
  });
  connection.on('error', () => (isEndedByDaemon = true)); // a reset is an end too
  connection.on('end', () => (isEndedByDaemon = true));
  connection.write(bytes);
  const isOver = (): boolean => isEndedByDaemon || (untilChannel !== undefined && replies.has(untilChannel));
  await until('the daemon ends the connection, or answers', isOver).catch(() => {}); // the caller checks the answer
  connection.destroy();
  return { errors, replies, isEndedByDaemon };
}
