import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sampleBytes, Scratch, text } from './testing/fixture.ts';
import { Log, SHARED_READ_BYTES_MAX } from './log.ts';
import { FRAME_BYTES, packZstd, unpackZstdFile, zstdFileBytes, zstdFrames } from './zstd-file.ts';

const MS = 1_000_000;
const MIB = 1024 * 1024;
const FIRST = '0000000000000000.log.zst';

const line = (row: number): string => `[${row}] ${Math.imul(row, 0x9e37_79b1) >>> 0} a line of an ordinary log\r\n`;

function ordinaryBytes(length: number): Buffer {
  let lines = '';
  for (let row = 0; lines.length < length; row++) lines += line(row);
  return text(lines.slice(0, length));
}

async function compressedLog(folder: string, bytes: Buffer, segmentBytes = 4 * MIB): Promise<Log> {
  const log = Log.open(folder, { segmentBytes });
  log.append(bytes, MS);
  log.append(text('tail'), MS);
  while (await log.compressOne());
  return log;
}

/** Measures the CPU time for this many readers to read the same number of bytes, each at another offset, in turns. */
function cpuFor(log: Log, readers: number, bytesInAll: number): number {
  const distance = Math.floor(log.end / readers);
  const cursors = Array.from({ length: readers }, (_, at) => at * distance);
  const before = process.cpuUsage();
  for (let read = 0; read < bytesInAll;) {
    for (let reader = 0; reader < readers; reader++) {
      const piece = log.read(cursors[reader]!, SHARED_READ_BYTES_MAX);
      if (piece.type === 'gap') throw new Error('a gap');
      if (piece.type === 'end') cursors[reader] = 0;
      else {
        cursors[reader]! += piece.bytes.length;
        read += piece.bytes.length;
      }
    }
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('[SLOW-4] sixteen readers of compressed history cost what one costs for the same bytes', async () => {
  using scratch = new Scratch();
  using log = await compressedLog(scratch.log, ordinaryBytes(12 * MIB), MIB);
  cpuFor(log, 1, 4 * MIB); // warm
  // The ratio was fifteen when each read unpacked the whole segment.
  const [one, sixteen] = [cpuFor(log, 1, 12 * MIB), cpuFor(log, 16, 12 * MIB)];
  expect(sixteen / one).toBeLessThan(5);
});

test('[LOG-1] frames are read right at every cut, and the file is one that any zstd tool unpacks', async () => {
  using scratch = new Scratch();
  const content = ordinaryBytes(4 * MIB);
  using log = await compressedLog(scratch.log, content);
  const path = join(scratch.log, FIRST);
  expect(zstdFrames(path)).toHaveLength((4 * MIB) / FRAME_BYTES);
  expect(zstdDecompressSync(readFileSync(path)).equals(content)).toBe(true);
  for (const from of [0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * MIB + 17, 4 * MIB - 1]) {
    const piece = log.read(from, SHARED_READ_BYTES_MAX);
    const length = piece.type === 'bytes' ? piece.bytes.length : 0;
    expect(length).toBeGreaterThan(0);
    expect(piece).toMatchObject({ type: 'bytes', bytes: content.subarray(from, from + length) });
  }
});

test('[LOG-1] a segment that was compressed in one piece is read as before', async () => {
  using scratch = new Scratch();
  const content = ordinaryBytes(4 * MIB);
  using log = await compressedLog(scratch.log, content);
  log.release();
  const params = { [constants.ZSTD_c_contentSizeFlag]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  writeFileSync(join(scratch.log, FIRST), zstdCompressSync(content, { pledgedSrcSize: content.length, params }));
  using again = Log.open(scratch.log);
  expect(again.read(3 * MIB, 1000)).toMatchObject({ bytes: content.subarray(3 * MIB, 3 * MIB + 1000) });
  expect(again.read(4 * MIB, 10)).toMatchObject({ bytes: text('tail') });
});

test('[LOG-6] rot in one frame costs that frame: an exact gap, and the rest is read', async () => {
  using scratch = new Scratch();
  const content = ordinaryBytes(4 * MIB);
  using log = await compressedLog(scratch.log, content);
  log.release();
  const path = join(scratch.log, FIRST);
  const packed = readFileSync(path);
  const { at, packedBytes } = zstdFrames(path)![3]!;
  packed[at + (packedBytes >> 1)]! ^= 0xff;
  writeFileSync(path, packed);
  const gap = { type: 'gap', from: 3 * FRAME_BYTES + 5, to: 4 * FRAME_BYTES, reason: 'damaged' };
  expect(log.read(3 * FRAME_BYTES + 5, 100)).toEqual(gap);
  expect(log.read(4 * FRAME_BYTES, 100)).toMatchObject({
    bytes: content.subarray(4 * FRAME_BYTES, 4 * FRAME_BYTES + 100),
  });
});

test('a file of several frames that is cut short or has another length in its table is damage', async () => {
  using scratch = new Scratch();
  const path = join(scratch.root, 'packed');
  const bytes = sampleBytes(FRAME_BYTES * 2 + 100);
  const packed = await packZstd(bytes);
  writeFileSync(path, packed);
  expect([zstdFileBytes(path), unpackZstdFile(path, bytes.length)?.equals(bytes)]).toEqual([bytes.length, true]);
  for (const cut of [1, 8, 9, 20, 100, FRAME_BYTES]) {
    writeFileSync(path, packed.subarray(0, packed.length - cut));
    expect([cut, unpackZstdFile(path, Number.MAX_SAFE_INTEGER)]).toEqual([cut, undefined]);
  }
  const lying = Buffer.from(packed);
  lying.writeUInt32LE(FRAME_BYTES + 1, packed.length - 9 - 3 * 8 + 4);
  writeFileSync(path, lying);
  expect(unpackZstdFile(path, Number.MAX_SAFE_INTEGER)).toBeUndefined();
});
