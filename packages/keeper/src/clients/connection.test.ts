import {
  type DaemonEvent,
  encodeFrame,
  encodeHeader,
  encodeInput,
  encodeJson,
  FrameType,
  PROTOCOL_VERSION,
  SpoolError,
  VERSION,
} from '@spool/protocol';
import { expect, test, vi } from 'vitest';
import type { ConnectionHandlers } from './connection.ts';
import { FakeClient, turns } from '../testing/fake-client.ts';

const HELLO = encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION, who: 'ann' });

test('hello is answered with hello, and the client is called as it calls itself', async () => {
  const client = new FakeClient();
  await client.send(HELLO);
  await client.read();
  expect(client.told(FrameType.hello)).toEqual([{ protocol: PROTOCOL_VERSION, version: VERSION }]);
  expect(client.connection.who).toBe('ann');
});

test.each([
  ['no hello first', encodeJson(FrameType.request, 1, { op: 'list' }), 'HELLO_EXPECTED'],
  ['another version', encodeJson(FrameType.hello, 0, { protocol: 999, version: 'x' }), 'VERSION_UNSUPPORTED'],
  ['an unknown type', Buffer.concat([HELLO, encodeHeader(99 as FrameType, 0, 1, 0, 0)]), 'FRAME_UNKNOWN'],
  ['what only a daemon may send', Buffer.concat([HELLO, encodeJson(FrameType.reply, 1, {})]), 'FRAME_INVALID'],
])('[WIRE-2] %s: one typed error, and the connection is closed', async (_what, bytes, code) => {
  const onClose = vi.fn<ConnectionHandlers['onClose']>();
  const client = new FakeClient({ onClose });
  await client.send(bytes);
  await client.read();
  expect(client.told<{ code: string }>(FrameType.error).map((error) => error.code)).toEqual([code]);
  expect(client.isClosed).toBe(true);
  expect(onClose).toHaveBeenCalledTimes(1);
});

test('[WIRE-2] a client that says nothing is sent away after ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const client = new FakeClient();
    vi.advanceTimersByTime(9999);
    await client.read();
    expect(client.isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    await client.read();
    expect(client.told<{ code: string }>(FrameType.error)).toMatchObject([{ code: 'HELLO_EXPECTED' }]);
    expect(client.isClosed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('[EVT-4] a driver that a busy machine loads for a minute is served', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const driver = new FakeClient({}, { driverOf: 'session1' });
    vi.advanceTimersByTime(60_000);
    await driver.read();
    expect(driver.isClosed).toBe(false);
    await driver.send(HELLO);
    await driver.read();
    expect(driver.told(FrameType.hello)).toEqual([{ protocol: PROTOCOL_VERSION, version: VERSION }]);
  } finally {
    vi.useRealTimers();
  }
});

test('requests are answered on their channel: at once, later, by themselves, or with what was thrown', async () => {
  const answers: Record<string, () => unknown> = {
    now: () => ({ is: 'now' }),
    later: async () => ({ is: 'later' }),
    itself: () => undefined,
    thrown: () => {
      throw new SpoolError('SESSION_UNKNOWN', { session: 'x' });
    },
    rejected: () => Promise.reject(new SpoolError('SESSION_NONE')),
  };
  const client = await new FakeClient({
    onRequest: (_from, _channel, request) => answers[(request as { op: string }).op]!(),
  }).hello();
  await client.send(...Object.keys(answers).map((op, at) => encodeJson(FrameType.request, at + 1, { op })));
  await client.read();
  const said = client.frames.map(({ type, channel, payload }) => [
    channel,
    type === FrameType.error,
    (JSON.parse(Buffer.from(payload).toString()) as { code?: string; is?: string }).code ??
      (JSON.parse(Buffer.from(payload).toString()) as { is?: string }).is,
  ]);
  expect(said.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
    [1, false, 'now'],
    [2, false, 'later'],
    [4, true, 'SESSION_UNKNOWN'],
    [5, true, 'SESSION_NONE'],
  ]);
});

