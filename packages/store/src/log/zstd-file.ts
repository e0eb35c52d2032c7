/**
 * Reads and writes a compressed file: independent zstd frames of 256 KiB, so that a reader unpacks only the frames that it reads.
 * Each frame has its length in the header and a checksum at its end, so damage is detected when unpacking.
 *
 * Two or more frames are followed by a seek table, a skippable frame as in zstd's `seekable_format`: any zstd tool
 * unpacks the file. A single frame has no table. Files from before this layout are one frame of any length.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { errorCode, isUnreadable, openToRead } from './files.ts';

/**
 * The level of compression: at 1, 0.5 s of CPU per GiB, and 8 to 52 times smaller on terminal output; higher levels gain little
 * there.
 */
const LEVEL = 1;

/**
 * The size of a frame: unpacked in a quarter of a millisecond, and not larger on disk than in one piece, because level 1 does not
 * search further back.
 */
export const FRAME_BYTES = 256 * 1024;

const compress = promisify(zstdCompress);

/** One frame: its place in the file, and the bytes of the content that it holds. */
export interface ZstdFrame {
  readonly at: number;
  readonly packedBytes: number;
  readonly start: number;
  readonly bytes: number;
}

/** Packs bytes, off-thread. */
export async function packZstd(bytes: Uint8Array, frameBytes = FRAME_BYTES): Promise<Buffer> {
  const frames: Buffer[] = [];
  const table: number[] = [];
  for (let from = 0; from === 0 || from < bytes.length; from += frameBytes) {
    const content = bytes.subarray(from, from + frameBytes);
    const frame = await packFrame(content);
    frames.push(frame);
    table.push(frame.length, content.length);
  }
  return frames.length === 1 ? frames[0]! : Buffer.concat([...frames, seekTable(table)]);
}

/** Returns the frames of a file, or undefined if it is damaged, gone, or holds more than `bytesMax`. */
export function zstdFrames(path: string, bytesMax = Number.MAX_SAFE_INTEGER): readonly ZstdFrame[] | undefined {
  const frames = reading(path, (fd) => framesOf(fd, fstatSync(fd).size));
  const last = frames?.at(-1);
  return last !== undefined && last.start + last.bytes <= bytesMax ? frames : undefined;
}

/** Returns the number of bytes in a compressed file, according to its headers; undefined if they do not contain it. */
export function zstdFileBytes(path: string): number | undefined {
  const last = zstdFrames(path)?.at(-1);
  return last && last.start + last.bytes;
}

/** Returns the bytes of one frame, or undefined if they cannot be read. */
export function unpackFrame(path: string, frame: ZstdFrame): Buffer | undefined {
  return reading(path, (fd) => unpackAt(fd, frame));
}

