import { native } from '@spool/native';
import { FrameType, type WatchEvent } from '@spool/protocol';
import { expect, test, vi } from 'vitest';
import { FakeClient, turns } from '../testing/fake-client.ts';
import { FakeSession } from '../testing/fake-session.ts';
import { type Snapshot, Watcher, type WatcherOptions } from './watcher.ts';

const MIB = 1024 * 1024;
const SIZE = { cols: 80, rows: 24 };

/** Returns the number of bytes that the kernel accepts on a socket that is not read. */
function kernelBytes(): number {
  const [from, to] = native.socketPair();
  let bytes = 0;
  for (let written: number; (written = native.write(from, new Uint8Array(64 * 1024))) > 0;) bytes += written;
  native.close(from);
  native.close(to);
  return bytes;
}

async function watching(
  options: Partial<WatcherOptions> = {},
): Promise<{ session: FakeSession; client: FakeClient; watcher: Watcher }> {
  const session = new FakeSession();
  const client = await new FakeClient().hello();
  const { connection } = client;
  const watcher = new Watcher({
    connection,
    channel: 7,
    session: session.session,
    from: 0,
    creditBytes: 64 * MIB,
    ...options,
  });
  connection.watchers.set(7, watcher);
  return { session, client, watcher };
}

test('[LOG-2] [ATT-3] bytes come with their offsets, in order, and the exit after the last of them', async () => {
  const { session, client } = await watching();
  session.print('one ');
  session.print('two', 'stderr');
  session.end({ code: null, signal: 'SIGTERM' });
  await client.read();
  expect(client.story).toEqual([
    'output 0 one',
    'event {"type":"synced","offset":4}',
    'output 4 two',
    'event {"type":"exit","offset":7,"state":"failed","exitCode":null,"signal":"SIGTERM"}',
  ]);
  expect(session.watchers.size).toBe(0);
});

test('[RUN-3] a watch says how it ended: the code, or the signal and no code', async () => {
  for (const exit of [
    { code: 3, signal: null },
    { code: null, signal: 'SIGKILL' },
  ]) {
    const { session, client } = await watching();
    session.end(exit);
    await client.read();
    expect(client.told<WatchEvent>().at(-1)).toMatchObject({
      type: 'exit',
      exitCode: exit.code,
      signal: exit.signal,
      state: 'failed',
    });
  }
});

test('[WIRE-3] no byte is sent beyond the credit, and exactly as many as are granted', async () => {
  const { session, client, watcher } = await watching({ creditBytes: 10 });
  session.print('0123456789abcdef');
  await client.read();
  expect(client.output.toString()).toBe('0123456789');
  session.print('more');
  await client.read();
  expect(client.output.length).toBe(10);
  watcher.grant(13);
  watcher.grant(11); // earlier credit is not taken back
  await client.read();
  expect(client.output.toString()).toBe('0123456789abc');
  watcher.grant(1000);
  session.end();
  await client.read();
  expect(client.output.toString()).toBe('0123456789abcdefmore');
  expect(client.told<WatchEvent>().at(-1)).toMatchObject({ type: 'exit', offset: 20 });
});

test('[RUN-3] without credit for the last byte there is no exit yet', async () => {
  const { session, client, watcher } = await watching({ creditBytes: 3 });
  session.print('four');
  session.end();
  await client.read();
  expect(client.told<WatchEvent>().map(({ type }) => type)).not.toContain('exit');
  watcher.grant(4);
  await client.read();
  expect(client.output.toString()).toBe('four');
  expect(client.told<WatchEvent>().map(({ type }) => type)).toContain('exit');
});

test('[SLOW-2] a client that does not read holds 256 KiB in the daemon, and the rest waits in the log', async () => {
  const { session, client } = await watching();
  const read = vi.spyOn(session.log, 'read');
  for (let at = 0; at < 8; at++) {
    session.print(Buffer.alloc(MIB, 97 + at));
    await turns();
  }
  const taken = read.mock.results.reduce((sum, { value }) => sum + (value?.bytes?.length ?? 0), 0);
  expect(taken).toBeGreaterThan(kernelBytes());
  expect(taken - kernelBytes()).toBeLessThan(256 * 1024);
  session.end();
  await client.readUntil('the exit came', () => client.told<WatchEvent>().some(({ type }) => type === 'exit'));
  const expected = Buffer.concat(Array.from({ length: 8 }, (_, at) => Buffer.alloc(MIB, 97 + at)));
  expect(client.output.equals(expected)).toBe(true);
  expect(client.told<WatchEvent>().at(-1)).toMatchObject({ type: 'exit', offset: 8 * MIB });
});

