import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CompressStep } from './compress.ts';
import { Scratch, story, text } from './testing/fixture.ts';
import { encodeRecord, RECORD_BYTES } from './record.ts';
import { Log } from './log.ts';
import { packRecords, PackedRecords } from './packed-records.ts';

const MS = 1_700_000_000_000;
const MARKS = 5000;
const OPTIONS = { segmentBytes: 64 * 1024 };
const INDEX = '0000000000000000.idx';
const PACKED = `${INDEX}.zst`;

/** Creates segments of a program that ticks: a mark for every few bytes, a resize and a change of stream among them. */
function tickingLog(folder: string): Log {
  const log = Log.open(folder, OPTIONS);
  for (let tick = 0; tick < MARKS; tick++) {
    log.append(text(`tick ${tick}\r\n`), MS + tick * 20, tick % 1000 === 7 ? 'stderr' : 'stdout');
    if (tick === 500) log.markResize(120, 40, MS + tick * 20);
  }
  log.append(Buffer.alloc(64 * 1024), MS + MARKS * 20);
  log.append(text('tail'), MS + MARKS * 20);
  return log;
}

async function compressAll(log: Log): Promise<void> {
  while (await log.compressOne());
}

const marksOf = (log: Log) => [...log.marks(0, log.end)];

test('[LOG-4] the index of a sealed segment is packed, to a fifth or less, and has the same marks', async () => {
  using scratch = new Scratch();
  using log = tickingLog(scratch.log);
  log.release();
  const [marks, told] = [marksOf(log), story(log)];
  const before = statSync(join(scratch.log, INDEX)).size;
  await compressAll(log);
  expect(existsSync(join(scratch.log, INDEX))).toBe(false);
  expect(statSync(join(scratch.log, PACKED)).size).toBeLessThan(before / 5);
  using again = Log.open(scratch.log, OPTIONS);
  expect(marksOf(again)).toEqual(marks);
  expect(story(again)).toBe(told);
  for (const tick of [0, 1, 499, 2500, 4000]) {
    const offset = log.offsetAt(MS + tick * 20 - 1);
    expect([again.offsetAt(MS + tick * 20 - 1), again.timeAt(offset)]).toEqual([offset, MS + tick * 20]);
  }
});

test('[LOG-4] an index that fits into a block of the disk is left as it is', async () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, OPTIONS);
  log.append(Buffer.alloc(100_000), MS);
  log.release();
  await compressAll(log);
  expect(readdirSync(scratch.log).filter((name) => name.includes('.idx'))).toEqual([INDEX, '0000000000065536.idx']);
});

test('[LOG-4] a reader meanwhile finds the marks in the packed index', async () => {
  using scratch = new Scratch();
  using log = tickingLog(scratch.log);
  log.release();
  using reader = Log.open(scratch.log, { ...OPTIONS, readOnly: true });
  const marks = marksOf(reader);
  reader.read(0, 10); // it has listed the folder: the raw index is there
  await compressAll(log);
  expect(marksOf(reader)).toEqual(marks);
});

describe('[LIFE-5] a kill in the middle of packing an index loses no mark', () => {
  const STEPS: readonly CompressStep[] = ['packed', 'created', 'written', 'renamed', 'durable', 'removed'];
  test.each(STEPS)('after %s', async (step) => {
    using scratch = new Scratch();
    using log = tickingLog(scratch.log);
    log.release();
    const marks = marksOf(log);
    while (readdirSync(scratch.log).filter((name) => name.endsWith('.log')).length > 1) await log.compressOne();
    let killed = '';
    await log.compressOne((reached) => {
      if (reached === step) killed = scratch.copyOf(scratch.log);
    });
    expect(killed).not.toBe('');
    using next = Log.open(killed, OPTIONS);
    expect(marksOf(next)).toEqual(marks);
    await compressAll(next);
    expect(marksOf(next)).toEqual(marks);
    expect(readdirSync(killed).filter((name) => name.startsWith(INDEX))).toEqual([PACKED]);
  });
});

test('[LOG-6] a packed index that is damaged costs its marks, not a byte', async () => {
  using scratch = new Scratch();
  using log = tickingLog(scratch.log);
  await compressAll(log);
  log.close();
  const whole = readFileSync(join(scratch.log, PACKED));
  const rotten = Buffer.from(whole);
  rotten[100]! ^= 0x40;
  for (const content of [rotten, whole.subarray(0, whole.length - 5), Buffer.alloc(0), Buffer.from('not zstd')]) {
    writeFileSync(join(scratch.log, PACKED), content);
    using again = Log.open(scratch.log, OPTIONS);
    const bytes = story(again).replaceAll(/[[\]]/g, '');
    expect(bytes.startsWith('tick 0\r\ntick 1\r\n')).toBe(true);
    expect(bytes).not.toContain('<');
  }
});

test('[LOG-3] a log whose last segments were lost goes on, and its packed index is unpacked for that', async () => {
  using scratch = new Scratch();
  {
    using log = tickingLog(scratch.log);
    await compressAll(log);
  }
  const lost = readdirSync(scratch.log).filter((name) => Number.parseInt(name, 10) > 0);
  for (const name of lost) rmSync(join(scratch.log, name));
  using log = Log.open(scratch.log, OPTIONS);
  const marks = marksOf(log);
  log.markResize(90, 30, MS * 2);
  log.append(text('more'), MS * 2);
  log.release();
  expect(marksOf(log).slice(0, marks.length)).toEqual(marks);
  expect(marksOf(log)[marks.length]).toMatchObject({ type: 'resize', cols: 90 });
  expect(existsSync(join(scratch.log, PACKED))).toBe(false);
});

test('records are packed as they are: whole ones whole, damaged ones as damage, at any count', async () => {
  using scratch = new Scratch();
  const path = join(scratch.root, 'packed');
  for (const count of [1, 2, 2047, 2048, 2049, 6000]) {
    const records = Buffer.alloc(count * RECORD_BYTES);
    for (let row = 0; row < count; row++) {
      const mark = { type: 'time', offset: row * 7, at: MS + row * 13 } as const;
      encodeRecord(records, row * RECORD_BYTES, { mark, stream: 'stdout', hasStderr: false });
    }
    if (count > 2) records[RECORD_BYTES + 9]! ^= 1;
    writeFileSync(path, await packRecords(records));
    const packed = PackedRecords.open(path)!;
    const expected = Buffer.from(records);
    if (count > 2) expected.fill(0, RECORD_BYTES, 2 * RECORD_BYTES);
    expect([packed.count, packed.read(0, count).equals(expected)]).toEqual([count, true]);
    const [from, to] = [count >> 1, Math.min(count, (count >> 1) + 100)];
    expect(packed.read(from, to).equals(expected.subarray(from * RECORD_BYTES, to * RECORD_BYTES))).toBe(true);
  }
  truncateSync(path, 4);
  expect(PackedRecords.open(path)).toBeUndefined();
});
