/** Tests that a log with any damage to its files opens, reports correctly every byte that it still has, and can be written to. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAll, Scratch, story, text } from './testing/fixture.ts';
import { Log } from './log.ts';

const MS = 1_000_000;
const OPTIONS = { segmentBytes: 20 };

/** Creates a compressed segment, then raw ones: with both streams, a gap, resizes, and a tail that is not full. */
async function makeLog(folder: string): Promise<{ readonly bytes: ReadonlyMap<number, number>; readonly end: number }> {
  using log = Log.open(folder, OPTIONS);
  log.append(text('this is compressed, '), MS);
  log.append(text('an error'), MS + 50, 'stderr');
  log.append(text('and on'), MS + 100);
  log.skip(9, MS + 150);
  log.append(text('after the hole'), MS + 200);
  log.markResize(100, 30, MS + 250);
  expect(await log.compressOne()).toBe(true);
  const bytes = new Map<number, number>();
  for (const piece of readAll(log)) {
    if (piece.type === 'bytes') piece.bytes.forEach((byte, i) => bytes.set(piece.from + i, byte));
  }
  return { bytes, end: log.end };
}

/** Checks that the damaged log has no wrong byte, loses none outside of a gap, and can be continued. */
function expectTruth(folder: string, { bytes, end }: Awaited<ReturnType<typeof makeLog>>, what: string): void {
  const checkBytes = (log: Log) => {
    for (const piece of readAll(log)) {
      if (piece.type === 'gap') continue;
      piece.bytes.forEach((byte, i) => {
        if (bytes.get(piece.from + i) !== byte) throw new Error(`${what}: wrong byte at ${piece.from + i}`);
      });
    }
    const offsets = [...log.marks(0, Infinity)].map((mark) => mark.offset);
    for (let at = MS - 10; at < MS + 400; at += 100) offsets.push(log.offsetAt(at));
    expect([what, Math.max(0, ...offsets) <= log.end]).toEqual([what, true]);
    for (let offset = 0; offset <= log.end; offset += 15) log.timeAt(offset);
  };
  const read = Log.open(folder, { ...OPTIONS, readOnly: true });
  checkBytes(read);
  read.close();
  let resumedAt: number;
  {
    using log = Log.open(folder, OPTIONS);
    expect([what, log.end <= end]).toEqual([what, true]);
    checkBytes(log);
    resumedAt = log.end;
    log.append(text('and it goes on and on for more than a segment'), MS + 1000, 'stderr');
  }
  using log = Log.open(folder, OPTIONS);
  const rest = story(log, resumedAt).replaceAll('][', '');
  expect([what, rest]).toEqual([what, '[and it goes on and on for more than a segment]']);
}

test('[LIFE-5] any file cut at any byte gives a valid prefix or a gap, and the log continues', async () => {
  using scratch = new Scratch();
  const made = await makeLog(scratch.log);
  for (const name of readdirSync(scratch.log)) {
    for (let size = statSync(join(scratch.log, name)).size - 1; size >= 0; size--) {
      const copy = scratch.copyOf(scratch.log);
      truncateSync(join(copy, name), size);
      expectTruth(copy, made, `${name} cut at ${size}`);
      rmSync(copy, { recursive: true });
    }
  }
}, 60_000);

test('[LIFE-5] any deleted file is a gap, and the log continues', async () => {
  using scratch = new Scratch();
  const made = await makeLog(scratch.log);
  const names = readdirSync(scratch.log);
  for (const name of names) {
    const copy = scratch.copyOf(scratch.log);
    rmSync(join(copy, name));
    expectTruth(copy, made, `${name} removed`);
  }
  for (const name of names.filter((name) => name.endsWith('.idx'))) rmSync(join(scratch.log, name));
  expectTruth(scratch.log, made, 'all indexes removed');
});

test('a flipped bit in an index or a compressed segment never changes a byte', async () => {
  using scratch = new Scratch();
  const made = await makeLog(scratch.log);
  for (const name of readdirSync(scratch.log).filter((name) => !name.endsWith('.log'))) {
    const original = readFileSync(join(scratch.log, name));
    for (let at = 0; at < original.length; at++) {
      const copy = scratch.copyOf(scratch.log);
      const flipped = Buffer.from(original);
      flipped[at]! ^= 1 << (at % 8);
      writeFileSync(join(copy, name), flipped);
      expectTruth(copy, made, `${name} flipped at ${at}`);
      rmSync(copy, { recursive: true });
    }
  }
}, 60_000);

