import { encodeFrame, encodeJson, FrameType, SpoolError } from '@spool/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { quiet, tick } from '../../test/quiet.ts';
import { Client, CREDIT_BYTES, type Watch, type WatchItem } from '../index.ts';

const KiB = 1024;

/** Returns bytes that identify their place, so that a misplaced byte is noticed. */
const pattern = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff);

test('[ATT-2] whatever breaks, and at whichever byte, everything arrives exactly once', async () => {
  const plan = fc.record({
    bytes: fc.integer({ min: 0, max: 3000 }),
    frameBytesMax: fc.integer({ min: 1, max: 700 }),
    creditBytes: fc.integer({ min: 1, max: 1500 }),
    /** The number of bytes towards us after which each connection breaks; the last one lives. */
    breaks: fc.array(fc.oneof(fc.nat(150), fc.nat(1500)), { maxLength: 8 }),
    chunks: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
    from: fc.oneof(fc.constant('start' as const), fc.nat(200), fc.record({ tailBytes: fc.nat(2000) })),
    mixesStreams: fc.boolean(),
    /** The number of items after which the reader pauses. */
    pauses: fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }),
    printedLater: fc.nat(500),
  });
  await fc.assert(
    fc.asyncProperty(
      plan,
      async ({ bytes, frameBytesMax, creditBytes, breaks, chunks, from, mixesStreams, pauses, printedLater }) => {
        const keeper = new FakeKeeper();
        const all = pattern(bytes + printedLater);
        const session = keeper.session('s', all.subarray(0, bytes), { isStderr: (at) => mixesStreams && at % 97 > 60 });
        let chunk = 0;
        const chunkBytes = (): number => chunks[chunk++ % chunks.length]!;
        keeper.fate = (dial) => ({ breakAfterBytes: breaks[dial - 1], chunkBytes });
        keeper.frameBytesMax = frameBytesMax;
        const client = new Client(keeper);
        const start =
          from === 'start' ? 0 : typeof from === 'number' ? Math.min(from, bytes) : Math.max(0, bytes - from.tailBytes);
        const items: WatchItem[] = [];
        for await (const item of client.watch('s', { from: typeof from === 'number' ? start : from, creditBytes })) {
          items.push(item);
          for (let turn = 0; turn < pauses[items.length % pauses.length]!; turn++) await tick();
          if (item.type === 'synced') {
            keeper.print(session, all.subarray(bytes));
            keeper.end(session, 7);
          }
        }
        client.close();

        expect(Buffer.from(joined(items, start)).equals(all.subarray(start))).toBe(true);
        for (const item of items) {
          if (item.type === 'output') expect(item.stream).toBe(session.isStderr(item.offset) ? 'stderr' : 'stdout');
        }
        const told = items.filter(({ type }) => type !== 'output' && type !== 'reconnected');
        const end = all.length;
        expect(told).toEqual([
          { type: 'synced', offset: expect.any(Number) },
          { type: 'exit', offset: end, state: 'failed', exitCode: 7, signal: null },
        ]);
        expect(items.at(-1)).toEqual(told[1]);
        expect(items.filter(({ type }) => type === 'reconnected').length).toBeLessThanOrEqual(breaks.length);
        expect(keeper.clock.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);

test('[ATT-2] a break at every single byte of the answer, one after the other, loses nothing', async () => {
  const text = 'hello, world';
  for (let cut = 0; cut < 400; cut++) {
    const keeper = new FakeKeeper();
    keeper.session('s', text, { exit: { exitCode: 0, signal: null } });
    keeper.fate = (dial) => (dial === 1 ? { breakAfterBytes: cut } : {});
    keeper.frameBytesMax = 5;
    const client = new Client(keeper);
    const items = await all(client.watch('s'));
    expect([cut, Buffer.from(joined(items)).toString(), items.at(-1)!.type]).toEqual([cut, text, 'exit']);
    client.close();
  }
});

test('[ATT-2] bytes that were dropped during a break are told as a gap, and the rest follows', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', pattern(100));
  const client = new Client(keeper);
  const watch = client.watch('s', { creditBytes: 40 });
  expect(await take(watch, 1)).toMatchObject([{ type: 'output', offset: 0, bytes: { length: 40 } }]);
  session.firstOffset = 80;
  keeper.hangUp();
  keeper.end(session);
  const items = await all(watch);
  expect(items.filter(({ type }) => type !== 'output')).toEqual([
    { type: 'reconnected', offset: 40 },
    { type: 'gap', from: 40, to: 80, reason: 'retention' },
    { type: 'synced', offset: 100 },
    expect.objectContaining({ type: 'exit', offset: 100 }),
  ]);
  expect(joined(items, 40)).toEqual(pattern(100).subarray(80));
  client.close();
});

test('a gap wider than the credit does not stall the watch', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', pattern(100_000), { firstOffset: 90_000, exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const items = await all(client.watch('s', { from: 0, creditBytes: 100 }));
  expect(items[0]).toEqual({ type: 'gap', from: 0, to: 90_000, reason: 'retention' });
  expect(joined(items, 90_000)).toEqual(pattern(100_000).subarray(90_000));
  client.close();
});

test('[ATT-3] the end is told once, with its code and the last offset, and ends the loop', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'bye', { exit: { exitCode: 3, signal: null } });
  const client = new Client(keeper);
  const watch = client.watch('s');
  expect((await all(watch)).slice(-1)).toEqual([
    { type: 'exit', offset: 3, state: 'failed', exitCode: 3, signal: null },
  ]);
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  expect(keeper.ops()).toEqual(['watch']); // not cancelled: the other side has ended it
  client.close();
});

