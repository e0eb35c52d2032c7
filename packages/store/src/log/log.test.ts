import {
  closeSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFiles, readAll, sampleBytes, Scratch, story, text } from './testing/fixture.ts';
import { INDEX_RECORDS_MAX } from './segment-index.ts';
import { Log, SHARED_READ_BYTES_MAX } from './log.ts';

const MS = 1_000_000;

test('[LOG-1] for every byte value, the bytes read and the bytes in the file equal those written', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  const all = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  expect(log.append(all, MS)).toBe(256);
  expect(log.read(0, 1000)).toEqual({ type: 'bytes', from: 0, bytes: all, stream: 'stdout' });
  expect(readFileSync(join(scratch.log, '0000000000000000.log'))).toEqual(all);
});

test('[LOG-1] bytes written into the sink by somebody else are read after advance, and not before', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  const { fd, position, roomBytes } = log.sink();
  expect({ position, roomBytes }).toEqual({ position: 0, roomBytes: 4 * 1024 * 1024 });
  writeSync(fd, text('spliced'), 0, 7, position);
  expect(log.read(0, 100)).toEqual({ type: 'end', from: 0 });
  log.advance(7, MS);
  expect(story(log)).toBe('spliced');
  expect(log.sink().position).toBe(7);
});

test('more bytes than the sink has room for are a bug, and refused', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 10 });
  log.sink();
  expect(() => log.advance(11, MS)).toThrow(RangeError);
  expect(log.end).toBe(0);
});

test('[LOG-3] a segment never has more than segmentBytes, and offsets run on over rotation', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 10 });
  const bytes = sampleBytes(35);
  expect(log.append(bytes, MS)).toBe(35);
  const names = readdirSync(scratch.log).filter((name) => name.endsWith('.log'));
  expect(names).toEqual([
    '0000000000000000.log',
    '0000000000000010.log',
    '0000000000000020.log',
    '0000000000000030.log',
  ]);
  expect(names.map((name) => statSync(join(scratch.log, name)).size)).toEqual([10, 10, 10, 5]);
  expect(Buffer.concat(readAll(log).map((piece) => (piece.type === 'bytes' ? piece.bytes : text('gap'))))).toEqual(
    bytes,
  );
  expect(log.read(8, 100)).toEqual({ type: 'bytes', from: 8, bytes: bytes.subarray(8, 10), stream: 'stdout' });
});

test('[LOG-3] offsets go on after a restart, also for bytes that were in the sink but never advanced', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log, { segmentBytes: 10 });
    log.append(text('0123456789abc'), MS);
    const { fd, position } = log.sink();
    writeSync(fd, text('de'), 0, 2, position); // the keeper is killed here
  }
  using log = Log.open(scratch.log, { segmentBytes: 10 });
  expect([log.start, log.end]).toEqual([0, 15]);
  log.append(text('fghijklm'), MS);
  expect(story(log)).toBe('0123456789abcdefghijklm');
});

test('[LOG-3] offsets that the disk never took are not used again: endAtLeast makes them a gap', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abc'), MS);
  }
  {
    using log = Log.open(scratch.log, { endAtLeast: 10 });
    expect(log.end).toBe(10);
    log.append(text('xyz'), MS);
    expect(story(log)).toBe('abc<disk 3-10>xyz');
  }
  using log = Log.open(scratch.log, { endAtLeast: 5 });
  expect(story(log)).toBe('abc<disk 3-10>xyz');
});

test('[LOG-3] a log whose folder was lost begins where it was', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { endAtLeast: 7 });
  log.append(text('x'), MS);
  expect(story(log)).toBe('<disk 0-7>x');
});

test('a folder that is removed under an open log is made again', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 4 });
  log.append(text('abcd'), MS);
  rmSync(scratch.log, { recursive: true });
  log.append(text('ef'), MS);
  expect(story(log)).toBe('<damaged 0-4>ef');
});

test('[LOG-1] bytes that were taken away behind our back do not come back as zeros', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  log.append(text('abc'), MS);
  log.release();
  truncateSync(join(scratch.log, '0000000000000000.log'), 1);
  log.append(text('de'), MS);
  expect(story(log)).toBe('a<damaged 1-3>de');
  log.release();
  rmSync(scratch.log, { recursive: true });
  log.append(text('fg'), MS);
  expect(story(log, 3)).toBe('<damaged 3-5>fg');
});

