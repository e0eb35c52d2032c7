import { encodeFrame, encodeJson, FrameType, SpoolError } from '@spool/protocol';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { FakeKeeper, type FakeWatcher } from '../../test/fake-keeper.ts';
import { quiet, tick } from '../../test/quiet.ts';
import { type Attachment, type AttachItem, Client } from '../index.ts';

const pattern = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff);

/** Returns the next `count` items. */
async function next(attachment: Attachment, count: number): Promise<AttachItem[]> {
  const items: AttachItem[] = [];
  while (items.length < count) {
    const { done, value } = await attachment.next();
    if (done === true) break;
    items.push(value);
  }
  return items;
}

async function all(attachment: Attachment): Promise<AttachItem[]> {
  const items: AttachItem[] = [];
  for await (const item of attachment) items.push(item);
  return items;
}

/** The options for the bytes as the daemon sends them; viewer-output.test.ts and viewer-input.test.ts cover the rest. */
const EXACT = { filter: 'none', tellsModes: false } as const;

const only = (keeper: FakeKeeper): FakeWatcher => [...keeper.watchers][0]!;
const shown = (items: readonly AttachItem[]): string =>
  items.map((item) => ('bytes' in item ? Buffer.from(item.bytes).toString('latin1') : '')).join('');

test('[ATT-1] first the screen, then every byte after it, then the end', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'the past');
  const client = new Client(keeper);
  const attachment = client.attach('s', {
    ...EXACT,
    size: { cols: 80, rows: 24 },
    historyLines: 3,
    takeover: true,
    creditBytes: 100,
  });
  const items = await next(attachment, 2);
  keeper.print(session, ' and more');
  keeper.end(session, 7);
  items.push(...(await all(attachment)));
  expect(items.map(({ type }) => type)).toEqual(['snapshot', 'synced', 'output', 'exit']);
  expect(shown(items)).toBe('<8> and more');
  expect(keeper.asked[0]).toMatchObject({
    op: 'attach',
    ask: { session: 's', creditBytes: 100, size: { cols: 80, rows: 24 }, historyLines: 3, takeover: true },
  });
  expect(attachment.id).toBe('s');
  expect(attachment.cursor).toBe(17);
  client.close();
});

test('[ATT-2] whatever breaks, each byte is in the last snapshot or comes after it, exactly once', async () => {
  const plan = fc.record({
    prints: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 }),
    creditBytes: fc.integer({ min: 1, max: 1500 }),
    breaks: fc.array(fc.oneof(fc.nat(150), fc.nat(1500)), { maxLength: 6 }),
    chunks: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
    pauses: fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }),
    /** The prints after which the viewer gets a new snapshot. */
    snapshots: fc.array(fc.nat(7), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ prints, creditBytes, breaks, chunks, pauses, snapshots }) => {
      const keeper = new FakeKeeper();
      const session = keeper.session('s', pattern(50));
      let chunk = 0;
      keeper.fate = (dial) => ({
        breakAfterBytes: breaks[dial - 1],
        chunkBytes: () => chunks[chunk++ % chunks.length]!,
      });
      keeper.frameBytesMax = 300;
      const client = new Client(keeper);
      const attachment = client.attach('s', {
        ...EXACT,
        creditBytes,
      });
      const printing = (async () => {
        for (const [at, bytes] of prints.entries()) {
          await tick();
          keeper.print(session, pattern(session.bytes.length + bytes).subarray(session.bytes.length));
          if (snapshots.includes(at)) for (const watcher of keeper.watchers) keeper.snapshot(watcher);
          keeper.pump();
        }
        keeper.end(session, 3);
      })();
      let cursor: number | null = null;
      let last: AttachItem | undefined;
      let items = 0;
      for await (const item of attachment) {
        last = item;
        if (item.type === 'snapshot') cursor = item.offset;
        if (item.type === 'output') {
          expect(item.offset).toBe(cursor);
          const end = item.offset + item.bytes.length;
          expect(Buffer.from(item.bytes).equals(pattern(end).subarray(item.offset))).toBe(true);
          cursor = end;
        }
        for (let turn = 0; turn < pauses[items++ % pauses.length]!; turn++) await tick();
      }
      await printing;
      expect(last).toMatchObject({ type: 'exit', exitCode: 3 });
      expect(cursor).toBe(session.bytes.length);
      client.close();
      expect(keeper.clock.pendingTimers).toBe(0);
    }),
    { numRuns: 150 },
  );
}, 60_000);

