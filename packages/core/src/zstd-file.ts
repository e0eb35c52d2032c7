/**
 * A compressed segment: one zstd frame with its length in the header and a check value at its end, so that its length is
 * known without unpacking, and damage is noticed when unpacking.
 */
import { closeSync, readFileSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { errorCode, openToRead } from './log-files.ts';

/** Level 1: 0.5 s of CPU per GiB, and 8 to 52 times smaller on what terminals print; higher levels gain little there. */
const LEVEL = 1;

const compress = promisify(zstdCompress);

/** Off-thread. */
export async function packZstd(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, {
    pledgedSrcSize: bytes.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_contentSizeFlag]: 1,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
}

/** All bytes of a compressed file, or undefined if it is damaged, gone, or would unpack to more than `bytesMax`. */
export function unpackZstdFile(path: string, bytesMax: number): Buffer | undefined {
  const packed = readWhole(path);
  const length = packed && contentBytes(packed);
  if (packed === undefined || length === undefined || length > bytesMax) return undefined;
  try {
    // One chunk for all: growing by the default 16 KiB took twice as long. An empty chunk is refused.
    const bytes = zstdDecompressSync(packed, { chunkSize: Math.max(64, length), maxOutputLength: Math.max(1, length) });
    return bytes.length === length ? bytes : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** How many bytes a compressed file holds, as its header says; undefined if there is no such header. */
export function zstdFileBytes(path: string): number | undefined {
  let fd: number;
  try {
    fd = openToRead(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES_MAX);
    return contentBytes(header.subarray(0, readSync(fd, header, 0, header.length, 0)));
  } catch (error) {
    if (errorCode(error) !== 'EIO') throw error;
    return undefined;
  } finally {
    closeSync(fd);
  }
}

const MAGIC = 0xfd2f_b528;
const HEADER_BYTES_MAX = 18;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;

/** RFC 8878, 3.1.1.1: magic, descriptor, window (unless single segment), dictionary id, content size. */
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

function readWhole(path: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openToRead(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
  try {
    return readFileSync(fd);
  } catch (error) {
    if (errorCode(error) !== 'EIO') throw error;
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** What zlib says about bad input: it ends too early, does not fit, or does not add up. */
function isDamage(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return code.startsWith('ZSTD_error_') || code === 'Z_BUF_ERROR' || code === 'ERR_BUFFER_TOO_LARGE';
}
