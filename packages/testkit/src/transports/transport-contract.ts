/**
 * The guarantees for a client with any transport. There is one suite for memory, unix socket and WebSocket: a new transport is
 * done when it passes.
 */
import { Client, type Runtime, type WatchItem } from '@spool/client';
import { expect, test } from 'vitest';
import { type Cut, CuttingRuntime } from './cutting.ts';

/** A daemon, or its substitute, at the other end of the transport. */
export interface TransportWorld extends AsyncDisposable {
  readonly runtime: Runtime;
  /** Starts a session that prints and accepts exactly the bytes of the test. */
  session(): Promise<WorldSession>;
  /** Starts a session whose first bytes are no longer stored. */
  sessionWithGap(): Promise<{ readonly id: string; readonly firstOffset: number; readonly bytes: Uint8Array }>;
}

export interface WorldSession {
  readonly id: string;
  /** Resolves when the bytes are in the log. */
  print(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Resolves with the input that the terminal got, once it has this many bytes. */
  typed(bytes: number): Promise<string>;
}

const pattern = (bytes: number, seed = 0): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => ((at + seed) * 31 + ((at + seed) >> 8) * 7) & 0xff);

/** The number of bytes: enough for several frames, and for a second grant of credit. */
const STREAM_BYTES = 600_000;

/** The number of frames of a short visit, and one more, so that the last round is not cut at all. */
const FRAMES_MAX = 40;

