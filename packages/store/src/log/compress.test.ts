import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { zstdDecompressSync } from 'node:zlib';
import type { CompressStep } from './compress.ts';
import { openFiles, sampleBytes, Scratch, story, text } from './testing/fixture.ts';
import { Log } from './log.ts';

const MS = 1_000_000;
const STEPS: readonly CompressStep[] = [
  'read',
  'packed',
  'created',
  'written',
  'synced',
  'renamed',
  'durable',
  'removed',
];
const CONTENT = 'the first segmentthe second one...tail';
const OPTIONS = { segmentBytes: 17 };

function makeLog(folder: string, options = OPTIONS): Log {
  const log = Log.open(folder, options);
  log.append(text(CONTENT), MS);
  return log;
}

const namesIn = (folder: string) => readdirSync(folder).filter((name) => !name.endsWith('.idx'));

test('[LOG-1, LOG-3] sealed segments are compressed one by one, oldest first; bytes and offsets stay', async () => {
  using scratch = new Scratch();
  using log = makeLog(scratch.log);
  expect([await log.compressOne(), await log.compressOne(), await log.compressOne()]).toEqual([true, true, false]);
  expect(namesIn(scratch.log)).toEqual([
    '0000000000000000.log.zst',
    '0000000000000017.log.zst',
    '0000000000000034.log',
  ]);
  expect(story(log)).toBe(CONTENT);
  log.close();
  using again = Log.open(scratch.log, OPTIONS);
  expect([again.start, again.end, story(again)]).toEqual([0, CONTENT.length, CONTENT]);
  expect(again.read(3, 5)).toMatchObject({ from: 3, bytes: text(CONTENT.slice(3, 8)) });
});

test('a compressed segment is a plain zstd file, which any tool can read', async () => {
  using scratch = new Scratch();
  using log = makeLog(scratch.log);
  await log.compressOne();
  expect(zstdDecompressSync(readFileSync(join(scratch.log, '0000000000000000.log.zst')))).toEqual(
    text(CONTENT.slice(0, 17)),
  );
});

test('what holds no bytes is not compressed, and a second call meanwhile shares the first', async () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log);
  expect(await log.compressOne()).toBe(false);
  log.append(text('only the open segment'), MS);
  expect(await log.compressOne()).toBe(false);
  using other = makeLog(join(scratch.root, 'other'));
  expect(await Promise.all([other.compressOne(), other.compressOne()])).toEqual([true, true]);
  expect(namesIn(join(scratch.root, 'other')).filter((name) => name.endsWith('.zst'))).toHaveLength(1);
});

test('more compressed segments than are kept unpacked are all read right, in any order, by several logs', async () => {
  using scratch = new Scratch();
  const logs = ['one', 'two'].map((name, salt) => {
    const log = Log.open(join(scratch.root, name), { segmentBytes: 1000 });
    log.append(sampleBytes(9000, salt * 77), MS);
    return log;
  });
  for (const log of logs) while (await log.compressOne());
  for (let i = 0; i < 60; i++) {
    const [log, from] = [logs[i % 2]!, (i * 1717) % 8999];
    const length = Math.min(100, 1000 - (from % 1000));
    expect(log.read(from, 100)).toMatchObject({ bytes: sampleBytes(length, (i % 2) * 77 + from) });
  }
  for (const log of logs) log.close();
});

describe('[LIFE-5] a kill in the middle of a compression loses nothing and leaves nothing behind', () => {
  test.each(STEPS)('after %s', async (step) => {
    using scratch = new Scratch();
    using log = makeLog(scratch.log);
    let killed = '';
    await log.compressOne((reached) => {
      if (reached === step) killed = scratch.copyOf(scratch.log);
    });
    {
      using reader = Log.open(killed, { ...OPTIONS, readOnly: true });
      expect(story(reader)).toBe(CONTENT);
    }
    using next = Log.open(killed, OPTIONS);
    expect(story(next)).toBe(CONTENT);
    const isReplaced = ['renamed', 'durable', 'removed'].includes(step);
    expect(namesIn(killed)[0]).toBe(isReplaced ? '0000000000000000.log.zst' : '0000000000000000.log');
    expect(namesIn(killed)).toHaveLength(3);
    while (await next.compressOne());
    next.append(text('!'), MS);
    expect(story(next)).toBe(`${CONTENT}!`);
  });

  test('and of the two files one wins: the compressed one if it is whole, else the raw one', async () => {
    using scratch = new Scratch();
    using log = makeLog(scratch.log);
    let killed = '';
    await log.compressOne((step) => {
      if (step === 'renamed') killed = scratch.copyOf(scratch.log);
    });
    const compressed = readFileSync(join(killed, '0000000000000000.log.zst'));
    for (let size = 0; size < compressed.length; size++) {
      const copy = scratch.copyOf(killed);
      truncateSync(join(copy, '0000000000000000.log.zst'), size);
      using next = Log.open(copy, OPTIONS);
      expect([size, story(next), existsSync(join(copy, '0000000000000000.log.zst'))]).toEqual([size, CONTENT, false]);
    }
    for (let size = 0; size <= 17; size++) {
      const copy = scratch.copyOf(killed);
      truncateSync(join(copy, '0000000000000000.log'), size);
      using next = Log.open(copy, OPTIONS);
      expect([size, story(next), existsSync(join(copy, '0000000000000000.log'))]).toEqual([size, CONTENT, false]);
    }
  });
});