test('[SLOW-3] a snapshot makes void what waited before it, and gives the whole window again', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', '');
  const client = new Client(keeper);
  const attachment = client.attach('s', {
    ...EXACT,
    creditBytes: 10,
  });
  expect((await next(attachment, 2)).map(({ type }) => type)).toEqual(['snapshot', 'synced']);
  keeper.print(session, '0123456789 and far more than the credit');
  await quiet(keeper);
  keeper.snapshot(only(keeper));
  keeper.print(session, 'abcdefghij');
  await quiet(keeper);
  expect(shown(await next(attachment, 2))).toBe('<39>abcdefghij');
  keeper.snapshot(only(keeper));
  keeper.snapshot(only(keeper));
  await quiet(keeper);
  keeper.end(session);
  expect(shown(await all(attachment))).toBe('<49>'); // the last of several waiting ones
  expect(keeper.dials).toBe(1);
  client.close();
});

test('[ATT-2] after a break it goes on at its cursor, with its present size; takeover and history were for the first time', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'abc');
  const client = new Client(keeper);
  const attachment = client.attach('s', {
    ...EXACT,
    size: { cols: 80, rows: 24 },
    takeover: true,
    historyLines: 9,
    colours: { background: '#000000' },
  });
  await next(attachment, 2);
  attachment.view({ size: { cols: 100, rows: 30 } });
  attachment.view({ isFocused: true });
  await quiet(keeper);
  expect(keeper.asked.filter(({ op }) => op === 'view').map(({ ask }) => ask)).toEqual([
    { channel: 1, size: { cols: 100, rows: 30 } },
    { channel: 1, isFocused: true },
  ]);
  keeper.hangUp();
  keeper.print(session, 'def');
  expect(shown(await next(attachment, 2))).toBe('def');
  await quiet(keeper);
  const [first, again] = keeper.asked.filter(({ op }) => op === 'attach');
  expect(again!.ask).toEqual({
    session: 's',
    creditBytes: 262_144,
    from: 3,
    size: { cols: 100, rows: 30 },
    colours: { background: '#000000' },
    isReattach: true,
    typing: first!.ask.typing,
  });
  expect(keeper.asked.at(-1)!.ask).toEqual({ channel: expect.any(Number), isFocused: true });
  // A resize without a link is user activity: it is sent once there is a link.
  keeper.hangUp();
  attachment.view({ size: { cols: 70, rows: 20 } });
  await next(attachment, 1);
  await vi.waitFor(
    () => expect(keeper.asked.at(-1)).toMatchObject({ op: 'view', ask: { size: { cols: 70, rows: 20 } } }),
    10_000,
  );
  attachment.close();
  client.close();
});

test('a break before the first snapshot asks for one again', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  for (let cut = 0; cut < 150; cut += 7) {
    keeper.dials = 0;
    keeper.fate = (dial) => (dial === 1 ? { breakAfterBytes: cut } : {});
    const client = new Client(keeper);
    const attachment = client.attach('s', EXACT);
    let item = await attachment.next();
    while (item.value?.type === 'reconnected') item = await attachment.next();
    expect(item.value, `cut after ${cut}`).toMatchObject({ type: 'snapshot', offset: 3 });
    client.close();
  }
});

test('with `from` nothing is painted first: the viewer is there already', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'all of it', { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const items = await all(
    client.attach('s', {
      ...EXACT,
      from: 4,
    }),
  );
  expect(items.map(({ type }) => type)).toEqual(['output', 'synced', 'exit']);
  expect(shown(items)).toBe('of it');
  client.close();
});