test('a session that is removed ends its watch', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'x');
  const client = new Client(keeper);
  const watch = client.watch('s');
  await take(watch, 2);
  for (const watcher of keeper.watchers) keeper.tell(watcher, { type: 'removed' });
  expect(await all(watch)).toEqual([{ type: 'removed' }]);
  client.close();
});

test('[SLOW-2] a reader that does not read is sent its credit and no more, and then reads everything', async () => {
  const keeper = new FakeKeeper();
  const bytes = pattern(4 * 1024 * KiB);
  keeper.session('s', bytes, { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const watch = client.watch('s');
  await quiet(keeper);
  const [watcher] = keeper.watchers;
  expect(watcher!.cursor).toBe(CREDIT_BYTES);
  const items = await all(watch);
  expect(Buffer.from(joined(items)).equals(bytes)).toBe(true);
  // Credit is given by half windows: often enough to flow, not for each piece.
  const grants = keeper.asked.filter(({ op }) => op === 'credit').length;
  expect(grants).toBeLessThanOrEqual((2 * bytes.length) / CREDIT_BYTES);
  client.close();
});

test.each([100, 4095, 4096, 10_000])(
  'what waits is a copy: frames of %d bytes survive the buffer that they came in',
  async (frameBytesMax) => {
    const keeper = new FakeKeeper();
    const bytes = pattern(200 * KiB);
    keeper.session('s', bytes, { exit: { exitCode: 0, signal: null } });
    keeper.frameBytesMax = frameBytesMax;
    const client = new Client(keeper);
    const watch = client.watch('s');
    await quiet(keeper);
    expect(Buffer.from(joined(await all(watch))).equals(bytes)).toBe(true);
    client.close();
  },
);

test('[SLOW-2] a quarter of a million frames of one byte wait as a few pieces, not as objects', async () => {
  const keeper = new FakeKeeper();
  const bytes = pattern(CREDIT_BYTES);
  keeper.session('s', bytes, { exit: { exitCode: 0, signal: null } });
  keeper.frameBytesMax = 1;
  const client = new Client(keeper);
  const watch = client.watch('s');
  await quiet(keeper);
  const items = await all(watch);
  expect(Buffer.from(joined(items)).equals(bytes)).toBe(true);
  expect(items.length).toBeLessThan(40);
  client.close();
});

test('[SLOW-2] pieces that cannot be joined are bounded too: the watch is left, and taken up again at its cursor', async () => {
  const keeper = new FakeKeeper();
  const bytes = pattern(20_000);
  const session = keeper.session('s', bytes, { isStderr: (at) => at % 2 === 1, exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const watch = client.watch('s');
  await quiet(keeper);
  expect(keeper.ops()).toEqual(['watch', 'unwatch']);
  const items = await all(watch);
  expect(joined(items)).toEqual(bytes);
  for (const item of items)
    if (item.type === 'output') expect(item.stream).toBe(session.isStderr(item.offset) ? 'stderr' : 'stdout');
  expect(items.map(({ type }) => type)).not.toContain('reconnected');
  expect(keeper.dials).toBe(1);
  client.close();
});

test('[SLOW-2] a window that is dragged for ever while nobody reads is one size in the end', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'x');
  const client = new Client(keeper);
  const watch = client.watch('s');
  await quiet(keeper);
  const [watcher] = keeper.watchers;
  for (let cols = 1; cols <= 5000; cols++) keeper.tell(watcher!, { type: 'resized', offset: 1, cols, rows: 24 });
  await quiet(keeper);
  expect((await take(watch, 3)).slice(2)).toEqual([{ type: 'resized', offset: 1, cols: 5000, rows: 24 }]);
  watch.close();
  client.close();
});

test('[WIRE-3] a watch that nobody reads delays neither answers nor another watch', async () => {
  const keeper = new FakeKeeper();
  keeper.session('stuck', pattern(1024 * KiB));
  const bytes = pattern(1024 * KiB);
  keeper.session('read', bytes, { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const stuck = client.watch('stuck');
  await quiet(keeper);
  expect((await client.list()).length).toBe(2);
  expect(Buffer.from(joined(await all(client.watch('read')))).equals(bytes)).toBe(true);
  expect((await client.get('stuck')).id).toBe('stuck');
  expect(keeper.dials).toBe(1);
  stuck.close();
  client.close();
});

test('[ATT-2] after a break a watch that was opened by name goes on with the same session, not with its successor', async () => {
  const keeper = new FakeKeeper();
  const first = keeper.session('aaaa', 'first', { name: 'web' });
  const client = new Client(keeper);
  const watch = client.watch('web');
  await take(watch, 2);
  keeper.session('bbbb', 'second', { name: 'web' });
  keeper.hangUp();
  keeper.print(first, '!');
  keeper.end(first);
  expect(Buffer.from(joined(await all(watch), 5)).toString()).toBe('!');
  expect(keeper.asked.filter(({ op }) => op === 'watch').map(({ ask }) => [ask.session, ask.from])).toEqual([
    ['web', 'start'],
    ['aaaa', 5],
  ]);
  client.close();
});

test('[ATT-2] a watch from the end that breaks before the first byte misses none of those printed meanwhile', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'before');
  const client = new Client(keeper);
  const watch = client.watch('s', { from: 'end' });
  expect(await take(watch, 1)).toEqual([{ type: 'synced', offset: 6 }]);
  keeper.hangUp();
  keeper.print(session, 'after');
  keeper.end(session);
  expect(Buffer.from(joined(await all(watch), 6)).toString()).toBe('after');
  client.close();
});

test('what a full queue holds is not asked for again: credit after a break is for the room that is left', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', pattern(1000), { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const watch = client.watch('s', { creditBytes: 100 });
  await quiet(keeper);
  keeper.hangUp();
  await quiet(keeper);
  expect(keeper.asked.filter(({ op }) => op === 'watch').map(({ ask }) => [ask.from, ask.creditBytes])).toEqual([
    ['start', 100],
    [100, 0],
  ]);
  expect(joined(await all(watch))).toEqual(pattern(1000));
  client.close();
});

test.each([
  ['bytes that we have already', (at: number) => encodeFrame(FrameType.output, 1, Buffer.from('xx'), at - 1)],
  ['bytes after a hole', (at: number) => encodeFrame(FrameType.output, 1, Buffer.from('xx'), at + 1)],
  [
    'a gap after a hole',
    (at: number) => encodeJson(FrameType.event, 1, { type: 'gap', from: at + 1, to: at + 9, reason: 'disk' }),
  ],
  [
    'a gap that leads back',
    (at: number) => encodeJson(FrameType.event, 1, { type: 'gap', from: at, to: at - 2, reason: 'disk' }),
  ],
  [
    'an end with bytes missing',
    (at: number) =>
      encodeJson(FrameType.event, 1, { type: 'exit', offset: at + 1, state: 'exited', exitCode: 0, signal: null }),
  ],
  ['a second answer', () => encodeJson(FrameType.reply, 1, { id: 's', from: 0, offset: 0 })],
  ['a frame that only we may send', () => encodeFrame(FrameType.credit, 1)],
  ['noise', () => new Uint8Array(40).fill(0xff)],
  ['an event that is not JSON', () => encodeFrame(FrameType.event, 1, Buffer.from('{'))],
])('%s: the connection is given up, and the watch goes on rightly at its cursor', async (_what, wrong) => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'abcdef');
  const client = new Client(keeper);
  const watch = client.watch('s');
  const before = await take(watch, 2);
  for (const peer of keeper.peers) peer.send(wrong(6));
  await quiet(keeper);
  keeper.print(session, 'ghi');
  keeper.end(session);
  const items = [...before, ...(await all(watch))];
  expect(Buffer.from(joined(items)).toString()).toBe('abcdefghi');
  expect(items.map(({ type }) => type)).toEqual(['output', 'synced', 'reconnected', 'output', 'exit']);
  expect(keeper.dials).toBe(2);
  client.close();
});

