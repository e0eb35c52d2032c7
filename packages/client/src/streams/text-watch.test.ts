import { encodeJson, FrameType, SpoolError, toWireError } from '@spool/protocol';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { quiet, tick } from '../../test/quiet.ts';
import { Client, CREDIT_BYTES, type TextItem, type TextWatch, type TextWatchOptions } from '../index.ts';

// Loaded before the tests: this takes real time, which the fake clock does not see.
beforeAll(async () => void (await import('@spool/vt')));

/** Creates a keeper with one session, and collects all items of a watch of its text, with their times. */
function watched(options: TextWatchOptions = {}, text: Uint8Array | string = ''): TextWatchFixture {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', text);
  const client = new Client(keeper);
  const watch = client.watchText('s', options);
  const given: [ms: number, data: string][] = [];
  const ended = (async () => {
    for await (const item of watch) if (item.type === 'text') given.push([keeper.now(), item.data]);
  })();
  /** Prints at a time. */
  const print = async (ms: number, data: Uint8Array | string): Promise<void> => {
    await keeper.clock.sleep(ms - keeper.now());
    keeper.print(session, data);
    await quiet(keeper);
  };
  return { keeper, session, client, watch, given, ended, print };
}

interface TextWatchFixture {
  readonly keeper: FakeKeeper;
  readonly session: ReturnType<FakeKeeper['session']>;
  readonly client: Client;
  readonly watch: TextWatch;
  readonly given: [ms: number, data: string][];
  readonly ended: Promise<void>;
  print(ms: number, data: Uint8Array | string): Promise<void>;
}

test('[OUT-1] the first byte after a pause goes at once; what follows is gathered for 100 ms', async () => {
  const { keeper, session, client, given, ended, print } = watched();
  await print(1000, 'a');
  await print(1010, 'b');
  await print(1090, 'c');
  await print(1150, 'd');
  await print(5000, 'e');
  await print(5001, 'f');
  await keeper.clock.sleep(1000);
  keeper.end(session);
  await ended;
  expect(given).toEqual([
    [1000, 'a'],
    [1100, 'bc'],
    [1200, 'd'],
    [5000, 'e'],
    [5100, 'f'],
  ]);
  expect(keeper.clock.pendingTimers).toBe(0);
  client.close();
});

test('[OUT-1] 4096 bytes go without waiting; both limits can be set', async () => {
  const { keeper, session, client, given, ended, print } = watched({ flushMs: 16 });
  await print(1000, 'x');
  await print(1001, 'y'.repeat(5000));
  await keeper.clock.sleep(100);
  keeper.end(session);
  await ended;
  expect(given.map(([ms, data]) => [ms, data.length])).toEqual([
    [1000, 1],
    [1001, 4096],
    [1017, 904],
  ]);
  client.close();

  const small = watched({ maxBytes: 20 });
  await small.print(1000, 'z'.repeat(50));
  expect(small.given.map(([ms, data]) => [ms, data.length])).toEqual([
    [1000, 20],
    [1000, 20],
  ]);
  await small.keeper.clock.sleep(101);
  await quiet(small.keeper);
  expect(small.given.at(-1)).toEqual([1100, 'z'.repeat(10)]);
  small.client.close();
});

test('[OUT-3] [OUT-4] a tail of spaces is given out by time, without another read; half a character waits for its half', async () => {
  const { keeper, client, given, print } = watched();
  await print(1000, 'a');
  await print(1010, '  ');
  await print(2000, Uint8Array.of(0xe2, 0x94));
  await keeper.clock.sleep(5000);
  expect(given).toEqual([
    [1000, 'a'],
    [1100, '  '],
  ]);
  expect(keeper.clock.pendingTimers).toBe(0); // no timer runs for it
  await print(9000, Uint8Array.of(0x80));
  expect(given.at(-1)).toEqual([9000, '─']);
  client.close();
});

test('[OUT-6] whole lines go at once, an unfinished one after 100 ms', async () => {
  const { keeper, client, given, print } = watched({ chunking: 'line' });
  await print(1000, 'on');
  await print(1030, 'e\ntwo\nthr');
  await keeper.clock.sleep(1000);
  expect(given).toEqual([
    [1030, 'one\n'],
    [1030, 'two\n'],
    [1130, 'thr'],
  ]);
  client.close();
});

