/**
 * Tests disks that refuse writes. The full and the read-only disk are small file systems, mounted for the test: that needs root
 * on Linux. Elsewhere these tests are skipped; CI runs them as root.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFiles, readAll, sampleBytes, Scratch, story, text } from './testing/fixture.ts';
import { Log } from './log.ts';

const MS = 1_000_000;
const PAGE = 4096;

/** A file system of `pages` pages (and a few inodes), mounted below a scratch folder. */
class SmallDisk {
  readonly root: string;

  constructor(scratch: Scratch, pages: number, inodes = 100) {
    this.root = join(scratch.root, 'disk');
    mkdirSync(this.root);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${pages * PAGE},nr_inodes=${inodes}`, 'tmpfs', this.root]);
  }

  get log(): string {
    return join(this.root, 'log');
  }

  /** Fills the disk, except for this many pages. */
  fill(freePages: number): void {
    const free = statfsSync(this.root).bavail;
    if (free > freePages) writeFileSync(join(this.root, 'filler'), Buffer.alloc((free - freePages) * PAGE));
  }

  free(): void {
    rmSync(join(this.root, 'filler'), { force: true });
  }

  remount(mode: 'ro' | 'rw'): void {
    execFileSync('mount', ['-o', `remount,${mode}`, this.root]);
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['-l', this.root]);
  }
}

const canMount = (() => {
  using scratch = new Scratch();
  try {
    using disk = new SmallDisk(scratch, 1);
    return disk.root !== '';
  } catch {
    return false; // not root, or not Linux
  }
})();

describe('with a small disk', () => {
  beforeEach(({ skip }) => skip(!canMount, 'It runs as root on Linux, where a small disk can be mounted.'));

  test('[LOG-6] a full disk refuses exactly, nothing is corrupt, and the log recovers by itself', async () => {
    using scratch = new Scratch();
    using disk = new SmallDisk(scratch, 64);
    using log = Log.open(disk.log, { segmentBytes: 10_000 });
    disk.fill(10);
    const taken = log.append(sampleBytes(100_000), MS);
    expect(taken).toBeGreaterThan(20_000);
    expect(taken).toBeLessThan(100_000);
    expect(() => log.append(text('x'), MS + 10)).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(log.end).toBe(taken);
    log.skip(70_000 - taken, MS + 20);
    log.skip(30_000, MS + 30);
    expect([undefined, 'ENOSPC']).toContain((await log.flush())?.code);
    disk.free();
    expect(log.append(sampleBytes(5000, 100_000), MS + 40)).toBe(5000);
    expect(await log.flush()).toBeUndefined();
    expect(log.isDirty).toBe(false);
    const check = (log: Log) => {
      expect(log.end).toBe(105_000);
      expect(Buffer.from(story(log), 'latin1')).toEqual(
        Buffer.concat([sampleBytes(taken), text(`<disk ${taken}-100000>`), sampleBytes(5000, 100_000)]),
      );
    };
    check(log);
    log.close();
    using again = Log.open(disk.log, { segmentBytes: 10_000 });
    check(again);
  });

  test('[LOG-6] wherever the disk gets full, in bytes, index or name, each byte is stored once or told as a gap', async () => {
    for (let pages = 0; pages < 12; pages++) {
      using scratch = new Scratch();
      using disk = new SmallDisk(scratch, 64);
      disk.fill(pages);
      const log = Log.open(disk.log, { segmentBytes: 6000 });
      const expected: string[] = [];
      const write = (length: number, at: number) => {
        const stream = at % 2 === 0 ? 'stdout' : 'stderr';
        let taken = 0;
        try {
          taken = log.append(Buffer.alloc(length, 'x'), MS + at * 20, stream);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ENOSPC' });
        }
        for (let i = 0; i < taken; i++) expected.push(stream);
        log.skip(length - taken, MS + at * 20);
        for (let i = taken; i < length; i++) expected.push('disk');
      };
      for (let at = 0; at < 60; at++) {
        write(1 + ((at * 613) % 1500), at);
        log.markResize(80, at + 1, MS + at * 20);
        if (at === 40) disk.free();
        if (at % 10 === 0) await log.flush();
      }
      expect(await log.flush()).toBeUndefined();
      expect(wordsOf(log)).toEqual(expected);
      log.close();
      using again = Log.open(disk.log, { segmentBytes: 6000 });
      expect(wordsOf(again)).toEqual(expected);
      const rows = [...again.marks(0, Infinity)].flatMap((mark) => (mark.type === 'resize' ? [mark.rows] : []));
      expect(rows).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    }
  }, 60_000);

  test('[LOG-6] no room for another file: the open segment is kept, and the next one comes later', () => {
    using scratch = new Scratch();
    using disk = new SmallDisk(scratch, 64, 5); // the root, the log, two files, and one of the test
    writeFileSync(join(disk.root, 'filler'), '');
    using log = Log.open(disk.log, { segmentBytes: 4 });
    log.markResize(80, 24, MS);
    expect(log.append(text('abcdef'), MS)).toBe(4);
    for (let i = 0; i < 3; i++) expect(() => log.sink()).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(story(log)).toBe('abcd');
    log.skip(2, MS);
    disk.free();
    log.append(text('gh'), MS);
    expect(story(log)).toBe('abcd<disk 4-6>gh');
  });

  test('[LOG-6] a compression that finds the disk full leaves the segment as it was', async () => {
    using scratch = new Scratch();
    using disk = new SmallDisk(scratch, 64);
    using log = Log.open(disk.log, { segmentBytes: 50_000 });
    const noise = Buffer.from(Array.from({ length: 60_000 }, (_, i) => Math.imul(i ^ (i << 7), 0x2545_f491) >>> 11));
    log.append(noise, MS);
    disk.fill(1);
    await expect(log.compressOne()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readdirSync(disk.log).filter((name) => !name.endsWith('.log') && !name.endsWith('.idx'))).toEqual([]);
    disk.free();
    expect(await log.compressOne()).toBe(true);
    expect(Buffer.from(story(log), 'latin1').equals(noise)).toBe(true);
  });

  test('[LOG-6] a disk that became read-only can still be read, told about and opened; written again when it is back', async () => {
    using scratch = new Scratch();
    using disk = new SmallDisk(scratch, 64);
    using log = Log.open(disk.log, { segmentBytes: 4, retainMs: 1000 });
    log.append(text('abcdef'), MS);
    log.release();
    disk.remount('ro');
    expect(() => log.sink()).toThrow(expect.objectContaining({ code: 'EROFS' }));
    expect(story(log)).toBe('abcdef');
    log.skip(3, MS + 10);
    log.markResize(80, 24, MS + 20);
    expect(await log.flush()).toMatchObject({ code: 'EROFS' });
    expect([log.isDirty, log.retain(MS * 10)]).toEqual([true, 0]);
    await expect(log.compressOne()).rejects.toMatchObject({ code: 'EROFS' });
    {
      using other = Log.open(disk.log, { segmentBytes: 4 });
      expect(story(other)).toBe('abcdef');
      using missing = Log.open(join(disk.root, 'never-made'));
      expect(() => missing.sink()).toThrow(expect.objectContaining({ code: 'EROFS' }));
    }
    disk.remount('rw');
    log.append(text('xyz'), MS + 30);
    expect([await log.flush(), story(log)]).toEqual([undefined, 'abcdef<disk 6-9>xyz']);
    expect([...log.marks(9, 9)].map(({ type }) => type)).toEqual(['resize', 'time']);
    log.close();
    expect(openFiles(scratch.root, readlinkSync)).toEqual([]);
  });
});

test('[LOG-6] without file descriptors only the bytes that could not be stored are lost, and they are reported', () => {
  using scratch = new Scratch();
  const script = join(import.meta.dirname, 'fixtures', 'out-of-fds.ts');
  const seen = JSON.parse(
    execFileSync('sh', ['-c', 'ulimit -n 60; exec "$0" "$@"', process.execPath, script, scratch.log], {
      encoding: 'utf8',
    }),
  ) as unknown;
  expect(seen).toEqual({
    sink: 'EMFILE',
    append: 'EMFILE',
    readSealed: 'EMFILE',
    readOpen: 'EMFILE',
    open: 'EMFILE',
    flush: 'EMFILE',
    dirty: true,
    appended: 5,
    flushed: null,
  });
  using log = Log.open(scratch.log, { segmentBytes: 8 });
  expect(story(log)).toBe('before, and now<disk 15-19>after');
});

/** Returns one word for each offset: its stream, or the reason why it is missing. All bytes are an x. */
function wordsOf(log: Log): string[] {
  return readAll(log).flatMap((piece) => {
    if (piece.type === 'gap') return Array.from({ length: piece.to - piece.from }, () => piece.reason as string);
    return Array.from(piece.bytes, (byte) => (byte === 0x78 ? piece.stream : 'wrong'));
  });
}