test('a watch that is closed after the end drops what still waits', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc', { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const watch = client.watch('s');
  await quiet(keeper);
  watch.close();
  expect(await all(watch)).toEqual([]);
  client.close();
});

test('a keeper that only ever talks nonsense on a watch is given up, however often it is dialled', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  keeper.answers.watch = ({ channel }, peer) => {
    peer.send(encodeJson(FrameType.reply, channel, { id: 's', from: 0, offset: 3 }));
    peer.send(encodeFrame(FrameType.event, channel, Buffer.from('{')));
    return 'silence';
  };
  const client = new Client(keeper);
  await expect(all(client.watch('s'))).rejects.toMatchObject({ code: 'FRAME_INVALID' });
  expect(keeper.dials).toBe(3);
  client.close();
});

test('an answer that begins elsewhere than asked is not believed', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abcdef', { exit: { exitCode: 0, signal: null } });
  keeper.answers.watch = (asked, peer) => {
    delete keeper.answers.watch;
    return keeper.watch({ ...asked, ask: { ...asked.ask, from: 2 } }, peer);
  };
  const client = new Client(keeper);
  expect(Buffer.from(joined(await all(client.watch('s', { from: 0 })))).toString()).toBe('abcdef');
  expect(keeper.dials).toBe(2);
  client.close();
});