test('[OUT-2] whatever breaks, and wherever the reads and the streams cut: each stream joined is its decoded bytes', async () => {
  const plan = fc.record({
    text: fc.array(
      fc.constantFrom('é', '日本', '👩‍👧', ' ', '\r\n', '\n\n', '\x1b[31m', '\x1b]0;名\x07', 'word', '● Bash(ls)'),
      {
        maxLength: 300,
      },
    ),
    breaks: fc.array(fc.nat(1500), { maxLength: 5 }),
    frameBytesMax: fc.integer({ min: 1, max: 700 }),
    creditBytes: fc.integer({ min: 1, max: 1500 }),
    chunking: fc.constantFrom('raw' as const, 'line' as const, 'semantic' as const),
    maxBytes: fc.integer({ min: 16, max: 200 }),
    streamBytes: fc.integer({ min: 1, max: 50 }),
    pauses: fc.array(fc.nat(2), { minLength: 1, maxLength: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ text, breaks, frameBytesMax, streamBytes, pauses, ...options }) => {
      const keeper = new FakeKeeper();
      const bytes = Buffer.from(text.join(''));
      // Each stream has the whole text; they take turns.
      const log = Buffer.alloc(bytes.length * 2);
      const isStderr = (at: number): boolean => Math.floor(at / streamBytes) % 2 === 1;
      const next = { stdout: 0, stderr: 0 };
      const streamOf = (at: number): 'stdout' | 'stderr' => {
        const other = isStderr(at) ? 'stderr' : 'stdout';
        return next[other] < bytes.length ? other : other === 'stdout' ? 'stderr' : 'stdout';
      };
      const streams = Array.from(log, (_, at) => {
        const stream = streamOf(at);
        log[at] = bytes[next[stream]++]!;
        return stream;
      });
      keeper.session('s', log, { isStderr: (at) => streams[at] === 'stderr', exit: { exitCode: 0, signal: null } });
      keeper.fate = (dial) => ({ breakAfterBytes: breaks[dial - 1] });
      keeper.frameBytesMax = frameBytesMax;
      const client = new Client(keeper);
      const joined = { stdout: '', stderr: '' };
      const ends = { stdout: 0, stderr: 0 };
      let items = 0;
      for await (const item of client.watchText('s', options)) {
        for (let turn = 0; turn < pauses[items++ % pauses.length]!; turn++) await tick();
        if (item.type !== 'text') continue;
        joined[item.stream] += item.data;
        expect(item.offset).toBeGreaterThanOrEqual(ends[item.stream]);
        expect(item.end).toBeGreaterThan(item.offset);
        ends[item.stream] = item.end;
      }
      client.close();
      expect(joined).toEqual({ stdout: text.join(''), stderr: text.join('') });
      expect(keeper.clock.pendingTimers).toBe(0);
    }),
    { numRuns: 200 },
  );
}, 60_000);