test('[SLOW-2] sizes, viewers, notices and snapshots do not pile up for a client that does not read', async () => {
  const takeSnapshot = vi.fn<() => Promise<Snapshot>>();
  const { session, client, watcher } = await watching({ takeSnapshot });
  takeSnapshot.mockImplementation(async () => ({
    offset: session.log.end,
    size: SIZE,
    bytes: Buffer.alloc(1000, 'x'),
  }));
  const rounds = 30_000;
  for (let round = 1; round <= rounds; round++) {
    watcher.resized(0, round, 24);
    watcher.emitLatest({
      type: 'viewers',
      viewers: [{ who: `viewer ${round}`, size: SIZE, isReadOnly: true, since: 0 }],
    });
    watcher.emitLatest({ type: 'notice', session: session.id, name: 'fake', title: `notice ${round}`, body: '' });
    if (round % 100 === 0) await watcher.snapshot();
  }
  const told = client.told.bind(client)<WatchEvent>;
  const latest = (type: string): unknown => told().findLast((event) => event.type === type);
  await client.readUntil('the latest came', () => JSON.stringify(latest('notice') ?? '').includes(`${rounds}`));
  await client.read();
  expect(latest('resized')).toMatchObject({ cols: rounds });
  expect(latest('viewers')).toMatchObject({ viewers: [{ who: `viewer ${rounds}` }] });
  const bytes = client.frames.reduce((sum, { payload }) => sum + payload.length, 0);
  expect(bytes - kernelBytes()).toBeLessThan(256 * 1024);
});

test('[SLOW-3] a watcher that is far behind, and is not a viewer, still gets every byte', async () => {
  const { session, client } = await watching();
  const part = Buffer.alloc(MIB);
  for (let at = 0; at < part.length; at += 4) part.writeUInt32LE(at, at);
  for (let n = 0; n < 20; n++) session.print(part);
  await client.readUntil('all of it came', () => client.outputBytes >= 20 * MIB);
  const { output } = client;
  expect(output.length).toBe(20 * MIB);
  for (let n = 0; n < 20; n++) expect(output.subarray(n * MIB, (n + 1) * MIB).equals(part)).toBe(true);
  expect(client.told<WatchEvent>().map(({ type }) => type)).toEqual(['synced']);
  expect(client.frames.some(({ type }) => type === FrameType.snapshot)).toBe(false);
});

test('[SLOW-3] a viewer that is more than a megabyte behind gets one snapshot and goes on from there', async () => {
  const takeSnapshot = vi.fn<() => Promise<Snapshot>>();
  const { session, client } = await watching({ takeSnapshot });
  takeSnapshot.mockImplementation(async () => ({
    offset: session.log.end,
    size: SIZE,
    bytes: Buffer.from('the picture'),
  }));
  session.print('first');
  await client.read();
  expect(takeSnapshot).not.toHaveBeenCalled();
  for (let n = 0; n < 6; n++) session.print(Buffer.alloc(MIB, 120)); // the client does not read
  await client.readUntil('it is shown anew', () => client.frames.some(({ type }) => type === FrameType.snapshot));
  session.print('last');
  await client.readUntil('the last came', () => client.story.at(-1)!.endsWith('last'));
  expect(takeSnapshot).toHaveBeenCalledTimes(1);
  expect(client.story.slice(-2)).toEqual([`snapshot ${5 + 6 * MIB} the picture`, `output ${5 + 6 * MIB} last`]);
  expect(client.output.length).toBeLessThan(2 * MIB);
});

test('[SLOW-5] a viewer that wants the present gets a snapshot when what would come next is too old', async () => {
  const picture = (offset: number): Snapshot => ({ offset, size: SIZE, bytes: Buffer.from('the picture') });
  const takeSnapshot = vi.fn<(historyLines: number) => Promise<Snapshot>>();
  const { session, client, watcher } = await watching({ takeSnapshot, lateMs: 50, creditBytes: 10_000 });
  takeSnapshot.mockImplementation(async () => picture(session.log.end));
  const now = vi.spyOn(performance, 'now');
  let time = 1000;
  now.mockImplementation(() => time);
  try {
    session.print(Buffer.alloc(100_000, 120));
    time += 40;
    watcher.grant(20_000); // not sent yet
    expect(takeSnapshot).not.toHaveBeenCalled();
    time += 20;
    watcher.grant(30_000);
    expect(takeSnapshot).toHaveBeenCalledTimes(1);
    await client.readUntil('the picture', () => client.frames.some(({ type }) => type === FrameType.snapshot));
    expect(client.story.at(-1)).toBe('snapshot 100000 the picture');
    expect(client.outputBytes).toBe(20_000);
    // A short backlog is sent even if it is late: a snapshot would not be shorter.
    session.print(Buffer.alloc(20_000, 121));
    time += 1000;
    watcher.grant(200_000);
    await client.readUntil('the rest', () => client.outputBytes === 40_000);
    // Output that comes after a long silence is not late.
    time += 100_000;
    session.print(Buffer.alloc(70_000, 122));
    await client.readUntil('all of it', () => client.outputBytes === 110_000);
    expect(takeSnapshot).toHaveBeenCalledTimes(1);
  } finally {
    now.mockRestore();
  }
});