test('[LOG-6] a skipped range is an exact gap, also after restarts, and neighbouring skips are one', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abc'), MS);
    log.skip(5, MS + 1);
    log.skip(2, MS + 2);
    expect(story(log)).toBe('abc<disk 3-10>');
  }
  {
    using log = Log.open(scratch.log);
    expect(log.end).toBe(10);
    log.skip(10, MS + 3);
    log.append(text('later'), MS + 4);
  }
  using log = Log.open(scratch.log);
  expect(story(log)).toBe('abc<disk 3-20>later');
  expect([...log.marks(0, 100)].filter((mark) => mark.type === 'gap')).toEqual([
    { type: 'gap', offset: 3, at: MS + 1, bytes: 17 },
  ]);
});

test('[LOG-6] a gap of more than 4 GiB keeps its width', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.skip(5 * 2 ** 32 + 3, MS);
    log.append(text('x'), MS);
  }
  using log = Log.open(scratch.log);
  expect(story(log)).toBe(`<disk 0-${5 * 2 ** 32 + 3}>x`);
});

test('[LOG-4] resizes are found with their offset and time, also when nothing was printed yet', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log, { segmentBytes: 4 });
    log.markResize(80, 24, MS);
    log.append(text('abcd'), MS + 100);
    log.markResize(100, 30, MS + 200); // at the border of two segments
    log.append(text('ef'), MS + 300);
    log.markResize(120, 40, MS + 400);
  }
  using log = Log.open(scratch.log, { segmentBytes: 4 });
  const resizes = [
    { type: 'resize', offset: 0, at: MS, cols: 80, rows: 24 },
    { type: 'resize', offset: 4, at: MS + 200, cols: 100, rows: 30 },
    { type: 'resize', offset: 6, at: MS + 400, cols: 120, rows: 40 },
  ];
  const found = (from: number, to: number) => [...log.marks(from, to)].filter((mark) => mark.type === 'resize');
  expect(found(0, 100)).toEqual(resizes);
  expect(found(4, 4)).toEqual(resizes.slice(1, 2));
  expect(found(1, 3)).toEqual([]);
  expect(found(5, 6)).toEqual(resizes.slice(2));
});

test('[LOG-4] a resize survives a kill at once', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  log.append(text('abc'), MS);
  log.markResize(80, 24, MS + 1);
  using copy = Log.open(scratch.copyOf(scratch.log));
  expect([...copy.marks(0, 3)].at(-1)).toEqual({ type: 'resize', offset: 3, at: MS + 1, cols: 80, rows: 24 });
});

test('[LOG-4] which bytes by when, and back, over segments and restarts', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log, { segmentBytes: 4 });
    log.append(text('ab'), 1000);
    log.append(text('cd'), 1005); // within 10 ms of the mark before
    log.append(text('ef'), 2000);
    log.append(text('ghij'), 3000); // over the border
  }
  using log = Log.open(scratch.log, { segmentBytes: 4 });
  log.append(text('kl'), 4000);
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((offset) => log.timeAt(offset))).toEqual([
    1000,
    1000,
    1000,
    1000,
    2000,
    2000,
    3000,
    3000,
    3000,
    3000,
    4000,
    4000,
    undefined,
  ]);
  expect([0, 999, 1000, 1999, 2000, 2999, 3000, 3999, 4000, 9999].map((time) => log.offsetAt(time))).toEqual([
    0, 0, 4, 4, 6, 6, 10, 10, 12, 12,
  ]);
});

test('[LOG-4] a clock that is set back stands still, so that time stays searchable', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log, { segmentBytes: 2 });
    log.append(text('ab'), 5000);
    log.append(text('cd'), 1000);
  }
  using log = Log.open(scratch.log, { segmentBytes: 2 });
  log.append(text('ef'), 2000);
  log.append(text('gh'), 6000);
  expect([0, 2, 4, 6].map((offset) => log.timeAt(offset))).toEqual([5000, 5000, 5000, 6000]);
  expect([4999, 5000, 6000].map((time) => log.offsetAt(time))).toEqual([0, 6, 8]);
});