test('what one stream said before the other is told before it, and a character cut by the other is whole', async () => {
  const keeper = new FakeKeeper();
  const log = Buffer.concat([
    Buffer.from('out '),
    Uint8Array.of(0xe2, 0x94),
    Buffer.from('err'),
    Uint8Array.of(0x80),
    Buffer.from('!'),
  ]);
  keeper.session('s', log, { isStderr: (at) => at >= 6 && at < 9, exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const items = await all(client.watchText('s'));
  expect(items).toMatchObject([
    { type: 'text', stream: 'stdout', data: 'out ', offset: 0, end: 4 },
    { type: 'text', stream: 'stderr', data: 'err', offset: 6, end: 9 },
    { type: 'text', stream: 'stdout', data: '─!', offset: 4, end: 11 },
    { type: 'exit', offset: 11 },
  ]);

  keeper.session('halves', Uint8Array.of(0xe2, 0xe2), {
    isStderr: (at) => at === 0,
    exit: { exitCode: 0, signal: null },
  });
  expect((await all(client.watchText('halves'))).slice(0, 2)).toMatchObject([
    { stream: 'stderr', data: '\ufffd', offset: 0 },
    { stream: 'stdout', data: '\ufffd', offset: 1 },
  ]);
  client.close();
});

test('a gap and the end are told after the text before them, however unfinished that is', async () => {
  const keeper = new FakeKeeper();
  const log = Buffer.concat([
    Buffer.from('a'),
    Uint8Array.of(0xe2, 0x94),
    Buffer.alloc(50),
    Uint8Array.of(0x80),
    Buffer.from('b\x1b[3'),
  ]);
  const session = keeper.session('s', log.subarray(0, 3));
  const client = new Client(keeper);
  const watch = client.watchText('s', { creditBytes: 3 });
  const items = all(watch);
  await quiet(keeper);
  session.bytes = log;
  session.firstOffset = 53;
  keeper.hangUp();
  keeper.end(session, 3);
  expect(await items).toEqual([
    { type: 'text', stream: 'stdout', data: 'a', offset: 0, end: 1, ts: expect.any(Number) },
    { type: 'text', stream: 'stdout', data: '\ufffd', offset: 1, end: 3, ts: expect.any(Number) },
    { type: 'gap', from: 3, to: 53, reason: 'retention' },
    { type: 'text', stream: 'stdout', data: '\ufffdb\x1b[3', offset: 53, end: 58, ts: expect.any(Number) },
    { type: 'exit', offset: 58, state: 'failed', exitCode: 3, signal: null },
  ]);
  client.close();
});

test('`ts` is when the first byte came, not when the text went', async () => {
  using now = vi.spyOn(Date, 'now');
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'a');
  const client = new Client(keeper);
  const watch = client.watchText('s');
  now.mockReturnValue(1000);
  const first = await watch.next();
  const second = watch.next();
  now.mockReturnValue(2000);
  keeper.print(session, 'b');
  await quiet(keeper);
  now.mockReturnValue(3000);
  keeper.print(session, 'c');
  expect([first.value, (await second).value]).toMatchObject([
    { data: 'a', ts: 1000 },
    { data: 'bc', ts: 2000 },
  ]);
  const third = watch.next();
  now.mockReturnValue(4000);
  keeper.print(session, 'd');
  await quiet(keeper);
  now.mockReturnValue(5000);
  keeper.print(session, 'e'.repeat(5000));
  expect([(await third).value, (await watch.next()).value]).toMatchObject([{ ts: 4000 }, { ts: 5000 }]);
  client.close();
});

test('[SLOW-2] a reader that does not read is not read for: the credit bounds what is here', async () => {
  const keeper = new FakeKeeper();
  const bytes = Buffer.alloc(4 * 1024 * 1024, 'text ');
  keeper.session('s', bytes, { exit: { exitCode: 0, signal: null } });
  const client = new Client(keeper);
  const watch = client.watchText('s');
  await watch.next();
  await quiet(keeper);
  expect([...keeper.watchers][0]!.cursor).toBeLessThanOrEqual(2 * CREDIT_BYTES);
  let length = CHUNK;
  for await (const item of watch) if (item.type === 'text') length += item.data.length;
  expect(length).toBe(bytes.length);
  client.close();
});

test('closing it drops what waits', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'x'.repeat(10_000));
  const client = new Client(keeper);
  const watch = client.watchText('s');
  await watch.next();
  watch.close();
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  await quiet(keeper);
  expect(keeper.watchers.size).toBe(0);
  client.close();
});

test('an abort ends it with its reason', async () => {
  const aborter = new AbortController();
  const keeper = new FakeKeeper();
  keeper.session('s');
  const client = new Client(keeper);
  const next = client.watchText('s', { signal: aborter.signal }).next();
  aborter.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  client.close();
});

test.each(['b', ''])('a failure is told after the text before it (%j), and only to whoever asks', async (text) => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s');
  const client = new Client(keeper);
  const watch = client.watchText('s');
  const first = watch.next();
  await quiet(keeper);
  keeper.print(session, 'a');
  expect((await first).value).toMatchObject({ data: 'a' });
  keeper.print(session, text);
  const { peer, channel } = [...keeper.watchers][0]!;
  peer.send(encodeJson(FrameType.error, channel, toWireError(new SpoolError('INTERNAL'))));
  await quiet(keeper);
  if (text !== '') expect((await watch.next()).value).toMatchObject({ data: text });
  await expect(watch.next()).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await watch.next()).toEqual({ done: true, value: undefined });
  client.close();
});