test('an answer for another session is not believed, and ends the watch', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  keeper.session('t', 'abcdef');
  const client = new Client(keeper);
  const watch = client.watch('s');
  await take(watch, 2);
  keeper.answers.watch = (asked, peer) => keeper.watch({ ...asked, ask: { ...asked.ask, session: 't' } }, peer);
  keeper.hangUp();
  await expect(all(watch)).rejects.toMatchObject({ code: 'INTERNAL', details: { asked: 's', answered: 't' } });
  client.close();
});

test('a keeper that never keeps to the credit is found out, and the reader is told instead of its memory filled', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', pattern(1024 * KiB));
  keeper.keepsCredit = false;
  const client = new Client(keeper);
  const watch = client.watch('s', { creditBytes: 10 * KiB });
  await quiet(keeper);
  await expect(all(watch)).rejects.toMatchObject({ code: 'FRAME_INVALID' });
  expect(keeper.dials).toBeLessThanOrEqual(4);
  client.close();
});

test.each(['SESSION_UNKNOWN', 'SESSION_AMBIGUOUS', 'NOT_ALLOWED', 'INTERNAL'] as const)(
  '%s is final: told, and not tried again',
  async (code) => {
    const keeper = new FakeKeeper();
    keeper.answers.watch = () => new SpoolError(code, { session: 'x' });
    const client = new Client(keeper);
    await expect(all(client.watch('x'))).rejects.toMatchObject({ code });
    await quiet(keeper);
    expect([keeper.ops(), keeper.dials]).toEqual([['watch'], 1]);
    client.close();
  },
);

