/**
 * The index of one segment: marks (time, resize, stream, gap) in the order of their offsets, in a file beside the
 * bytes. Keeps LOG-4.
 *
 * Behind the marks the file says how far the bytes go (`RecordFile.noteEnd`): microseconds for each piece of output, so
 * that a log whose bytes are lost still knows which offsets were used. Offsets and times only grow, so either can be searched;
 * if the clock is set back, time stands still here until it has caught up.
 */
import { reachOf } from './record.ts';
import type { GapReason, LogMark, LogStream } from './types.ts';
import { BLOCK_RECORDS, type RecordFile } from './record-file.ts';

/** Two time marks are at least this far apart: finer is noise, and at 100 a second an index stays near 3 KB/s. */
export const TIME_MARK_MS = 10;

/**
 * A segment with this many marks is sealed: otherwise a session that prints a byte every 10 ms would grow an index of
 * 128 MiB.
 */
export const INDEX_RECORDS_MAX = 32 * 1024;

/** While the disk refuses, at most this many marks wait; further ones are dropped, except gaps, which merge. */
const WAITING_RECORDS_MAX = 16 * BLOCK_RECORDS;

export class SegmentIndex {
  readonly file: RecordFile;
  readonly #sinceAt: number;
  /** Bytes from here on are of the newest stream; until a switch, the newest record is the best known. */
  #streamSince: number | undefined;
  #isStreamWaiting = false;
  #hasTimeMark = false;

  /** `sinceAt`: no mark may be older, because the segment before has marks of that time. */
  constructor(file: RecordFile, sinceAt = 0) {
    this.file = file;
    this.#sinceAt = sinceAt;
  }

  /** Offsets below this were used, according to the file. */
  get reach(): number {
    return this.file.reach;
  }

  /** The time of the newest mark: the session was alive then. */
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

  /** Bytes from `offset` on are being written now: adds a time mark if there is no recent one. */
  noteTime(offset: number, at: number): void {
    if (this.#hasTimeMark && at - this.lastAt < TIME_MARK_MS) return;
    this.add({ type: 'time', offset, at });
    this.#hasTimeMark = true;
  }

  /**
   * The next bytes, from `offset` on, are of this stream. Its mark is in the file when this returns; it throws when
   * that is impossible: a kill must not leave bytes under the wrong stream.
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

  /** Marks with from <= offset <= to. */
  marksBetween(from: number, to: number): LogMark[] {
    const first = this.file.search((record) => record.mark.offset < from);
    const next = this.file.search((record) => record.mark.offset <= to);
    return this.file.rows(first, next).flatMap((record) => record?.mark ?? []);
  }

  /**
   * When the bytes at `offset` were written. A stream may have been marked before any time was known: such a mark has
   * no time.
   */
  timeAt(offset: number): number | undefined {
    return this.file.at(this.#lastUpTo(offset))?.mark.at || undefined;
  }

  /** The first offset that was written after `time`. */
  offsetAfter(time: number): number | undefined {
    for (const record of this.file.each(this.file.search((record) => record.mark.at <= time))) {
      return record.mark.offset;
    }
    return undefined;
  }

  /** The stream of the bytes at `from`, and how far below `to` it continues. */
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

  /** Why there are no bytes at `from`, and how far below `limit` that continues. */
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

  /** The last readable row with an offset up to this one, or -1. */
  #lastUpTo(offset: number): number {
    let row = this.file.search((record) => record.mark.offset <= offset) - 1;
    while (row >= 0 && this.file.at(row) === undefined) row--;
    return row;
  }
}