test('[IN-1] what is typed arrives exactly once, whatever breaks', async () => {
  const plan = fc.record({
    texts: fc.array(fc.string({ minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 20 }),
    breaks: fc.array(fc.nat(600), { maxLength: 6 }),
    turns: fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }),
    confirms: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ texts, breaks, turns, confirms }) => {
      const keeper = new FakeKeeper();
      const session = keeper.session('s', '');
      keeper.confirmsTyped = confirms;
      keeper.fate = (dial) => ({ breakAfterBytes: breaks[dial - 1] });
      const client = new Client(keeper);
      const attachment = client.attach('s', EXACT);
      const reading = all(attachment);
      let whole = '';
      for (const [at, text] of texts.entries()) {
        const bytes = Buffer.from(text);
        whole += bytes.toString('latin1');
        void attachment.type(bytes);
        for (let turn = 0; turn < turns[at % turns.length]!; turn++) await tick();
        if (at % 7 === 3) keeper.hangUp();
      }
      while (([...keeper.typed.values()][0]?.length ?? 0) < whole.length) await tick();
      await quiet(keeper);
      expect([...keeper.typed.values()]).toEqual([whole]);
      if (confirms) await attachment.settled();
      keeper.end(session);
      await reading;
      client.close();
    }),
    { numRuns: 150 },
  );
}, 60_000);

test('a long paste is cut into frames; beyond a megabyte on its way, typing waits', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  keeper.confirmsTyped = false;
  const client = new Client(keeper);
  const attachment = client.attach('s', EXACT);
  await next(attachment, 1);
  await attachment.type(Buffer.alloc(1000 * 1024, 'a'));
  let isTaken = false;
  const waiting = attachment.type(Buffer.alloc(100 * 1024, 'b')).then(() => (isTaken = true));
  await quiet(keeper);
  const sent = keeper.asked.filter(({ op }) => op === 'input').map(({ ask }) => ask.typed.length as number);
  expect(Math.max(...sent)).toBe(64 * 1024);
  expect(sent.reduce((sum, bytes) => sum + bytes)).toBe(1024 * 1024);
  expect([isTaken, attachment.unconfirmedBytes]).toEqual([false, 1024 * 1024]);
  keeper.confirm(only(keeper), 500 * 1024);
  await waiting;
  keeper.confirm(only(keeper), 1100 * 1024);
  await attachment.settled();
  expect([...keeper.typed.values()][0]).toBe('a'.repeat(1000 * 1024) + 'b'.repeat(100 * 1024));
  attachment.close();
  client.close();
});

test('[IN-2] what the queue refuses is told and not sent again; the stream goes on behind it', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  keeper.confirmsTyped = false;
  const client = new Client(keeper);
  const attachment = client.attach('s', EXACT);
  await next(attachment, 2);
  await attachment.type(Buffer.from('lost'));
  await quiet(keeper);
  keeper.tell(only(keeper), { type: 'input-refused', offset: 4, code: 'INPUT_QUEUE_FULL' });
  expect(await next(attachment, 1)).toEqual([{ type: 'input-refused', offset: 4, code: 'INPUT_QUEUE_FULL' }]);
  await attachment.settled();
  await attachment.type(Buffer.from('kept'));
  await quiet(keeper);
  expect(keeper.asked.at(-1)).toMatchObject({ op: 'input', ask: { offset: 4, typed: 'kept' } });
  attachment.close();
  client.close();
});

test('a keeper that knows less than it had confirmed is not typed at twice', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  const client = new Client(keeper);
  const attachment = client.attach('s', EXACT);
  await next(attachment, 2);
  await attachment.type(Buffer.from('one'));
  await attachment.settled();
  keeper.typed.clear();
  keeper.hangUp();
  void attachment.type(Buffer.from('two'));
  expect(await next(attachment, 2)).toEqual([
    { type: 'reconnected', offset: 0 },
    { type: 'input-refused', offset: 0, code: 'INPUT_UNCONFIRMED' },
  ]);
  await attachment.type(Buffer.from('three'));
  await attachment.settled();
  expect([...keeper.typed.values()]).toEqual(['three']);
  attachment.close();
  client.close();
});

