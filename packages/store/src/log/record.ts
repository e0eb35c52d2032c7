/**
 * One record of a segment's index: a mark, and the stream of the bytes from its offset on.
 *
 * Records have a fixed size, so that an index can be searched in the file, and a check value, so that a torn or damaged
 * record is recognised. They never cross a sector (512 is a multiple of 32): a power cut leaves one whole or not at
 * all.
 *
 *      0 kind u8 · 1 flags u8 · 2 version u16 · 4 check u32 · 8 offset f64 · 16 at f64 · 24 a u32 · 28 b u32
 */
import type { LogMark, LogStream } from './types.ts';

export const RECORD_BYTES = 32;

export interface IndexRecord {
  readonly mark: LogMark;
  /** The stream of the bytes from `mark.offset` on: every record has it, so that a search ends at the first record found. */
  readonly stream: LogStream;
  /** Whether the segment has had bytes of stderr. If not, a reader of bytes need not read the index at all. */
  readonly hasStderr: boolean;
}

export function encodeRecord(into: Buffer, at: number, { mark, stream, hasStderr }: IndexRecord): void {
  const [kind, a, b] = payloadOf(mark);
  into[at] = kind;
  into[at + 1] = (stream === 'stderr' ? FLAG_STDERR : 0) | (hasStderr ? FLAG_HAS_STDERR : 0);
  into.writeUInt16LE(VERSION, at + 2);
  into.writeDoubleLE(mark.offset, at + 8);
  into.writeDoubleLE(mark.at, at + 16);
  into.writeUInt32LE(a, at + 24);
  into.writeUInt32LE(b, at + 28);
  into.writeUInt32LE(checkOf(into, at), at + 4);
}

/** Returns the record at `at`, or undefined if it is not a whole record. */
export function decodeRecord(bytes: Buffer, at: number): IndexRecord | undefined {
  if (at + RECORD_BYTES > bytes.length) return undefined;
  if (bytes.readUInt16LE(at + 2) !== VERSION || bytes.readUInt32LE(at + 4) !== checkOf(bytes, at)) return undefined;
  const flags = bytes[at + 1]!;
  const stream = flags & FLAG_STDERR ? 'stderr' : 'stdout';
  const offset = bytes.readDoubleLE(at + 8);
  const mark = markOf(bytes[at]!, offset, bytes.readDoubleLE(at + 16), bytes, at, stream);
  if (mark === undefined || !Number.isSafeInteger(offset) || offset < 0) return undefined;
  return { mark, stream, hasStderr: (flags & FLAG_HAS_STDERR) !== 0 };
}

/** Encodes the end of the segment's bytes: not a mark, so no reader of marks sees it. */
export function encodeEnd(into: Buffer, at: number, end: number): void {
  into.fill(0, at, at + RECORD_BYTES);
  into[at] = KIND_END;
  into.writeUInt16LE(VERSION, at + 2);
  into.writeDoubleLE(end, at + 8);
  into.writeUInt32LE(checkOf(into, at), at + 4);
}

export function decodeEnd(bytes: Buffer, at: number): number | undefined {
  if (at + RECORD_BYTES > bytes.length || bytes[at] !== KIND_END) return undefined;
  if (bytes.readUInt16LE(at + 2) !== VERSION || bytes.readUInt32LE(at + 4) !== checkOf(bytes, at)) return undefined;
  const end = bytes.readDoubleLE(at + 8);
  return Number.isSafeInteger(end) && end >= 0 ? end : undefined;
}

/** Returns the end of the offsets that a mark covers. */
export function reachOf(mark: LogMark): number {
  return mark.type === 'gap' ? mark.offset + mark.bytes : mark.offset;
}

const VERSION = 1;
const FLAG_STDERR = 1;
const FLAG_HAS_STDERR = 2;
const TWO_32 = 2 ** 32;

/** The kinds of records. None is 0: a tail of zeros, which a power cut may leave, is not a record. */
const KIND = { time: 1, resize: 2, stream: 3, gap: 4 } as const;
const KIND_END = 5;

function payloadOf(mark: LogMark): [kind: number, a: number, b: number] {
  switch (mark.type) {
    case 'resize':
      return [KIND.resize, mark.cols >>> 0, mark.rows >>> 0];
    case 'gap':
      return [KIND.gap, mark.bytes % TWO_32, Math.floor(mark.bytes / TWO_32)];
    case 'time':
    case 'stream':
      return [KIND[mark.type], 0, 0];
  }
}

function markOf(
  kind: number,
  offset: number,
  at: number,
  bytes: Buffer,
  from: number,
  stream: LogStream,
): LogMark | undefined {
  const a = bytes.readUInt32LE(from + 24);
  const b = bytes.readUInt32LE(from + 28);
  switch (kind) {
    case KIND.time:
      return { type: 'time', offset, at };
    case KIND.resize:
      return { type: 'resize', offset, at, cols: a, rows: b };
    case KIND.stream:
      return { type: 'stream', offset, at, stream };
    case KIND.gap:
      return { type: 'gap', offset, at, bytes: a + b * TWO_32 };
    default:
      return undefined;
  }
}

/**
 * Computes the check value. Each step is reversible, so a change of any one word changes the result. It is plain arithmetic: a
 * call into zlib costs more.
 */
export function checkOf(bytes: Buffer, at: number): number {
  let check = 0x5350_4f4c;
  for (let word = 0; word < RECORD_BYTES; word += 4) {
    if (word === 4) continue; // the check value itself
    check = Math.imul(check ^ bytes.readUInt32LE(at + word), 0x9e37_79b1);
    check ^= check >>> 15;
  }
  return check >>> 0;
}