test('[LOG-4] time does not run back after kills that left segments without an index', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log, { segmentBytes: 1 });
    log.append(text('ab'), 5000);
  }
  const spliced = Log.open(scratch.log, { segmentBytes: 1 }).sink();
  writeSync(spliced.fd, text('c'), 0, 1, 0); // killed: no mark
  closeSync(spliced.fd);
  using log = Log.open(scratch.log, { segmentBytes: 1 });
  log.append(text('d'), 1000, 'stderr');
  expect([0, 1, 2, 3].map((offset) => log.timeAt(offset))).toEqual([5000, 5000, 5000, 5000]);
});

test('[LOG-4] time marks are at most one per 10 ms, and behind them is room for the end', async () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  for (let at = 0; at < 1000; at++) log.append(text('x'), MS + at);
  const times = [...log.marks(0, 1000)].filter((mark) => mark.type === 'time');
  expect(times).toHaveLength(100);
  const index = join(scratch.log, '0000000000000000.idx');
  expect(statSync(index).size).toBe((100 + 1) * 32);
  expect(await log.flush()).toBeUndefined();
  for (let at = 1000; at < 3000; at++) log.append(text('x'), MS + at);
  expect(statSync(index).size).toBe((300 + 1) * 32);
});

test('the two outputs of a pipes session are told apart, and a read never mixes them', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log, { segmentBytes: 8 });
    log.append(text('out'), MS);
    log.append(text('err'), MS, 'stderr');
    log.append(text('errerr'), MS, 'stderr'); // continues in the next segment
    log.append(text('out'), MS, 'stdout');
    expect(story(log)).toBe('out[errer][rerr]out');
    expect(log.read(2, 100)).toMatchObject({ bytes: text('t'), stream: 'stdout' });
    expect(log.read(4, 100)).toMatchObject({ bytes: text('rrer'), stream: 'stderr' });
  }
  using log = Log.open(scratch.log, { segmentBytes: 8 });
  expect(story(log)).toBe('out[errer][rerr]out');
  log.append(text('!'), MS);
  expect(story(log, 13)).toBe('ut!');
});

test('[LOG-1] a kill right after sink() or right after the bytes never gives bytes to the wrong stream', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  log.append(text('out'), MS);
  const { fd, position } = log.sink('stderr');
  const beforeBytes = scratch.copyOf(scratch.log);
  writeSync(fd, text('err'), 0, 3, position);
  const afterBytes = scratch.copyOf(scratch.log);
  using early = Log.open(beforeBytes);
  early.append(text('more'), MS, 'stdout');
  expect(story(early)).toBe('outmore');
  using late = Log.open(afterBytes);
  late.append(text('more'), MS, 'stdout');
  expect(story(late)).toBe('out[err]more');
});

test('[LOG-7] folders are 0700 and files 0600, whatever the umask', async () => {
  using scratch = new Scratch();
  const umask = process.umask(0);
  try {
    using log = Log.open(join(scratch.root, 'session', 'log'), { segmentBytes: 4 });
    log.append(text('abcdef'), MS);
    log.markResize(80, 24, MS);
    expect(await log.compressOne()).toBe(true);
  } finally {
    process.umask(umask);
  }
  const folder = join(scratch.root, 'session', 'log');
  const modes = [join(scratch.root, 'session'), folder].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700]);
  const files = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  expect(files).toEqual([
    ['0000000000000000.idx', 0o600],
    ['0000000000000000.log.zst', 0o600],
    ['0000000000000004.idx', 0o600],
    ['0000000000000004.log', 0o600],
  ]);
});

test('many watchers that read the same newest bytes share one copy, and never an old one', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  using other = Log.open(join(scratch.root, 'other'));
  const bytesOf = (from: number, length: number, of = log) => {
    const read = of.read(from, length);
    return read.type === 'bytes' ? read.bytes : undefined;
  };
  log.append(text('abc'), MS);
  other.append(text('xyz'), MS);
  expect(bytesOf(0, 100)).toBe(bytesOf(0, 100));
  expect(bytesOf(0, 3)).toBe(bytesOf(0, 100));
  expect(bytesOf(0, 100, other)).toEqual(text('xyz'));
  log.append(text('def'), MS);
  expect(bytesOf(0, 100)).toEqual(text('abcdef'));
  expect(bytesOf(0, 3)).toEqual(text('abc'));
  log.append(sampleBytes(SHARED_READ_BYTES_MAX), MS);
  expect(bytesOf(6, SHARED_READ_BYTES_MAX)).toBe(bytesOf(6, SHARED_READ_BYTES_MAX));
  expect(bytesOf(5, SHARED_READ_BYTES_MAX + 1)).not.toBe(bytesOf(5, SHARED_READ_BYTES_MAX + 1));
});