test('[ATT-7] viewers are told; whoever is taken over hears it, and then the end', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  const client = new Client(keeper);
  const attachment = client.attach('s', EXACT);
  await next(attachment, 2);
  const viewers = [{ who: 'cli 1', size: null, isReadOnly: false, since: 1 }];
  keeper.tell(only(keeper), { type: 'viewers', viewers });
  keeper.tell(only(keeper), { type: 'viewers', viewers: [] });
  keeper.tell(only(keeper), { type: 'taken-over', by: 'cli 2' });
  await quiet(keeper);
  expect(await all(attachment)).toEqual([
    { type: 'viewers', viewers: [] },
    { type: 'taken-over', by: 'cli 2' },
  ]);
  await attachment.type(Buffer.from('too late'));
  await attachment.settled();
  client.close();
});

test('[SIZE-8] of the sizes of a window that is dragged, the first and the last are sent, and few between', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  const client = new Client(keeper);
  const attachment = client.attach('s', { ...EXACT, size: { cols: 80, rows: 24 } });
  await next(attachment, 2);
  for (let cols = 81; cols <= 200; cols++) attachment.view({ size: { cols, rows: 24 } });
  const sizes = (): unknown[] => keeper.asked.flatMap(({ op, ask }) => (op === 'view' ? [ask.size] : []));
  await vi.waitUntil(() => sizes().length > 1, 10_000);
  await quiet(keeper);
  expect(sizes()).toEqual([
    { cols: 81, rows: 24 },
    { cols: 200, rows: 24 },
  ]);
  attachment.close();
  client.close();
});

test('[ATT-7] who only looks sends no size and cannot type', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  const client = new Client(keeper);
  const attachment = client.attach('s', {
    ...EXACT,
    isReadOnly: true,
    size: { cols: 1, rows: 1 },
  });
  await next(attachment, 1);
  attachment.view({ size: { cols: 2, rows: 2 } });
  await expect(attachment.type(Buffer.from('x'))).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  await quiet(keeper);
  expect(keeper.asked.map(({ op, ask }) => [op, ask.size, ask.isReadOnly])).toEqual([['attach', undefined, true]]);
  client.close();
});

test('output or a snapshot out of place is a fault: it attaches again at its cursor, and gives up in the end', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  const client = new Client(keeper);
  keeper.answers.attach = ({ channel, ask }, peer) => {
    if (keeper.dials === 1) peer.send(encodeFrame(FrameType.snapshot, channel, Buffer.from('early'), 9));
    peer.send(encodeJson(FrameType.reply, channel, { id: 's', size: null, typedOffset: 0 }));
    if (keeper.dials === 2) peer.send(encodeFrame(FrameType.output, channel, Buffer.from('no screen yet'), 0));
    if (keeper.dials === 3) {
      peer.send(encodeFrame(FrameType.snapshot, channel, Buffer.from('<3>'), 3));
      peer.send(encodeFrame(FrameType.output, channel, Buffer.from('hole'), 4));
    }
    if (keeper.dials > 3) expect(ask.from).toBe(3);
    if (keeper.dials > 3) peer.send(encodeFrame(FrameType.output, channel, Buffer.from('hole'), 4));
    return 'silence';
  };
  const attachment = client.attach('s', EXACT);
  const items: AttachItem[] = [];
  const reading = (async () => {
    for await (const item of attachment) items.push(item);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'FRAME_INVALID' });
  expect(shown(items)).toBe('<3>');
  client.close();
});

test('an unknown session is told, and an abort ends it', async () => {
  const keeper = new FakeKeeper();
  const client = new Client(keeper);
  await expect(all(client.attach('nobody'))).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
  keeper.session('s', '');
  const controller = new AbortController();
  const attachment = client.attach('s', {
    ...EXACT,
    signal: controller.signal,
  });
  await next(attachment, 2);
  const typing = attachment.settled();
  controller.abort(new Error('enough'));
  await expect(attachment.next()).rejects.toThrow('enough');
  await typing;
  await quiet(keeper);
  expect(keeper.ops().at(-1)).toBe('unwatch');
  client.close();
});