test('[SLOW-5] the lines above the screen come with a snapshot that was asked for, also while another is taken', async () => {
  const first = Promise.withResolvers<Snapshot>();
  const takeSnapshot = vi.fn<(historyLines: number) => Promise<Snapshot>>();
  const { client, watcher } = await watching({ takeSnapshot });
  takeSnapshot.mockReturnValueOnce(first.promise);
  takeSnapshot.mockResolvedValueOnce({ offset: 0, size: SIZE, bytes: Buffer.from('with lines') });
  void watcher.snapshot();
  void watcher.snapshot(1000);
  first.resolve({ offset: 0, size: SIZE, bytes: Buffer.from('without') });
  await client.readUntil('both', () => client.story.includes('snapshot 0 with lines'));
  expect(takeSnapshot.mock.calls).toEqual([[0], [1000]]);
});

test('[SLOW-3] without a picture the bytes must do: nothing is skipped', async () => {
  const { session, client } = await watching({ takeSnapshot: () => Promise.reject(new Error('no thread')) });
  for (let n = 0; n < 3; n++) session.print(Buffer.alloc(MIB, 120));
  await client.readUntil('all of it came', () => client.outputBytes >= 3 * MIB);
  expect(client.output.length).toBe(3 * MIB);
});

test('[ATT-1] bytes that come while the picture is made follow it, each once', async () => {
  const picture = Promise.withResolvers<Snapshot>();
  const { session, client, watcher } = await watching({ takeSnapshot: () => picture.promise });
  session.log.append(Buffer.from('before'), 0);
  const shown = watcher.snapshot();
  session.print(' during');
  await client.read();
  expect(client.frames).toEqual([]);
  picture.resolve({ offset: 6, size: SIZE, bytes: Buffer.from('picture') });
  await shown;
  session.print(' after');
  await client.read();
  expect(client.story.filter((line) => !line.startsWith('event'))).toEqual([
    'snapshot 6 picture',
    'output 6  during',
    'output 13  after',
  ]);
});

test('[SIZE-6] who follows the size is told it before the picture, and after it when it changed at that very offset', async () => {
  const picture = Promise.withResolvers<Snapshot>();
  const { session, client, watcher } = await watching({ takeSnapshot: () => picture.promise, followsSize: true });
  session.info = { size: SIZE };
  const shown = watcher.snapshot();
  session.info = { size: { cols: 200, rows: 50 } };
  watcher.resized(0, 200, 50);
  picture.resolve({ offset: 0, size: SIZE, bytes: Buffer.from('picture') });
  await shown;
  await client.read();
  expect(client.story.filter((line) => !line.includes('synced'))).toEqual([
    'event {"type":"resized","offset":0,"cols":80,"rows":24}',
    'snapshot 0 picture',
    'event {"type":"resized","offset":0,"cols":200,"rows":50}',
  ]);
});

test('[LOG-5] a gap is told with its bounds, and needs no credit', async () => {
  const { session, client } = await watching({ creditBytes: 4 });
  session.log.append(Buffer.from('abcd'), 1);
  session.log.skip(100, 1);
  session.print('efgh');
  await client.read();
  expect(client.story.filter((line) => !line.includes('synced'))).toEqual(['output 0 abcd']);
  client.connection.watchers.get(7)!.grant(5);
  await client.read();
  expect(client.told<WatchEvent>()).toContainEqual({ type: 'gap', from: 4, to: 104, reason: 'disk' });
  expect(client.story.at(-1)).toBe('output 104 e');
});

test('[SIZE-3] resizes are told between the bytes that they lie between, and the last of several at one place', async () => {
  const { session, client, watcher } = await watching({ creditBytes: 0 });
  session.log.append(Buffer.from('aaaa'), 0);
  watcher.resized(2, 80, 24);
  watcher.resized(4, 100, 30);
  watcher.resized(4, 120, 40);
  session.print('bb');
  await client.read();
  expect(client.frames).toEqual([]); // the watcher is at 0 and may not continue
  watcher.grant(100);
  await client.read();
  expect(client.story).toEqual([
    'output 0 aa',
    'event {"type":"synced","offset":2}', // there was no output when it started
    'event {"type":"resized","offset":2,"cols":80,"rows":24}',
    'output 2 aa',
    'event {"type":"resized","offset":4,"cols":120,"rows":40}',
    'output 4 bb',
  ]);
});

test('a window that is dragged while nobody reads costs 64 sizes, the last ones', async () => {
  const { session, client, watcher } = await watching({ creditBytes: 0 });
  session.log.append(Buffer.alloc(500), 0);
  for (let at = 1; at <= 300; at++) watcher.resized(at, at, 24);
  watcher.grant(1000);
  await client.read();
  const cols = client.told<WatchEvent>().flatMap((event) => (event.type === 'resized' ? [event.cols] : []));
  expect(cols).toEqual(Array.from({ length: 64 }, (_, at) => 237 + at));
});

test('a removed session says so, and its watcher is gone from session and connection', async () => {
  const { session, client, watcher } = await watching();
  watcher.removed();
  watcher.close();
  session.print('nobody is there');
  await client.read();
  expect(client.story).toEqual(['event {"type":"removed"}']);
  expect([session.watchers.size, client.connection.watchers.size]).toEqual([0, 0]);
});

test('a client that leaves takes its watchers with it', async () => {
  const { session, client } = await watching();
  client.leave();
  await turns();
  expect(session.watchers.size).toBe(0);
});