describe('whatever happens at whatever step of a compression, the log stays right', () => {
  test.each(STEPS)('reads, appends and a release at %s', async (step) => {
    using scratch = new Scratch();
    using log = makeLog(scratch.log);
    const seen: string[] = [];
    const done = log.compressOne((reached) => {
      if (reached !== step) return;
      seen.push(story(log));
      log.release();
      log.append(text('more than one more segment'), MS);
      seen.push(story(log));
    });
    expect(await done).toBe(true);
    expect([...seen, story(log)]).toEqual([
      CONTENT,
      `${CONTENT}more than one more segment`,
      `${CONTENT}more than one more segment`,
    ]);
  });

  test.each(STEPS)('[LOG-5] retention at %s drops the segment for good', async (step) => {
    using scratch = new Scratch();
    using log = makeLog(scratch.log, { ...OPTIONS, retainMs: 1000 } as typeof OPTIONS);
    await log.compressOne((reached) => {
      if (reached === step) expect(log.retain(MS + 5000)).toBe(34);
    });
    expect(story(log)).toBe('<retention 0-34>tail');
    expect(readdirSync(scratch.log)).toEqual(['0000000000000034.idx', '0000000000000034.log']);
  });

  test.each(STEPS)('closing at %s, and opening again at once, loses nothing', async (step) => {
    using scratch = new Scratch();
    using log = makeLog(scratch.log);
    let next: Log | undefined;
    await log.compressOne((reached) => {
      if (reached !== step) return;
      log.close();
      next = Log.open(scratch.log, OPTIONS);
      expect(story(next)).toBe(CONTENT);
    });
    expect(story(next!)).toBe(CONTENT);
    next!.close();
    using last = Log.open(scratch.log, OPTIONS);
    expect(story(last)).toBe(CONTENT);
    expect(namesIn(scratch.log)).toHaveLength(3);
  });

  test.each(STEPS)(
    'a session removed with its folder at %s ends the work quietly, with no file left open',
    async (step) => {
      using scratch = new Scratch();
      const log = makeLog(scratch.log);
      const done = await log.compressOne((reached) => {
        if (reached !== step) return;
        log.close();
        rmSync(scratch.log, { recursive: true });
      });
      expect([done, openFiles(scratch.root, readlinkSync), existsSync(scratch.log)]).toEqual([
        step === 'removed',
        [],
        false,
      ]);
      expect(await log.compressOne()).toBe(false);
    },
  );
});

test('a compression that the disk refuses rejects, changes nothing and can be tried again', async () => {
  using scratch = new Scratch();
  using log = makeLog(scratch.log);
  const fail = () => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC', errno: -28 });
  };
  for (const step of STEPS.slice(0, 6)) {
    await expect(log.compressOne((reached) => (reached === step ? fail() : undefined))).rejects.toThrow('no space');
    expect(story(log)).toBe(CONTENT);
    expect(namesIn(scratch.log).some((name) => name.endsWith('.tmp'))).toBe(false);
  }
  expect([await log.compressOne(), story(log)]).toEqual([true, CONTENT]);
});

test('a compressed segment that claims to be longer than its place is damage, not a bomb', async () => {
  using scratch = new Scratch();
  using log = makeLog(scratch.log);
  await log.compressOne();
  const bomb = Log.open(join(scratch.root, 'bomb'), { segmentBytes: 1 << 20 });
  bomb.append(Buffer.alloc((1 << 20) + 1), MS);
  await bomb.compressOne();
  bomb.close();
  const packed = readFileSync(join(scratch.root, 'bomb', '0000000000000000.log.zst'));
  writeFileSync(join(scratch.log, '0000000000000000.log.zst'), packed);
  log.release();
  expect(story(log)).toBe(`<damaged 0-17>${CONTENT.slice(17)}`);
});