/** Returns all bytes of a compressed file, or undefined if it is damaged, gone, or would unpack to more than `bytesMax`. */
export function unpackZstdFile(path: string, bytesMax: number): Buffer | undefined {
  const frames = zstdFrames(path, bytesMax);
  if (frames === undefined) return undefined;
  return reading(path, (fd) => {
    const parts: Buffer[] = [];
    for (const frame of frames) {
      const part = unpackAt(fd, frame);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  });
}

function packFrame(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, {
    pledgedSrcSize: bytes.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_contentSizeFlag]: 1,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
}

/**
 * Returns undefined if the file is gone or cannot be read: that is damage. Anything else (EMFILE) is a temporary state of this
 * process, and thrown.
 */
function reading<T>(path: string, read: (fd: number) => T | undefined): T | undefined {
  let fd: number;
  try {
    fd = openToRead(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && !isUnreadable(error)) throw error;
    return undefined;
  }
  try {
    return read(fd);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}

function unpackAt(fd: number, { at, packedBytes, bytes: length }: ZstdFrame): Buffer | undefined {
  const packed = readAt(fd, at, packedBytes);
  // The frame's own header decides: a table that contradicts it must not make us unpack a decompression bomb.
  if (packed.length < packedBytes || contentBytes(packed) !== length) return undefined;
  try {
    // One chunk for the whole frame: growing by the default 16 KiB took twice as long. An empty chunk is refused.
    const bytes = zstdDecompressSync(packed, { chunkSize: Math.max(64, length), maxOutputLength: Math.max(1, length) });
    return bytes.length === length ? bytes : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

const MAGIC = 0xfd2f_b528;
const HEADER_BYTES_MAX = 18;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;

/**
 * Reads the content size, after RFC 8878, 3.1.1.1: magic, descriptor, window (unless single segment), dictionary id, content
 * size.
 */
function contentBytes(header: Buffer): number | undefined {
  if (header.length < 6 || header.readUInt32LE(0) !== MAGIC) return undefined;
  const descriptor = header[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3]!;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
  if (sizeBytes === 0 || header.length < at + sizeBytes) return undefined;
  if (sizeBytes === 8) return Number(header.readBigUInt64LE(at));
  return header.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
}

/*
 * The seek table: skippable magic u32 · length u32 · (packed u32 · content u32) for each frame · count u32 · flags u8 · magic u32
 */
const TABLE_MAGIC = 0x184d_2a5e;
const FOOTER_MAGIC = 0x8f92_eab1;
const TABLE_HEADER_BYTES = 8;
const ENTRY_BYTES = 8;
const FOOTER_BYTES = 9;
/** The maximum number of frames in a file: far more than any of our files has. */
const FRAMES_MAX = 64 * 1024;

function seekTable(entries: readonly number[]): Buffer {
  const length = entries.length * 4 + FOOTER_BYTES;
  const table = Buffer.alloc(TABLE_HEADER_BYTES + length);
  table.writeUInt32LE(TABLE_MAGIC, 0);
  table.writeUInt32LE(length, 4);
  entries.forEach((entry, row) => table.writeUInt32LE(entry, TABLE_HEADER_BYTES + row * 4));
  table.writeUInt32LE(entries.length / 2, table.length - FOOTER_BYTES);
  table.writeUInt32LE(FOOTER_MAGIC, table.length - 4);
  return table;
}

function framesOf(fd: number, size: number): ZstdFrame[] | undefined {
  const footer = size < FOOTER_BYTES ? undefined : readAt(fd, size - FOOTER_BYTES, FOOTER_BYTES);
  if (footer?.length !== FOOTER_BYTES || footer.readUInt32LE(5) !== FOOTER_MAGIC) {
    const bytes = contentBytes(readAt(fd, 0, HEADER_BYTES_MAX));
    return bytes === undefined ? undefined : [{ at: 0, packedBytes: size, start: 0, bytes }];
  }
  const count = footer.readUInt32LE(0);
  const tableBytes = TABLE_HEADER_BYTES + count * ENTRY_BYTES + FOOTER_BYTES;
  if (count === 0 || count > FRAMES_MAX || footer[4] !== 0 || tableBytes > size) return undefined;
  const table = readAt(fd, size - tableBytes, tableBytes);
  if (table.length < tableBytes || table.readUInt32LE(0) !== TABLE_MAGIC) return undefined;
  const frames: ZstdFrame[] = [];
  let at = 0;
  let start = 0;
  for (let row = 0; row < count; row++) {
    const packedBytes = table.readUInt32LE(TABLE_HEADER_BYTES + row * ENTRY_BYTES);
    const bytes = table.readUInt32LE(TABLE_HEADER_BYTES + row * ENTRY_BYTES + 4);
    frames.push({ at, packedBytes, start, bytes });
    at += packedBytes;
    start += bytes;
  }
  return at + tableBytes === size ? frames : undefined; // damaged: the table does not fit the file
}

/** Returns whether an error is one of zlib's for bad input: truncated, invalid, or a wrong checksum. */
function isDamage(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return code.startsWith('ZSTD_error_') || code === 'Z_BUF_ERROR' || code === 'ERR_BUFFER_TOO_LARGE';
}