test('screen, marks, offsetAt and update ask what they say; marks come in pages', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', '');
  keeper.answers.screen = () => ({ id: 's', offset: 1, content: 'x' });
  keeper.answers.offsetAt = () => ({ offset: 12 });
  const marks = [0, 10, 20, 30].map((offset) => ({ type: 'time', offset, at: offset * 100 }));
  keeper.answers.marks = ({ ask }) => ({
    marks: marks.filter(({ offset }) => offset >= ask.from).slice(0, 2),
    next: ask.from < 20 ? ask.from + 20 : null,
  });
  const client = new Client(keeper, { who: 'test 1' });
  expect(await client.screen('s', { at: { time: 5 }, historyLines: 2 })).toMatchObject({ content: 'x' });
  expect(await client.offsetAt('s', 99)).toBe(12);
  const found: unknown[] = [];
  for await (const mark of client.marks('s')) found.push(mark);
  expect(found).toEqual(marks);
  await client.update('s', { name: 'other' });
  expect(keeper.asked.filter(({ op }) => op !== 'get').map(({ op, ask }) => [op, ask])).toEqual([
    ['screen', { session: 's', at: { time: 5 }, format: 'text', historyLines: 2 }],
    ['offsetAt', { session: 's', time: 99 }],
    ['marks', { session: 's', from: 0 }],
    ['marks', { session: 's', from: 20 }],
    ['update', { session: 's', name: 'other' }],
  ]);
  expect(keeper.helloes).toMatchObject([{ who: 'test 1' }]);
  keeper.answers.marks = () => ({ marks: [], next: 0 });
  await expect(client.marks('s').next()).rejects.toSatisfy((error) => SpoolError.is(error, 'INTERNAL'));
  client.close();
});

test('[ATT-14] what passed an attachment by counts: after a break it continues behind it, and sends again what was not confirmed', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'abc');
  const client = new Client(keeper);
  const attachment = client.attach('s', EXACT);
  await next(attachment, 2);
  const more = attachment.next();
  await quiet(keeper);
  let ends = 0;
  const bypass = attachment.bypass(() => {
    ends++;
    return { outputTo: 5, typedAt: 2, typed: Buffer.from('kl'), typedConfirmed: 3 };
  });
  expect(bypass).toMatchObject({ outputAt: 3, mayType: true, typedAt: 0, typedConfirmed: 0 });
  expect(bypass!.outputMax).toBeGreaterThan(5);
  keeper.print(session, 'de'); // what passed by
  expect(attachment.unconfirmedBytes).toBe(1);
  expect([ends, attachment.cursor]).toEqual([1, 5]);
  keeper.typed.set(keeper.asked.find(({ op }) => op === 'attach')!.ask['typing'] as string, 'ijk');
  keeper.hangUp();
  keeper.print(session, 'f');
  expect((await more).value).toMatchObject({ type: 'reconnected', offset: 5 });
  expect((await attachment.next()).value).toMatchObject({ type: 'output', offset: 5 });
  await quiet(keeper);
  expect([...keeper.typed.values()]).toEqual(['ijkl']);
  client.close();
});

test('[ATT-14] nothing passes by while anything waits: an answer, an item, a reader that is busy, the end', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'abc');
  const client = new Client(keeper);
  const attachment = client.attach('s', EXACT);
  const mayPass = (): boolean => attachment.bypass(() => null) !== null;
  expect(mayPass()).toBe(false); // no answer yet
  await next(attachment, 2);
  expect(mayPass()).toBe(false); // its reader is busy
  const more = attachment.next();
  await quiet(keeper);
  expect(mayPass()).toBe(true);
  keeper.print(session, 'd');
  await more;
  keeper.print(session, 'e');
  await quiet(keeper);
  expect(mayPass()).toBe(false); // an item waits
  attachment.close();
  expect(mayPass()).toBe(false);
  client.close();
});

test('[ATT-14] with a filter, or read-only, keys do not pass by', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'abc');
  const client = new Client(keeper);
  for (const [options, expected] of [
    [{}, undefined],
    [{ ...EXACT, isReadOnly: true }, false],
  ] as const) {
    const attachment = client.attach('s', options);
    while ((await attachment.next()).value?.type !== 'synced');
    void attachment.next().catch(() => {});
    await quiet(keeper);
    expect(attachment.bypass(() => null)?.mayType).toBe(expected);
    attachment.close();
  }
  client.close();
});
