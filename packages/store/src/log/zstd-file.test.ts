import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { constants, zstdCompressSync } from 'node:zlib';
import { sampleBytes, Scratch } from './testing/fixture.ts';
import { packZstd, unpackZstdFile, zstdFileBytes } from './zstd-file.ts';

test('the length is in the header, for every form that the header has', async () => {
  using scratch = new Scratch();
  const path = join(scratch.root, 'packed');
  for (const length of [0, 1, 255, 256, 257, 65_535, 65_791, 65_792, 70_000, 5_000_000]) {
    const bytes = sampleBytes(length);
    writeFileSync(path, await packZstd(bytes));
    expect([length, zstdFileBytes(path), unpackZstdFile(path, length)?.equals(bytes)]).toEqual([length, length, true]);
    if (length > 0) expect(unpackZstdFile(path, length - 1)).toBeUndefined();
  }
});

test('files in another format are undefined: missing, empty, foreign, without a length', () => {
  using scratch = new Scratch();
  const path = join(scratch.root, 'packed');
  expect([zstdFileBytes(path), unpackZstdFile(path, 1000)]).toEqual([undefined, undefined]);
  const withoutLength = zstdCompressSync(sampleBytes(1000), { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } });
  for (const content of [Buffer.alloc(0), Buffer.from('not a zstd file at all'), withoutLength]) {
    writeFileSync(path, content);
    expect([zstdFileBytes(path), unpackZstdFile(path, 1000)]).toEqual([undefined, undefined]);
  }
});