test('[SCR-9] a slow request learns that its client has left, and the next one is not run', async () => {
  const client = await new FakeClient().hello();
  const next = vi.fn<() => Promise<void>>();
  const left = Promise.withResolvers<void>();
  const first = client.connection.inTurn((signal) => {
    signal.addEventListener('abort', () => left.resolve());
    return left.promise;
  });
  const second = client.connection.inTurn(next).catch((error: unknown) => error);
  await turns();
  client.connection.close();
  await first;
  expect(await second).toMatchObject({ code: 'CONNECTION_LOST' });
  expect(next).not.toHaveBeenCalled();
});

test('[IN-1] input is acknowledged when it is in the terminal, and refused with a typed error', async () => {
  const typed: string[] = [];
  const inTerminal = Promise.withResolvers<void>();
  const client = await new FakeClient({
    onInput: (_from, session, bytes) => {
      typed.push(`${session} ${Buffer.from(bytes).toString()}`);
      return session === 'full' ? Promise.reject(new SpoolError('INPUT_QUEUE_FULL')) : inTerminal.promise;
    },
  }).hello();
  const input = (channel: number, session: string, text: string): Uint8Array =>
    encodeFrame(FrameType.input, channel, encodeInput(session, Buffer.from(text)));
  await client.send(input(1, 'abc', 'x\0y'), input(2, 'full', 'z'));
  await client.read();
  expect(typed).toEqual(['abc x\0y', 'full z']);
  expect(client.frames.map(({ type, channel }) => [type, channel])).toEqual([[FrameType.error, 2]]);
  inTerminal.resolve();
  await client.readUntil('it is acknowledged', () => client.frames.length === 2);
  expect(client.frames[1]).toMatchObject({ type: FrameType.reply, channel: 1 });
});

test('[SLOW-2] a client that does not read events costs no more than a frame, and is told that some are missing', async () => {
  const client = await new FakeClient().hello();
  const { connection } = client;
  const event: DaemonEvent = { type: 'log-failed', at: 1, id: 'abc', offset: 0, error: 'x'.repeat(1000) };
  for (let n = 0; n < 20_000; n++) {
    connection.event(1, event);
    if (n % 100 === 0) await turns(1);
  }
  const told = (): readonly { type: string }[] => client.told<{ type: string }>();
  await client.readUntil('it is told of what is missing', () => told().at(-1)?.type === 'events-missed');
  const kept = client.frames.reduce((sum, { payload }) => sum + payload.length, 0);
  expect(kept).toBeLessThan(1024 * 1024); // of 20 MB: the part that the kernel took, 128 KiB and one event
  expect(told().at(-1)).toMatchObject({ type: 'events-missed', reason: 'slow-reader' });
  client.frames.length = 0;
  connection.event(1, event);
  await client.read();
  expect(client.told<DaemonEvent>()).toEqual([event]);
});

test('[SLOW-2] a client that asks and does not read its answers is not read any further', async () => {
  let asked = 0;
  const answer = { text: 'x'.repeat(10_000) };
  const client = await new FakeClient({
    onRequest: () => {
      asked++;
      return answer;
    },
  }).hello();
  const request = encodeJson(FrameType.request, 1, { op: 'get' });
  for (let n = 0; n < 300; n++) await client.send(request);
  expect(asked * 10_000).toBeLessThan(2 * 1024 * 1024);
  await client.readUntil('all are answered', () => client.frames.length === 300);
  expect(asked).toBe(300);
});

test('[WIRE-3] a watcher waits while the connection is full, and answers still come after what is on its way', async () => {
  const client = await new FakeClient({ onRequest: () => ({ ok: true }) }).hello();
  const { connection } = client;
  const part = new Uint8Array(64 * 1024);
  let sent = 0;
  while (!connection.isFull) {
    connection.output(1, 0, sent, part);
    sent += part.length;
    await turns(1);
  }
  await client.send(encodeFrame(FrameType.request, 9, Buffer.from('{"op":"get"}')));
  await client.readUntil('the answer came', () => client.frames.some(({ channel }) => channel === 9));
  expect(client.frames.findIndex(({ channel }) => channel === 9)).toBeLessThanOrEqual(sent / part.length);
});