test('a session that is gone after a break ends the watch with what is known of it', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  const client = new Client(keeper);
  const watch = client.watch('s');
  await take(watch, 2);
  keeper.sessions.delete('s');
  keeper.hangUp();
  await expect(all(watch)).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
  client.close();
});

test('a daemon that says it stops is believed: the watch ends and nothing is dialled', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  const client = new Client(keeper);
  const watch = client.watch('s');
  await take(watch, 2);
  for (const peer of keeper.peers) {
    peer.send(encodeJson(FrameType.error, 0, { code: 'DAEMON_STOPPING', details: {} }));
    await quiet(keeper);
    peer.close();
  }
  await expect(all(watch)).rejects.toMatchObject({ code: 'DAEMON_STOPPING' });
  await quiet(keeper);
  expect(keeper.dials).toBe(1);
  client.close();
});

test('leaving the loop leaves the watch, and frames still under way do no harm', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', pattern(500 * KiB));
  const client = new Client(keeper);
  for await (const item of client.watch('s')) if (item.type === 'output') break;
  await quiet(keeper);
  expect([keeper.watchers.size, keeper.ops().includes('unwatch')]).toEqual([0, true]);
  expect(await client.list()).toHaveLength(1);
  expect(keeper.dials).toBe(1);
  client.close();
});

test('an aborted watch throws the reason, now and not after what waits', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', pattern(500 * KiB));
  const client = new Client(keeper);
  const controller = new AbortController();
  const watch = client.watch('s', { signal: controller.signal });
  await take(watch, 1);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(watch.next()).rejects.toBe(reason);
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  await quiet(keeper);
  expect(keeper.watchers.size).toBe(0);
  await expect(all(client.watch('s', { signal: controller.signal }))).rejects.toBe(reason);
  client.close();
});

test('a watch may be aborted while there is no link', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  const client = new Client(keeper);
  const controller = new AbortController();
  const watch = client.watch('s', { signal: controller.signal });
  await take(watch, 2);
  keeper.fate = () => new SpoolError('CONNECTION_LOST');
  keeper.hangUp();
  await tick();
  controller.abort();
  await expect(watch.next()).rejects.toMatchObject({ name: 'AbortError' });
  client.close();
});

test('closing the client ends its watches without an error', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  const client = new Client(keeper);
  const watch = client.watch('s');
  await take(watch, 2);
  const rest = all(watch);
  client.close();
  expect(await rest).toEqual([]);
  expect(await all(client.watch('s'))).toEqual([]);
  expect(keeper.clock.pendingTimers).toBe(0);
});

test('a watch knows its session and where its reader stands', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abcdef', { name: 'web' });
  const client = new Client(keeper);
  const watch = client.watch('web', { creditBytes: 4 });
  expect([watch.id, watch.cursor]).toEqual([undefined, undefined]);
  await quiet(keeper);
  expect([watch.id, watch.cursor]).toEqual(['s', 0]);
  await take(watch, 1);
  expect(watch.cursor).toBe(4);
  watch.close();
  keeper.session('old', pattern(100), { firstOffset: 90 });
  const gapped = client.watch('old', { from: 10 });
  expect(await take(gapped, 1)).toMatchObject([{ type: 'gap' }]);
  expect(gapped.cursor).toBe(90);
  gapped.close();
  client.close();
});

async function all(watch: Watch): Promise<WatchItem[]> {
  const items: WatchItem[] = [];
  for await (const item of watch) items.push(item);
  return items;
}

async function take(watch: Watch, count: number): Promise<WatchItem[]> {
  const items: WatchItem[] = [];
  while (items.length < count) items.push((await watch.next()).value!);
  return items;
}

/** Joins the output, which must start at `start` (or after a gap) and continue without a hole. */
function joined(items: readonly WatchItem[], start = 0): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = start;
  for (const item of items) {
    if (item.type === 'gap') at = item.to;
    if (item.type === 'reconnected') expect(item.offset).toBe(at);
    if (item.type !== 'output') continue;
    expect(item.offset).toBe(at);
    expect(item.bytes.length).toBeGreaterThan(0);
    at += item.bytes.length;
    parts.push(item.bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}