export function transportContract(name: string, open: () => Promise<TransportWorld>): void {
  test(`[REM-1] ${name}: each byte arrives exactly once, however often the link breaks`, async () => {
    await using world = await open();
    const cutting = new CuttingRuntime(world.runtime);
    // The hello and the answer pass, and then none to three frames of output.
    cutting.plan = (dial) =>
      dial > 9 ? null : { frame: 3 + (dial % 3), direction: 'received', passes: dial % 2 === 0 };
    await using client = new Client(cutting);
    const session = await world.session();
    const sent = pattern(STREAM_BYTES);
    const printing = (async () => {
      for (let at = 0; at < sent.length; at += 37_501) await session.print(sent.subarray(at, at + 37_501));
      await session.end();
    })();
    const items = await collect(client.watch(session.id, { from: 0, creditBytes: 16 * 1024 }));
    await printing;
    expect(cutting.cuts).toBeGreaterThanOrEqual(8);
    expect(joined(items)).toEqual(Buffer.from(sent));
    expect(items.filter(({ type }) => type === 'gap')).toEqual([]);
  });

  test(`[REM-1] ${name}: the end is reported once, after the last byte, although the link breaks right before it`, async () => {
    await using world = await open();
    const cutting = new CuttingRuntime(world.runtime);
    await using client = new Client(cutting);
    const session = await world.session();
    await session.print(pattern(1000));
    const watch = client.watch(session.id, { from: 0 });
    const items: WatchItem[] = [];
    while (joined(items).length < 1000) items.push((await watch.next()).value!);
    cutting.cutAll();
    await session.print(pattern(10));
    await session.end();
    items.push(...(await collect(watch)));
    expect(joined(items)).toHaveLength(1010);
    expect(items.filter(({ type }) => type === 'exit')).toMatchObject([{ type: 'exit', exitCode: 0, offset: 1010 }]);
    expect(items.at(-1)!.type).toBe('exit');
  });

  test(`[REM-1] ${name}: a gap is reported with its exact ends, also to a reader whose link breaks at it`, async () => {
    await using world = await open();
    const { id, firstOffset, bytes } = await world.sessionWithGap();
    for (const frame of [2, 3, 4, 5]) {
      const cutting = new CuttingRuntime(world.runtime);
      cutting.plan = (dial) => (dial === 1 ? { frame, direction: 'received', passes: true } : null);
      await using client = new Client(cutting);
      const items = await collect(client.watch(id, { from: 0 }));
      expect(items.filter(({ type }) => type === 'gap')).toMatchObject([{ from: 0, to: firstOffset }]);
      expect(joined(items).equals(bytes)).toBe(true);
    }
  });

  test(`[REM-1] ${name}: a reader that does not read is sent its credit and no more, and delays no answer`, async () => {
    await using world = await open();
    const cutting = new CuttingRuntime(world.runtime);
    await using client = new Client(cutting);
    const session = await world.session();
    const watch = client.watch(session.id, { from: 0, creditBytes: 32 * 1024 });
    const first = watch.next();
    await session.print(pattern(STREAM_BYTES));
    await session.end();
    await first;
    for (let asked = 0; asked < 20; asked++) expect((await client.get(session.id)).id).toBe(session.id);
    // Bytes that the reader has taken are granted again; the rest waits in the log.
    expect(cutting.outputBytes).toBeLessThanOrEqual(2 * 32 * 1024);
    const rest = await collect(watch);
    expect(joined([(await first).value!, ...rest]).equals(pattern(STREAM_BYTES))).toBe(true);
  });

  test(`[REM-1] ${name}: each key arrives once and in order, however often the link breaks`, async () => {
    await using world = await open();
    const cutting = new CuttingRuntime(world.runtime);
    // Cut in each direction, so that a key is lost in one case and its confirmation in the other.
    cutting.plan = (dial) =>
      dial > 9
        ? null
        : { frame: 4 + (dial % 5), direction: dial % 2 === 0 ? 'sent' : 'received', passes: dial % 4 < 2 };
    await using client = new Client(cutting);
    const session = await world.session();
    const attachment = client.attach(session.id, { size: { cols: 80, rows: 24 } });
    void drain(attachment);
    let expected = '';
    for (let key = 0; key < 200; key++) {
      const text = `k${key},`;
      expected += text;
      await attachment.type(Buffer.from(text));
      if (key % 10 === 0) await attachment.settled();
    }
    await attachment.settled();
    expect(cutting.cuts).toBeGreaterThanOrEqual(8);
    expect(await session.typed(expected.length)).toBe(expected);
    await session.end();
  });

  test(`[REM-1] ${name}: a visit that is cut at every frame, in both directions, ends as if nothing had happened`, async () => {
    await using world = await open();
    const session = await world.session();
    await session.print(pattern(500));
    let visits = 0;
    let expected = '';
    for (const direction of ['received', 'sent'] as const) {
      for (let frame = 1; ; frame++) {
        const cut: Cut = { frame, direction, passes: frame % 2 === 0 };
        const cutting = new CuttingRuntime(world.runtime);
        cutting.plan = (dial) => (dial === 1 ? cut : null);
        await using client = new Client(cutting);
        const key = `${direction[0]}${frame},`;
        expected += key;
        await visit(client, session.id, key);
        expect(await session.typed(expected.length)).toBe(expected);
        visits++;
        if (cutting.cuts === 0) break;
        expect(frame).toBeLessThan(FRAMES_MAX);
      }
    }
    expect(visits).toBeGreaterThan(8);
    await session.end();
  });
}

/** Performs the typical actions of a user: lists sessions, reads the output, types a key. */
async function visit(client: Client, id: string, key: string): Promise<void> {
  expect((await client.get(id)).id).toBe(id);
  const watch = client.watch(id, { from: 0, creditBytes: 200 });
  const items: WatchItem[] = [];
  while (joined(items).length < 500) items.push((await watch.next()).value!);
  watch.close();
  expect(joined(items).subarray(0, 500).equals(pattern(500))).toBe(true);
  const attachment = client.attach(id, { size: { cols: 80, rows: 24 } });
  void drain(attachment);
  await attachment.type(Buffer.from(key));
  await attachment.settled();
  attachment.close();
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of items);
}

async function collect(items: AsyncIterable<WatchItem>): Promise<WatchItem[]> {
  const all: WatchItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function joined(items: readonly WatchItem[]): Buffer {
  return Buffer.concat(items.flatMap((item) => (item.type === 'output' ? [item.bytes] : [])));
}
