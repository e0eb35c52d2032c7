/**
 * Compresses the index of a sealed segment: 1 MiB for an hour of a program that ticks becomes a tenth of that.
 *
 * Neighbouring records differ in a few bits, so each is stored as its difference (xor) to the one before. The check value is left
 * out: it does not compress, and the frame has its own. Frames hold 2048 records, so a search unpacks only a few frames.
 */
import { checkOf, decodeRecord, RECORD_BYTES } from './record.ts';
import { packZstd, unpackFrame, type ZstdFrame, zstdFrames } from './zstd-file.ts';

const FRAME_RECORDS = 2048;
const FRAME_BYTES = FRAME_RECORDS * RECORD_BYTES;
const WORDS = RECORD_BYTES / 4;
const CHECK_WORD = 1;

/** Packs records, off-thread except for the arithmetic. A damaged record stays damaged: it becomes zeros. */
export function packRecords(records: Buffer): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.floor(records.length / RECORD_BYTES) * RECORD_BYTES);
  records.copy(bytes, 0, 0, bytes.length);
  for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
    if (decodeRecord(bytes, at) === undefined) bytes.fill(0, at, at + RECORD_BYTES);
    bytes.writeUInt32LE(0, at + CHECK_WORD * 4);
  }
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  // The loop runs backwards, so that each word still finds its neighbour unchanged.
  for (let word = words.length - 1; word >= 0; word--) {
    if (word % (FRAME_RECORDS * WORDS) >= WORDS) words[word]! ^= words[word - WORDS]!;
  }
  return packZstd(bytes, FRAME_BYTES);
}

export class PackedRecords {
  readonly #path: string;
  readonly #frames: readonly ZstdFrame[];
  /** The last unpacked frame: a search stays in one frame most of the time. */
  #recent: { readonly frame: ZstdFrame; readonly bytes: Buffer } | undefined;

  private constructor(path: string, frames: readonly ZstdFrame[]) {
    this.#path = path;
    this.#frames = frames;
  }

  /** Returns undefined if the file is missing or unreadable. */
  static open(path: string): PackedRecords | undefined {
    const frames = zstdFrames(path);
    return frames && new PackedRecords(path, frames);
  }

  get count(): number {
    const last = this.#frames.at(-1)!;
    return (last.start + last.bytes) / RECORD_BYTES;
  }

  /** Returns the records [from, to), as they were in the file. Damaged ones are zeros. */
  read(from: number, to: number): Buffer {
    const records = Buffer.alloc((to - from) * RECORD_BYTES);
    const start = from * RECORD_BYTES;
    for (const frame of this.#frames) {
      if (frame.start + frame.bytes <= start || frame.start >= start + records.length) continue;
      const skip = Math.max(0, start - frame.start);
      this.#unpack(frame).copy(records, Math.max(0, frame.start - start), skip);
    }
    return records;
  }

  #unpack(frame: ZstdFrame): Buffer {
    if (this.#recent?.frame === frame) return this.#recent.bytes;
    const bytes = unpackFrame(this.#path, frame) ?? Buffer.alloc(frame.bytes); // noted, so that damage is not read again for each record
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let word = WORDS; word < words.length; word++) words[word]! ^= words[word - WORDS]!;
    for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
      if (bytes[at] !== 0) bytes.writeUInt32LE(checkOf(bytes, at), at + CHECK_WORD * 4);
    }
    this.#recent = { frame, bytes };
    return bytes;
  }
}
