/** One segment of a log: its bytes, raw or compressed, and its index. The newest one grows; the others are sealed. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, isUnreadable, openToRead, openToWrite } from './files.ts';
import { storedBytes, type SegmentFiles } from './folder.ts';
import { SegmentIndex } from './segment-index.ts';
import { compressedName, indexName, packedIndexName, rawName } from './names.ts';
import { partition } from './partition.ts';
import { RecentBytes } from './recent-bytes.ts';
import { RecordFile } from './record-file.ts';
import { unpackFrame, type ZstdFrame, zstdFrames } from './zstd-file.ts';

/**
 * The number of cached unpacked frames, for all logs of the process. This many readers can be at different places without unpacking
 * a frame twice; with more, each read of 64 KiB unpacks only one frame. Keeps a part of SLOW-4, its first half.
 */
const UNPACKED_FRAMES_MAX = 64;
const UNPACKED_BYTES_MAX = 16 * 1024 * 1024;
const UNPACKED = new RecentBytes(UNPACKED_FRAMES_MAX, UNPACKED_BYTES_MAX);

export class LogSegment {
  readonly start: number;
  readonly index: SegmentIndex;
  readonly isCompressed: boolean;
  readonly #folder: string;
  #length: number;
  #hasRaw: boolean;
  #fd = -1;
  #isWritable = false;
  #frames: readonly ZstdFrame[] | undefined;
  /** Whether bytes were written since the last sync. */
  isUnsynced = false;
  /** Whether the file was created since the last sync of the folder. */
  isUnlisted = false;

  constructor(folder: string, files: SegmentFiles, sinceAt = 0) {
    this.#folder = folder;
    this.start = files.start;
    this.isCompressed = files.hasCompressed && !files.hasRaw;
    this.#hasRaw = files.hasRaw;
    const index = join(folder, indexName(files.start));
    const packedIndex = join(folder, packedIndexName(files.start));
    this.index = new SegmentIndex(new RecordFile(index, packedIndex, files.hasIndex), sinceAt);
    // The index is loaded before the bytes: another process writes them in the other order, so every mark that is read has its
    // bytes.
    this.index.file.load();
    this.#length = storedBytes(folder, files);
  }

  get length(): number {
    return this.#length;
  }

  /** The fd; -1 while the file is closed. */
  get fd(): number {
    return this.#fd;
  }

  /** The end of the segment's bytes. A gap may follow, up to the start of the next segment. */
  get end(): number {
    return this.start + this.#length;
  }

  get files(): SegmentFiles {
    const hasIndex = this.index.file.count > 0;
    return { start: this.start, hasRaw: this.#hasRaw, hasCompressed: this.isCompressed, hasIndex };
  }

  get diskBytes(): number {
    return this.#length + this.index.file.bytes;
  }

  /**
   * Returns the fd to write to, at `length`. Undefined if the file was shortened or deleted meanwhile, by hand or by a cleaner:
   * writing behind lost bytes would turn them into zeros, and a deleted file is lost at the next release. The next bytes then
   * belong into another segment. This is checked each time, which takes a microsecond.
   */
  openToWrite(): number | undefined {
    const fd = this.#fd >= 0 && this.#isWritable ? this.#fd : this.#reopen();
    const { size, nlink } = fstatSync(fd);
    if (size >= this.#length && nlink > 0) return fd;
    this.#length = nlink > 0 ? size : 0;
    return undefined;
  }

  #reopen(): number {
    const fd = openToWrite(join(this.#folder, rawName(this.start)));
    this.#close();
    this.#fd = fd;
    this.#isWritable = true;
    this.isUnlisted ||= !this.#hasRaw;
    this.#hasRaw = true;
    return fd;
  }

  /** Notes that this many bytes were appended. */
  grow(bytes: number): void {
    this.#length += bytes;
    this.isUnsynced = true;
  }

  /** Updates the length, because another process writes. Returns false if only `reload` can determine it. */
  lookAtLength(): boolean {
    if (this.#fd < 0 || this.isCompressed) return false;
    this.#length = fstatSync(this.#fd).size;
    return true;
  }

  /** Reads the state again, because another process writes. */
  reload(): void {
    this.index.file.reload();
    this.index.file.load();
    this.#hasRaw ||= !this.isCompressed;
    this.#length = storedBytes(this.#folder, this.files);
  }

  /**
   * Returns the bytes at an offset: fewer than requested if the file has become shorter, none if they cannot be read. `owner`
   * drops the unpacked bytes, and `limit` is their maximum. `into` is used if it is long enough.
   */
  read(from: number, length: number, owner: object, limit: number, into?: Uint8Array): Uint8Array {
    return this.isCompressed
      ? this.#readCompressed(from - this.start, length, owner, limit)
      : this.#readRaw(from - this.start, length, into);
  }

  /** Returns the next readable offset after unreadable bytes at `from`. */
  damagedTo(from: number): number {
    const frame = this.isCompressed ? this.#frameAt(from - this.start) : undefined;
    return frame ? this.start + frame.start + frame.bytes : this.end;
  }

  /** Closes fds; the next use opens them again. */
  release(): void {
    this.#close();
    this.#frames = undefined;
    this.index.file.release();
  }

  static forget(owner: object): void {
    UNPACKED.forget(owner);
  }

  #readRaw(position: number, length: number, into?: Uint8Array): Uint8Array {
    const bytes = into && into.length >= length ? into.subarray(0, length) : Buffer.allocUnsafe(length);
    try {
      if (this.#fd < 0) {
        this.#fd = openToRead(join(this.#folder, rawName(this.start)));
        this.#isWritable = false;
      }
      const count = readSync(this.#fd, bytes, 0, length, position);
      return count === length ? bytes : bytes.subarray(0, count);
    } catch (error) {
      // A missing or unreadable file is damage. Anything else (EMFILE) is a temporary state of this process.
      if (errorCode(error) !== 'ENOENT' && !isUnreadable(error)) throw error;
      return bytes.subarray(0, 0);
    }
  }

  #readCompressed(position: number, length: number, owner: object, limit: number): Uint8Array {
    const path = join(this.#folder, compressedName(this.start));
    this.#frames ??= zstdFrames(path, limit - this.start);
    const frame = this.#frameAt(position);
    if (frame === undefined) return new Uint8Array(0);
    const from = this.start + frame.start;
    let all = UNPACKED.find(owner, from, frame.bytes);
    if (all === undefined) {
      all = unpackFrame(path, frame);
      if (all === undefined) return new Uint8Array(0);
      UNPACKED.keep(owner, from, frame.bytes, all);
    }
    // The bytes are copied, because a slow watcher that holds a view of 64 KiB would hold the whole frame.
    return all.slice(position - frame.start, position - frame.start + length);
  }

  #frameAt(position: number): ZstdFrame | undefined {
    const frames = this.#frames;
    if (frames === undefined) return undefined;
    return frames[partition(frames.length, (row) => frames[row]!.start <= position) - 1];
  }

  #close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }
}
