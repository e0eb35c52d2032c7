/**
 * The log of a session: the exact bytes that its child wrote, addressed by absolute offset. Keeps LOG-1 and LOG-3.
 *
 * It is a folder of append-only segments with only the raw bytes, so that the kernel can splice a PTY straight into the file, and
 * the files after a kill are a valid prefix. Beside each segment is an index of marks: time, size, stream, gaps. The files are
 * the state: opening a log means reading them.
 *
 * Offsets are never reused. Missing bytes (retention, a full disk, damage) are reported as a gap with its exact bounds. There is
 * one writer at a time; readers may be other processes (`readOnly`).
 */
import { writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compressSegment, type CompressStep } from './compress.ts';
import { isSystemError } from './files.ts';
import { NO_FILES } from './folder.ts';
import { INDEX_RECORDS_MAX } from './segment-index.ts';
import { indexName, rawName } from './names.ts';
import { openAndRepair, inspectFolder } from './opening.ts';
import { SealedSegments, type SegmentRange } from './sealed.ts';
import { LogSegment } from './segment.ts';
import { LogSync } from './sync.ts';
import { LOG_DEFAULTS, type LogMark, type LogOptions, type LogRead, type LogSink, type LogStream } from './types.ts';
import { RecentBytes } from './recent-bytes.ts';

/** The size up to which reads are shared: when a session prints, all its watchers read the same bytes one after the other. */
export const SHARED_READ_BYTES_MAX = 64 * 1024;

/** The newest reads of all logs of the process: half a megabyte at most. */
const SHARED_READS = new RecentBytes(8);

export interface LogOpenOptions extends Partial<LogOptions> {
  /** The minimum end of the log, according to another record. Bytes before that end that the files do not have are a gap. */
  readonly endAtLeast?: number;
  /**
   * Whether another process writes the log: then no file is created, removed or repaired, and `read` checks the files again at the
   * end.
   */
  readonly readOnly?: boolean;
  /**
   * Opens even if the system refuses access to the files (EACCES, EIO, a file where the folder should be): `failure`
   * then has the reason, everything before reads as a gap, and the next `sink` tries again.
   */
  readonly lenient?: boolean;
  /** A buffer for readers that keep no bytes: `read` returns bytes in it, valid until the next `read`. */
  readonly readInto?: Uint8Array;
}

export class Log {
  readonly #folder: string;
  readonly #options: LogOptions;
  readonly #isReadOnly: boolean;
  readonly #readInto: Uint8Array | undefined;
  readonly #sync = new LogSync((isAll) => this.#collect(isAll));
  #sealed!: SealedSegments;
  #tail!: LogSegment;
  #start = 0;
  #end = 0;
  /** The option, kept for a reader and while there is a failure. */
  #endAtLeast = 0;
  #failure: NodeJS.ErrnoException | null = null;
  #isDirty = false;
  /** Whether the index of the open segment is outdated: another process writes it. */
  #isIndexOld = false;
  #isClosed = false;
  #compressing: Promise<boolean> | undefined;

  static open(folder: string, options: LogOpenOptions = {}): Log {
    return new Log(folder, options);
  }

  private constructor(folder: string, options: LogOpenOptions) {
    const { endAtLeast = 0, readOnly = false, lenient = false, readInto, ...limits } = options;
    this.#folder = folder;
    this.#options = { ...LOG_DEFAULTS, ...limits };
    this.#isReadOnly = readOnly;
    this.#readInto = readInto;
    try {
      this.#look(endAtLeast);
    } catch (error) {
      if (!lenient || !isSystemError(error)) throw error;
      this.#failure = error;
      this.#end = this.#endAtLeast = endAtLeast;
      this.#tail = new LogSegment(folder, { ...NO_FILES, start: endAtLeast });
      this.#sealed = new SealedSegments(folder, this.#options.segmentBytes, endAtLeast);
    }
  }

