import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRecord, encodeRecord, RECORD_BYTES, type IndexRecord } from './record.ts';

const offset = fc.maxSafeNat();
const at = fc.double({ noNaN: true, min: 0, max: 2 ** 52 });
const u32 = fc.nat(2 ** 32 - 1);
const stream = fc.constantFrom('stdout' as const, 'stderr' as const);

const RECORDS: fc.Arbitrary<IndexRecord> = fc.record({
  mark: fc.oneof(
    fc.record({ type: fc.constant('time' as const), offset, at }),
    fc.record({ type: fc.constant('resize' as const), offset, at, cols: u32, rows: u32 }),
    fc.record({ type: fc.constant('gap' as const), offset, at, bytes: fc.maxSafeNat() }),
  ),
  stream,
  hasStderr: fc.boolean(),
});

function encode(record: IndexRecord): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  encodeRecord(bytes, 0, record);
  return bytes;
}

test('every record comes back as it was', () => {
  fc.assert(
    fc.property(RECORDS, (record) => {
      expect(decodeRecord(encode(record), 0)).toEqual(record);
    }),
  );
  const change: IndexRecord = {
    mark: { type: 'stream', offset: 5, at: 7, stream: 'stderr' },
    stream: 'stderr',
    hasStderr: true,
  };
  expect(decodeRecord(encode(change), 0)).toEqual(change);
});

test('the bytes of a record stay what they are: logs outlive programs', () => {
  const record: IndexRecord = {
    mark: { type: 'resize', offset: 4096, at: 1_700_000_000_000, cols: 120, rows: 40 },
    stream: 'stderr',
    hasStderr: true,
  };
  expect(encode(record).toString('hex')).toMatchInlineSnapshot(
    `"020301009426ddaf000000000000b04000008056febc78427800000028000000"`,
  );
});

test('any flipped bit, and any cut, makes it no record', () => {
  fc.assert(
    fc.property(RECORDS, fc.nat(RECORD_BYTES * 8 - 1), (record, bit) => {
      const bytes = encode(record);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodeRecord(bytes, 0)).toBeUndefined();
      expect(decodeRecord(encode(record).subarray(0, bit >> 3), 0)).toBeUndefined();
    }),
  );
  expect(decodeRecord(Buffer.alloc(RECORD_BYTES), 0)).toBeUndefined();
});
