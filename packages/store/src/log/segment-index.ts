/**
 * The index of one segment: marks (time, resize, stream, gap) in the order of their offsets, in a file beside the
 * bytes. Keeps LOG-4.
 *
 * Behind the marks the file has the end of the bytes (`RecordFile.noteEnd`), which costs microseconds for each piece of output: a
 * log whose bytes are lost still knows which offsets were used. Offsets and times only grow, so both can be searched; if the clock
 * is set back, times do not change until the clock has caught up.
 */
import { reachOf } from './record.ts';
import type { GapReason, LogMark, LogStream } from './types.ts';
import { BLOCK_RECORDS, type RecordFile } from './record-file.ts';

/**
 * The minimum distance of two time marks: smaller distances add no information, and at 100 marks a second an index grows by about
 * 3 KB/s.
 */
const TIME_MARK_MS = 10;

/**
 * The number of marks at which a segment is sealed: otherwise a session that prints a byte every 10 ms would grow an index of 128
 * MiB.
 */
export const INDEX_RECORDS_MAX = 32 * 1024;

/** The maximum number of marks that wait while the disk refuses; further ones are dropped, except gaps, which merge. */
const WAITING_RECORDS_MAX = 16 * BLOCK_RECORDS;

export class SegmentIndex {
  readonly file: RecordFile;
  readonly #sinceAt: number;
  /** The offset from which on bytes are of the newest stream; until a switch, the newest record is the best known. */
  #streamSince: number | undefined;
  #isStreamWaiting = false;
  #hasTimeMark = false;

  /** `sinceAt` is the minimum time of a mark, because the segment before has marks of that time. */
  constructor(file: RecordFile, sinceAt = 0) {
    this.file = file;
    this.#sinceAt = sinceAt;
  }

  /** The offset below which all offsets were used, according to the file. */
  get reach(): number {
    return this.file.reach;
  }

  /** The time of the newest mark, at which the session was alive. */
  get lastAt(): number {
    return this.file.last?.mark.at ?? this.#sinceAt;
  }

  get firstAt(): number | undefined {
    for (const record of this.file.each(0)) return record.mark.at;
    return undefined;
  }

  /** The stream that the next bytes belong to. */
  get stream(): LogStream {
    return this.file.last?.stream ?? 'stdout';
  }

  /** Adds a time mark if there is no recent one: bytes from `offset` on are being written now. */
  noteTime(offset: number, at: number): void {
    if (this.#hasTimeMark && at - this.lastAt < TIME_MARK_MS) return;
    this.add({ type: 'time', offset, at });
    this.#hasTimeMark = true;
  }

  /**
   * Sets the stream of the next bytes, from `offset` on. The mark is in the file when this returns; it throws if that is
   * impossible: a kill must not leave bytes under the wrong stream.
   */
  switchStream(stream: LogStream, offset: number): void {
    if (stream !== this.stream) {
      this.add({ type: 'stream', offset, at: this.lastAt, stream });
      this.#streamSince = offset;
      this.#isStreamWaiting = true;
    }
    if (!this.#isStreamWaiting) return;
    this.file.drain();
    this.#isStreamWaiting = false;
  }

  add(mark: LogMark): void {
    const { file } = this;
    const { last } = file;
    if (mark.type === 'gap' && last?.mark.type === 'gap' && reachOf(last.mark) === mark.offset) {
      file.replaceLast({ ...last, mark: { ...last.mark, bytes: last.mark.bytes + mark.bytes } });
      return;
    }
    if (file.waiting >= WAITING_RECORDS_MAX && (mark.type === 'time' || mark.type === 'resize')) return;
    const stream = mark.type === 'stream' ? mark.stream : this.stream;
    file.push({
      mark: { ...mark, at: Math.max(mark.at, this.lastAt) },
      stream,
      hasStderr: stream === 'stderr' || last?.hasStderr === true,
    });
    if (file.waiting >= BLOCK_RECORDS) file.tryDrain();
  }

  /** Returns the marks with from <= offset <= to. */
  marksBetween(from: number, to: number): LogMark[] {
    const first = this.file.search((record) => record.mark.offset < from);
    const next = this.file.search((record) => record.mark.offset <= to);
    return this.file.rows(first, next).flatMap((record) => record?.mark ?? []);
  }

  /**
   * Returns the time at which the bytes at `offset` were written. A stream may have been marked before any time was known: such a
   * mark has no time.
   */
  timeAt(offset: number): number | undefined {
    return this.file.at(this.#lastUpTo(offset))?.mark.at || undefined;
  }

  /** Returns the first offset that was written after `time`. */
  offsetAfter(time: number): number | undefined {
    for (const record of this.file.each(this.file.search((record) => record.mark.at <= time))) {
      return record.mark.offset;
    }
    return undefined;
  }

  /** Returns the stream of the bytes at `from`, and the offset (at most `to`) up to which it continues. */
  streamRun(from: number, to: number): { readonly stream: LogStream; readonly to: number } {
    const { last } = this.file;
    if (last === undefined || !last.hasStderr) return { stream: 'stdout', to };
    if (from >= (this.#streamSince ?? last.mark.offset)) return { stream: last.stream, to };
    const row = this.#lastUpTo(from);
    const stream = this.file.at(row)?.stream ?? 'stdout';
    for (const record of this.file.each(row + 1)) {
      if (record.mark.offset >= to) break;
      if (record.stream !== stream) return { stream, to: record.mark.offset };
    }
    return { stream, to };
  }

  /** Returns the reason why there are no bytes at `from`, and the offset (at most `limit`) up to which they are missing. */
  gapRun(from: number, limit: number): { readonly reason: GapReason; readonly to: number } {
    const row = this.#lastUpTo(from);
    const before = this.file.at(row)?.mark;
    let to = before === undefined ? from : reachOf(before);
    const isTold = to > from; // only a gap reaches further than its offset
    for (const { mark } of this.file.each(row + 1)) {
      if (mark.type !== 'gap') continue;
      if (!isTold) return { reason: 'damaged', to: Math.min(mark.offset, limit) };
      if (mark.offset !== to) break;
      to = reachOf(mark);
    }
    return isTold ? { reason: 'disk', to: Math.min(to, limit) } : { reason: 'damaged', to: limit };
  }

  /** Returns the last readable row with an offset up to this one, or -1. */
  #lastUpTo(offset: number): number {
    let row = this.file.search((record) => record.mark.offset <= offset) - 1;
    while (row >= 0 && this.file.at(row) === undefined) row--;
    return row;
  }
}