test('a released log holds no file open and goes on as before', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 4 });
  log.append(text('abcdef'), MS);
  expect(story(log)).toBe('abcdef');
  expect(openFiles(scratch.root, readlinkSync)).not.toEqual([]);
  log.release();
  expect(openFiles(scratch.root, readlinkSync)).toEqual([]);
  log.append(text('ghi'), MS);
  expect(story(log)).toBe('abcdefghi');
  log.close();
  log.close();
  expect(openFiles(scratch.root, readlinkSync)).toEqual([]);
  expect(() => log.sink()).toThrow('closed');
  expect(() => log.read(0, 1)).toThrow('closed');
});

test('an opened log holds no file open until it is used', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abc'), MS);
  }
  using log = Log.open(scratch.log);
  expect(openFiles(scratch.root, readlinkSync)).toEqual([]);
  expect(log.end).toBe(3);
});

test('a log is dirty from the first byte until flush, and what comes during a flush keeps it dirty', async () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  expect(log.isDirty).toBe(false);
  log.append(text('abc'), MS);
  expect(log.isDirty).toBe(true);
  const flushed = log.flush();
  log.append(text('def'), MS);
  expect(await flushed).toBeUndefined();
  expect(log.isDirty).toBe(true);
  const [second, third] = [log.flush(), log.flush()];
  expect(await Promise.all([second, third])).toEqual([undefined, undefined]);
  expect(log.isDirty).toBe(false);
});

test('a log that somebody else may not have synced is dirty from the start', async () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abc'), MS);
  }
  using log = Log.open(scratch.log);
  expect([log.isDirty, await log.flush(), log.isDirty]).toEqual([true, undefined, false]);
});

test('[LIFE-5] a flush without times leaves only marks of time for later; the others are never left', async () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  log.append(Buffer.from('abc'), MS);
  expect([await log.flush({ times: false }), log.isDirty]).toEqual([undefined, true]);
  expect([await log.flush({ times: false }), log.isDirty]).toEqual([undefined, true]);
  expect([await log.flush(), log.isDirty]).toEqual([undefined, false]);
  const others: (() => void)[] = [
    () => log.append(Buffer.from('e'), MS, 'stderr'),
    () => log.markResize(80, 24, MS),
    () => log.skip(5, MS),
  ];
  for (const other of others) {
    log.append(Buffer.from('abc'), MS);
    other();
    expect([await log.flush({ times: false }), log.isDirty]).toEqual([undefined, false]);
  }
});

test('a flush survives rotation, release, close and removal while it is under way', async () => {
  using scratch = new Scratch();
  const log = Log.open(scratch.log, { segmentBytes: 4 });
  log.append(text('abcdefgh'), MS);
  const flushed = log.flush();
  log.append(text('ijkl'), MS);
  log.release();
  const again = log.flush();
  log.close();
  rmSync(scratch.log, { recursive: true });
  expect(await Promise.all([flushed, again])).toEqual([undefined, undefined]);
  expect(openFiles(scratch.root, readlinkSync)).toEqual([]);
});

test('a segment is sealed when its index is full, though it has few bytes', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  for (let i = 0; i <= INDEX_RECORDS_MAX; i++) log.append(text('x'), MS + i * 10);
  const sizes = readdirSync(scratch.log).filter((name) => name.endsWith('.log'));
  expect(sizes).toEqual(['0000000000000000.log', `${String(INDEX_RECORDS_MAX).padStart(16, '0')}.log`]);
  expect(log.timeAt(INDEX_RECORDS_MAX - 1)).toBe(MS + (INDEX_RECORDS_MAX - 1) * 10);
});

test('a session that never printed leaves an empty folder and an empty log', () => {
  using scratch = new Scratch();
  mkdirSync(scratch.log);
  using log = Log.open(scratch.log);
  expect([log.start, log.end, story(log), [...log.marks(0, 9)], log.offsetAt(5), log.timeAt(0)]).toEqual([
    0,
    0,
    '',
    [],
    0,
    undefined,
  ]);
  expect(log.retain(MS)).toBe(0);
  expect(readdirSync(scratch.log)).toEqual([]);
});