test('[LIFE-5] an index that ends in zeros or in half a record, as a power cut leaves it, is continued', () => {
  using scratch = new Scratch();
  for (const rest of [Buffer.alloc(4096), Buffer.alloc(5000), text('half a record'), Buffer.alloc(32, 0xff)]) {
    const folder = join(scratch.root, `rest-${rest.length}`);
    {
      using log = Log.open(folder);
      log.append(text('abc'), MS);
      log.markResize(80, 24, MS);
    }
    writeFileSync(join(folder, '0000000000000000.idx'), rest, { flag: 'a' });
    {
      using log = Log.open(folder);
      log.append(text('def'), MS + 100);
      log.markResize(90, 24, MS + 200);
    }
    using log = Log.open(folder);
    const marks = [...log.marks(0, 10)].map(({ type, offset, at }) => `${type} ${offset} ${at - MS}`);
    expect([story(log), marks]).toEqual(['abcdef', ['time 0 0', 'resize 3 0', 'time 3 100', 'resize 6 200']]);
  }
});

test('[LIFE-5, LOG-3] what the last whole record said holds, whatever is torn behind it', () => {
  using scratch = new Scratch();
  for (const skipped of [0, 4]) {
    const folder = join(scratch.root, `skipped-${skipped}`);
    {
      using log = Log.open(folder);
      log.append(text('abc'), MS, 'stderr');
      log.skip(skipped, MS);
    }
    writeFileSync(join(folder, '0000000000000000.idx'), Buffer.alloc(320), { flag: 'a' });
    using log = Log.open(folder);
    log.append(text('x'), MS);
    log.markResize(80, 24, MS);
    expect(story(log)).toBe(skipped === 0 ? '[abc]x' : '[abc]<disk 3-7>x');
  }
});

test('[LOG-12] a tail that lost bytes is an exact gap: their offsets are not used again', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abcdef'), MS);
    log.append(text('ghi'), MS + 20);
  }
  truncateSync(join(scratch.log, '0000000000000000.log'), 2);
  using log = Log.open(scratch.log);
  log.append(text('xyz'), MS + 40);
  expect(story(log)).toBe('ab<damaged 2-9>xyz');
});

test('damage beside a hole that the disk left: each has its own reason and its exact width', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abcdef'), MS);
    log.skip(4, MS);
    log.append(text('xyz'), MS);
  }
  truncateSync(join(scratch.log, '0000000000000000.log'), 2);
  using log = Log.open(scratch.log);
  expect(story(log)).toBe('ab<damaged 2-6><disk 6-10>xyz');
});

describe('names that are not ours', () => {
  test.each([
    { name: '0000000000000003.log', content: 'STRAY', why: 'it begins inside another segment' },
    { name: '0000000000000003.idx', content: '', why: 'it begins inside another segment' },
    { name: '0000000000000007.log', content: '', why: 'it begins inside the tail' },
    { name: '9999999999999999.log', content: 'STRAY', why: 'its number is not exact' },
    { name: '123.log', content: 'STRAY', why: 'it is too short' },
    { name: '00000000000000a0.log', content: 'STRAY', why: 'it is no number' },
    { name: '-000000000000001.log', content: 'STRAY', why: 'it is negative' },
    { name: '0000000000000000.log.gz', content: 'STRAY', why: 'it has another ending' },
    { name: 'notes.txt', content: 'STRAY', why: 'it is somebody’s note' },
    { name: '.log', content: 'STRAY', why: 'it has no number' },
  ])('$name is ignored: $why', ({ name, content }) => {
    using scratch = new Scratch();
    {
      using log = Log.open(scratch.log, { segmentBytes: 5 });
      log.append(text('0123456789'), MS);
    }
    writeFileSync(join(scratch.log, name), content);
    {
      using log = Log.open(scratch.log, { segmentBytes: 5 });
      expect([log.start, log.end, story(log)]).toEqual([0, 10, '0123456789']);
      log.append(text('abc'), MS);
    }
    using log = Log.open(scratch.log, { segmentBytes: 5 });
    expect(story(log)).toBe('0123456789abc');
  });

  test('links and folders with our names are neither followed nor fatal', () => {
    using scratch = new Scratch();
    {
      using log = Log.open(scratch.log, { segmentBytes: 5 });
      log.append(text('0123456789'), MS);
    }
    writeFileSync(join(scratch.root, 'elsewhere'), 'secret');
    rmSync(join(scratch.log, '0000000000000000.log'));
    symlinkSync(join(scratch.root, 'elsewhere'), join(scratch.log, '0000000000000000.log'));
    symlinkSync(join(scratch.root, 'elsewhere'), join(scratch.log, '0000000000000100.log'));
    using log = Log.open(scratch.log, { segmentBytes: 5 });
    expect(story(log)).toBe('<damaged 0-5>56789');
    expect(readFileSync(join(scratch.root, 'elsewhere'), 'latin1')).toBe('secret');
  });
});

test('unfinished files of a dead process are removed, but not by a reader', () => {
  using scratch = new Scratch();
  {
    using log = Log.open(scratch.log);
    log.append(text('abc'), MS);
  }
  const leftover = join(scratch.log, '0000000000000000.log.zst.0a1b2c.tmp');
  writeFileSync(leftover, 'half');
  Log.open(scratch.log, { readOnly: true }).close();
  expect(existsSync(leftover)).toBe(true);
  using log = Log.open(scratch.log);
  expect([existsSync(leftover), story(log)]).toEqual([false, 'abc']);
});
