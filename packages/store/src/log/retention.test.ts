import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Scratch, story, text } from './testing/fixture.ts';
import { countToDrop } from './retention.ts';
import { Log } from './log.ts';

const MS = 1_000_000;

describe('which segments go', () => {
  const segments = [
    { diskBytes: 10, lastAt: 100 },
    { diskBytes: 20, lastAt: 200 },
    { diskBytes: 30, lastAt: 300 },
  ];
  test.each([
    { retainBytes: 65, retainMs: 1000, now: 300, count: 0, why: 'all fits' },
    { retainBytes: 64, retainMs: 1000, now: 300, count: 1, why: 'one byte too much' },
    { retainBytes: 35, retainMs: 1000, now: 300, count: 2, why: 'two go' },
    { retainBytes: 0, retainMs: 1000, now: 300, count: 3, why: 'the open segment stays, whatever its size' },
    { retainBytes: 99, retainMs: 100, now: 200, count: 0, why: 'exactly as old as allowed' },
    { retainBytes: 99, retainMs: 100, now: 201, count: 1, why: 'a moment too old' },
    { retainBytes: 99, retainMs: 100, now: 9999, count: 3, why: 'all are old' },
    { retainBytes: 55, retainMs: 100, now: 301, count: 2, why: 'one is too much, the next too old' },
  ])('$why: $count', ({ retainBytes, retainMs, now, count }) => {
    const retained = segments.map(({ diskBytes, lastAt }) => ({ diskBytes, lastAt: () => lastAt }));
    expect(countToDrop(retained, 5, { retainBytes, retainMs }, now)).toBe(count);
  });
});

test('[LOG-5] retention by bytes counts what is on the disk, drops the oldest, and tells the exact gap', () => {
  using scratch = new Scratch();
  // Each full segment takes 10 bytes, one mark of 32 and its end, also of 32.
  const options = { segmentBytes: 10, retainBytes: 150 };
  {
    using log = Log.open(scratch.log, options);
    log.append(text('aaaaaaaaaabbbbbbbbbbccccccccccdd'), MS);
    expect(log.retain(MS)).toBe(20); // 3 × 74 + 34 > 150, and so is 2 × 74 + 34
    expect(log.start).toBe(20);
    expect(story(log)).toBe('<retention 0-20>ccccccccccdd');
    expect(log.read(13, 5)).toEqual({ type: 'gap', from: 13, to: 20, reason: 'retention' });
    expect(log.retain(MS)).toBe(20);
  }
  const bytes = readdirSync(scratch.log).map((name) => statSync(join(scratch.log, name)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBe(74 + 66);
  using log = Log.open(scratch.log, options);
  expect([log.start, log.end, story(log)]).toEqual([20, 32, '<retention 0-20>ccccccccccdd']);
  expect([log.timeAt(5), log.timeAt(25), log.offsetAt(0)]).toEqual([undefined, MS, 20]);
  expect([...log.marks(0, 100)].map(({ offset }) => offset)).toEqual([20, 30]);
});

test('[LOG-5] compression makes room: more history fits into the same bytes', async () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 10_000, retainBytes: 15_000 });
  log.append(Buffer.alloc(35_000, 'all the same '), MS);
  while (await log.compressOne());
  expect(log.retain(MS)).toBe(0);
  log.append(Buffer.alloc(20_000, 'all the same '), MS);
  expect(log.retain(MS)).toBe(50_000);
});

test('[LOG-5] retention by age drops what is older, by the time of its last bytes', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 4, retainMs: 1000 });
  log.append(text('aaaa'), MS);
  log.append(text('bb'), MS + 100);
  log.append(text('bb'), MS + 900);
  log.append(text('cccc'), MS + 950);
  expect(log.retain(MS + 1000)).toBe(0);
  expect(log.retain(MS + 1001)).toBe(4);
  expect(log.retain(MS + 1900)).toBe(4);
  expect(log.retain(MS + 1901)).toBe(8);
  expect(log.retain(MS * 10)).toBe(8); // the open segment stays
  expect(story(log)).toBe('<retention 0-8>cccc');
});

test('[LOG-5] a hole behind a dropped segment goes with it', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { retainMs: 1000 });
  log.append(text('aaaa'), MS);
  log.skip(6, MS);
  log.append(text('bb'), MS + 5000);
  expect([story(log), log.retain(MS + 5000), story(log)]).toEqual(['aaaa<disk 4-10>bb', 10, '<retention 0-10>bb']);
});

test('[LOG-5] a segment that lost its index has the age of its file', () => {
  using scratch = new Scratch();
  const options = { segmentBytes: 4, retainMs: 1000 };
  {
    using log = Log.open(scratch.log, options);
    log.append(text('aaaabbbbcc'), MS);
  }
  for (const name of readdirSync(scratch.log)) {
    if (name.endsWith('.idx')) rmSync(join(scratch.log, name));
    else utimesSync(join(scratch.log, name), 5000, 5000 + Number(name.slice(0, 16)));
  }
  using log = Log.open(scratch.log, options);
  expect([log.retain(5_001_000), log.retain(5_001_001), log.retain(5_005_001)]).toEqual([0, 4, 8]);
});