  #look(endAtLeast: number): void {
    const look = this.#isReadOnly ? inspectFolder : openAndRepair;
    const { start, end, tail, isNew } = look(this.#folder, this.#options.segmentBytes);
    this.#start = start;
    this.#end = end;
    this.#tail = tail;
    if (isNew) this.#sync.addFolder(dirname(this.#folder));
    else this.#suspect(tail);
    this.#sealed = new SealedSegments(this.#folder, this.#options.segmentBytes, this.#tail.start);
    this.#failure = null;
    // Bytes that a killed process could no longer note, or that an older version never noted.
    if (!this.#isReadOnly && !tail.isCompressed && tail.end > tail.index.reach) tail.index.file.noteEnd(tail.end);
    if (endAtLeast > this.#end) this.#endLater(endAtLeast);
    this.#tail.release(); // a daemon opens a thousand logs at once, and most then stay idle
  }

  /** Adds a gap up to `end`, because more offsets were used than the files contain. */
  #endLater(end: number): void {
    if (this.#isReadOnly) this.#end = this.#endAtLeast = end;
    else this.skip(end - this.#end, this.#tail.index.lastAt);
  }

  /** The first offset that may still be read. */
  get start(): number {
    return this.#start;
  }

  /** The next offset. */
  get end(): number {
    return this.#end;
  }

  /** The reason why the files could not be read; see `lenient`. */
  get failure(): NodeJS.ErrnoException | null {
    return this.#failure;
  }

  /** Returns whether the bytes at an offset are in a sealed segment: reading them may require unpacking. */
  isHistory(offset: number): boolean {
    return offset < this.#tail.start;
  }

  /** Whether some data is not durable yet: then `flush`. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /**
   * Returns the place for the next bytes. Throws a system error (ENOSPC, EMFILE, EROFS, EACCES) if there is none; the log then does
   * not change, and the caller may retry. A change of stream is in the index before this returns.
   */
  sink(stream: LogStream = 'stdout'): LogSink {
    this.#assertWritable();
    if (this.#failure) this.#lookAgain();
    const fd = (this.#isTailFull() ? undefined : this.#tail.openToWrite()) ?? this.#rotate();
    const tail = this.#tail;
    tail.index.switchStream(stream, this.#end);
    return { fd, position: tail.length, roomBytes: this.#options.segmentBytes - tail.length };
  }

  /** Advances the end: `bytes` more are in the sink. */
  advance(bytes: number, at: number): void {
    if (bytes > this.#options.segmentBytes - this.#tail.length)
      throw new RangeError('more bytes than the sink has room');
    if (bytes <= 0) return;
    this.#tail.grow(bytes);
    this.#tail.index.noteTime(this.#end, at);
    this.#end += bytes;
    this.#tail.index.file.noteEnd(this.#end);
    this.#isDirty = true;
  }

  /** Writes bytes directly, instead of through the sink. Returns the number of accepted bytes: fewer if the disk became full. */
  append(bytes: Uint8Array, at: number, stream: LogStream = 'stdout'): number {
    let taken = 0;
    while (taken < bytes.length) {
      try {
        const { fd, position, roomBytes } = this.sink(stream);
        const count = writeSync(fd, bytes, taken, Math.min(roomBytes, bytes.length - taken), position);
        this.advance(count, at);
        taken += count;
      } catch (error) {
        if (taken === 0 || !isSystemError(error)) throw error;
        break;
      }
    }
    return taken;
  }

  /**
   * Adds an exact gap for `bytes` that could not be stored. The mark is written at once: on a full disk, its file may still have
   * reserved room for it.
   */
  skip(bytes: number, at: number): void {
    this.#assertWritable();
    if (bytes <= 0) return;
    // No mark is added to an index of unknown files: it could overwrite existing content.
    if (this.#failure) return void (this.#end += bytes);
    this.#tail.index.add({ type: 'gap', offset: this.#end, at, bytes });
    this.#tail.index.file.tryDrain();
    this.#end += bytes;
    this.#isDirty = true;
  }

  markResize(cols: number, rows: number, at: number): void {
    this.#assertWritable();
    if (this.#failure) return;
    this.#tail.index.add({ type: 'resize', offset: this.#end, at, cols, rows });
    this.#tail.index.file.tryDrain();
    this.#isDirty = true;
  }

  /**
   * Reads at most maxBytes from `from`, never crossing a gap, a segment or a change of stream. The bytes may be shared with other
   * readers: do not write to them.
   */
  read(from: number, maxBytes: number): LogRead {
    const read = this.#read(from, maxBytes);
    if (read.type === 'bytes' || !this.#isReadOnly) return read;
    // Another process writes: the end may have moved, and a gap may be a segment that was just compressed.
    if (read.type === 'gap' || !this.#hasGrown()) this.refresh();
    return this.#read(from, maxBytes);
  }

  /** Yields the marks with from <= offset <= to, oldest first. */
  *marks(from: number, to: number): Generator<LogMark> {
    this.#renewIndex();
    // The search starts one segment earlier: a mark at the start of a segment may have been made while the segment before was
    // still open.
    for (const segment of this.#segmentsFrom(Math.max(from - 1, this.#start))) {
      if (segment.start > to) return;
      yield* segment.index.marksBetween(from, to);
    }
  }

  /** Returns the first offset that was written after `time`. It is as exact as time marks, which are 10 ms apart. */
  offsetAt(time: number): number {
    if (this.#failure) return this.#end;
    this.#renewIndex();
    const isInTail = this.#start === this.#tail.start || (this.#tail.index.firstAt ?? Infinity) <= time;
    const from = isInTail ? this.#tail.start : (this.#sealed.startBefore(time) ?? this.#start);
    for (const segment of this.#segmentsFrom(from)) {
      const offset = segment.index.offsetAfter(time);
      if (offset !== undefined) return Math.max(offset, this.#start);
    }
    return this.#end;
  }

  /** Returns the time at which the bytes at `offset` were written; undefined if there are no bytes, or no mark has a time. */
  timeAt(offset: number): number | undefined {
    if (offset >= this.#end) return undefined;
    this.#renewIndex();
    for (let at = offset; at >= this.#start;) {
      const { segment } = this.#territory(at);
      const time = segment?.index.timeAt(offset);
      if (time !== undefined || segment === undefined) return time;
      at = segment.start - 1;
    }
    return undefined;
  }

  /**
   * Flushes marks and bytes to the disk, off-thread: all data that was advanced before the call is durable after it. Without
   * `times`, marks that contain only a time are written but not synced, and the log stays dirty: syncing them with every flush
   * would double its cost. Resolves with the error if the disk refuses; the log then stays dirty, and the next flush retries.
   */
  async flush({ times = true } = {}): Promise<NodeJS.ErrnoException | undefined> {
    if (this.#isReadOnly) return undefined;
    const failure = await this.#sync.flush(times);
    if (failure !== undefined) this.#isDirty = true;
    return failure;
  }

  /**
   * Drops sealed segments beyond retainBytes or older than retainMs, oldest first; returns the new start. `besideBytes` is the
   * size of files beside the log, which counts too.
   */
  retain(now: number, besideBytes = 0): number {
    if (this.#start < this.#tail.start && !this.#isClosed && !this.#isReadOnly && !this.#failure) {
      this.#start = this.#sealed.retain(this.#tail.diskBytes + besideBytes, this.#options, now) ?? this.#start;
    }
    return this.#start;
  }

  /**
   * Compresses one sealed segment, or the index of one, off-thread; resolves with false if there was none. Rejects with a system
   * error if the disk refuses; the log is then unchanged. `onStep` announces its steps, for tests.
   */
  compressOne(onStep?: (step: CompressStep) => void): Promise<boolean> {
    if (this.#isClosed || this.#isReadOnly) return Promise.resolve(false);
    this.#compressing ??= this.#compress(onStep).finally(() => (this.#compressing = undefined));
    return this.#compressing;
  }

  /** Reads the files again, when another process writes them. */
  refresh(): void {
    if (!this.#isReadOnly) return;
    const { start, tail, end } = inspectFolder(this.#folder, this.#options.segmentBytes);
    this.release();
    this.#isIndexOld = false;
    this.#start = start;
    this.#tail = tail;
    this.#end = Math.max(end, this.#endAtLeast);
    this.#sealed = new SealedSegments(this.#folder, this.#options.segmentBytes, tail.start);
  }

  /** Closes fds and drops caches: an idle session should cost no resources. The next use opens the files again. */
  release(): void {
    if (!this.#isReadOnly) this.#tail.index.file.tryDrain();
    this.#tail.release();
    this.#sealed.release();
    SHARED_READS.forget(this);
    LogSegment.forget(this);
  }

  close(): void {
    if (this.#isClosed) return;
    this.release();
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Opens the files again, and appends a gap for the bytes that were skipped meanwhile. Throws while the files cannot be read.
   */
  #lookAgain(): void {
    const skipped = this.#end - this.#endAtLeast;
    this.#look(this.#endAtLeast);
    this.skip(skipped, this.#tail.index.lastAt);
  }

  /** Returns whether the segment that is known as the open one has more bytes: a cheap check. */
  #hasGrown(): boolean {
    const { end } = this.#tail;
    // New bytes are enough to continue reading. The index is read again only when it is needed.
    this.#isIndexOld = this.#tail.lookAtLength();
    if (!this.#isIndexOld) this.#tail.reload();
    if (this.#tail.end <= end) return false;
    this.#end = Math.max(this.#tail.end, this.#tail.index.reach, this.#endAtLeast);
    return true;
  }

  #renewIndex(): void {
    if (this.#isIndexOld) this.#tail.reload();
    this.#isIndexOld = false;
  }

  #read(from: number, maxBytes: number): LogRead {
    if (from < this.#start) return { type: 'gap', from, to: this.#start, reason: 'retention' };
    if (from >= this.#end) return { type: 'end', from };
    const { segment, limit } = this.#territory(from);
    if (segment === undefined) return { type: 'gap', from, to: limit, reason: 'damaged' };
    const end = Math.min(segment.end, limit);
    if (from >= end) return { type: 'gap', from, ...segment.index.gapRun(from, limit) };
    const { stream, to } = segment.index.streamRun(from, Math.min(end, from + Math.max(1, maxBytes)));
    const bytes = this.#readBytes(segment, from, to - from, limit);
    if (bytes.length === 0) return { type: 'gap', from, to: Math.min(end, segment.damagedTo(from)), reason: 'damaged' };
    return { type: 'bytes', from, bytes, stream };
  }

  #readBytes(segment: LogSegment, from: number, length: number, limit: number): Uint8Array {
    const isShared = segment === this.#tail && length <= SHARED_READ_BYTES_MAX && !this.#readInto;
    const shared = isShared ? SHARED_READS.find(this, from, length) : undefined;
    if (shared !== undefined) return shared;
    const bytes = segment.read(from, length, this, limit, this.#readInto);
    // Stored bytes never change, so a cached read stays valid until the log is released.
    if (isShared && bytes.length === length) SHARED_READS.keep(this, from, length, bytes);
    return bytes;
  }

  #territory(offset: number): SegmentRange {
    if (this.#isClosed) throw new Error(`the log is closed: ${this.#folder}`);
    if (this.#failure) return { segment: undefined, limit: this.#end };
    return offset >= this.#tail.start ? { segment: this.#tail, limit: this.#end } : this.#sealed.at(offset);
  }

  /** Yields the segments from the one that holds `offset` up to the open one. */
  *#segmentsFrom(offset: number): Generator<LogSegment> {
    if (this.#failure) return;
    for (let at = offset; ;) {
      const tail = this.#tail;
      const { segment, limit } = this.#territory(at);
      if (segment !== undefined) yield segment;
      if (segment === tail) return;
      at = limit;
    }
  }

  #isTailFull(): boolean {
    const tail = this.#tail;
    return (
      tail.end < this.#end || // a gap: the next bytes do not follow the last ones
      tail.length >= this.#options.segmentBytes ||
      tail.isCompressed ||
      (tail.index.file.count >= INDEX_RECORDS_MAX && tail.length > 0)
    );
  }

  /**
   * Returns the fd of a new segment. All steps that can fail come first: until the last lines the old segment is the open one.
   */
  #rotate(): number {
    const full = this.#tail;
    full.index.file.drain();
    const next = new LogSegment(this.#folder, { ...NO_FILES, start: this.#end }, full.index.lastAt);
    const fd = next.openToWrite()!; // the segment has no bytes to lose
    this.#addUnsynced(full);
    full.release();
    this.#sealed.add(full.files, next.start);
    this.#tail = next;
    return fd;
  }

  async #compress(onStep?: (step: CompressStep) => void): Promise<boolean> {
    if (this.#start >= this.#tail.start || this.#failure) return false;
    const raw = this.#sealed.firstRaw();
    const start = raw ?? this.#sealed.firstLooseIndex();
    if (start === undefined) return false;
    const what = raw === undefined ? 'index' : 'bytes';
    const isWanted = (): boolean => !this.#isClosed && start >= this.#start;
    const onReplaced = (): void => this.#sealed.markCompressed(start, what);
    return compressSegment({ folder: this.#folder, start, what, isWanted, onReplaced, onStep });
  }

  /** Marks a segment as not synced: a killed keeper may have written without a sync, and the first flush syncs its bytes. */
  #suspect(segment: LogSegment): void {
    segment.isUnsynced = segment.length > 0 && !segment.isCompressed;
    segment.index.file.isUnsynced = segment.index.file.isUrgent = segment.index.file.count > 0;
    this.#isDirty = !this.#isReadOnly && (segment.isUnsynced || segment.index.file.isUnsynced);
  }

  #collect(isAll: boolean): NodeJS.ErrnoException | undefined {
    const failure = this.#isClosed ? undefined : this.#tail.index.file.tryDrain();
    this.#addUnsynced(this.#tail, isAll);
    this.#isDirty = this.#tail.index.file.isUnsynced;
    return failure;
  }

  /**
   * Adds marks of streams and gaps before the bytes: after a power cut, bytes without them would be attributed to another stream.
   * Marks of times may even be left for later.
   */
  #addUnsynced(segment: LogSegment, isAll = true): void {
    const marks = segment.index.file;
    if (segment.isUnsynced) this.#sync.addFile(join(this.#folder, rawName(segment.start)), segment);
    if (segment.isUnlisted) this.#sync.addFolder(this.#folder);
    segment.isUnsynced = segment.isUnlisted = false;
    if (!isAll && !marks.isUrgent) return;
    if (marks.isUnsynced)
      this.#sync.addFile(join(this.#folder, indexName(segment.start)), marks, marks.isUrgent ? 'first' : 'any');
    if (marks.isUnlisted) this.#sync.addFolder(this.#folder);
    marks.isUnsynced = marks.isUnlisted = false;
    marks.isUrgent &&= marks.waiting > 0; // the disk has refused them
  }

  #assertWritable(): void {
    if (this.#isClosed) throw new Error(`the log is closed: ${this.#folder}`);
    if (this.#isReadOnly) throw new Error(`the log is open for reading only: ${this.#folder}`);
  }
}