test('[OUT-5] a subscription from the end hears what is printed from then on; ending it tells the keeper', async () => {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', 'before', { name: 'Interviewer' });
  const client = new Client(keeper);
  const heard: string[] = [];
  const errors: unknown[] = [];
  const callback = (data: string, ts: number): void => {
    heard.push(data);
    expect(Math.abs(Date.now() - ts)).toBeLessThan(10_000);
    if (data === 'two') throw new Error('from the callback');
  };
  const unsubscribe = client.subscribeWorkerOutput('Interviewer', callback, {
    from: 'end',
    onError: (error) => errors.push(error),
  });
  await quiet(keeper);
  for (const word of ['one', 'two', 'three']) {
    keeper.print(session, word);
    await keeper.clock.sleep(1000);
    if (word === 'one') keeper.hangUp();
  }
  expect(heard).toEqual(['one', 'two', 'three']);
  expect(errors).toMatchObject([{ message: 'from the callback' }]);
  keeper.print(session, 'four');
  await quiet(keeper);
  keeper.print(session, 'five'); // the text is being collected when the subscription ends
  await quiet(keeper);
  expect(keeper.watchers.size).toBe(1);
  unsubscribe();
  unsubscribe();
  await keeper.clock.sleep(1000);
  expect(heard).toEqual(['one', 'two', 'three', 'four']);
  expect([keeper.watchers.size, keeper.ops().at(-1), keeper.clock.pendingTimers]).toEqual([0, 'unwatch', 0]);
  client.close();
});

test('[OUT-5] a strict subscription to nobody says so: to `onError`, or else as an unhandled rejection', async () => {
  using unhandled = new UnhandledRejections();
  const keeper = new FakeKeeper();
  const client = new Client(keeper);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.subscribeWorkerOutput('nobody', () => {}, { wait: false, onError: resolve });
  expect(await promise).toMatchObject({ code: 'SESSION_UNKNOWN' });
  expect(unhandled.errors).toEqual([]);
  client.subscribeWorkerOutput('nobody', () => {}, { wait: false });
  await quiet(keeper);
  expect(unhandled.errors).toMatchObject([{ code: 'SESSION_UNKNOWN' }]);
  client.close();
});

test('[OUT-5] what the callback throws is an unhandled rejection, and the subscription goes on; an abort is no error', async () => {
  using unhandled = new UnhandledRejections();
  const keeper = new FakeKeeper();
  const session = keeper.session('s');
  const client = new Client(keeper);
  const aborter = new AbortController();
  const heard: string[] = [];
  const callback = (data: string): void => {
    heard.push(data);
    if (data === 'one') throw new Error('from the callback');
  };
  client.subscribeWorkerOutput('s', callback, { signal: aborter.signal });
  await quiet(keeper);
  for (const word of ['one', 'two']) {
    keeper.print(session, word);
    await keeper.clock.sleep(1000);
  }
  expect([heard, unhandled.errors]).toMatchObject([['one', 'two'], [{ message: 'from the callback' }]]);
  aborter.abort();
  await quiet(keeper);
  expect([unhandled.errors.length, keeper.watchers.size]).toEqual([1, 0]);
  client.close();
});

const CHUNK = 4096;

async function all(watch: TextWatch): Promise<TextItem[]> {
  const items: TextItem[] = [];
  for await (const item of watch) items.push(item);
  return items;
}

/** Unhandled rejections, collected here instead of failing the run. */
class UnhandledRejections implements Disposable {
  readonly errors: unknown[] = [];
  readonly #others = process.listeners('unhandledRejection');

  constructor() {
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (error) => this.errors.push(error));
  }

  [Symbol.dispose](): void {
    process.removeAllListeners('unhandledRejection');
    for (const listener of this.#others) process.on('unhandledRejection', listener);
  }
}
