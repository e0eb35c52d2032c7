/**
 * The sealed segments of a log: everything before the open one. The list is read from the folder on demand, and dropped by
 * `release`: most sessions never read history, and an idle one should not keep it.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { diskBytes, indexBytes, listFolder, removeSegment, withoutStrays, type SegmentFiles } from './folder.ts';
import { compressedName, rawName } from './names.ts';
import { countToDrop, type Retention } from './retention.ts';
import { LogSegment } from './segment.ts';
import { partition } from './partition.ts';

/** The smallest index that is compressed, one block of the disk: compression of smaller files saves no space. */
const INDEX_BYTES_MIN = 4096;

/** A segment, and the start of the next one: between its own end and this limit there is a gap. */
export interface SegmentRange {
  /** The segment; undefined if its files are missing. */
  readonly segment: LogSegment | undefined;
  readonly limit: number;
}

export class SealedSegments {
  readonly #folder: string;
  readonly #segmentBytes: number;
  /** The start of the open segment. */
  #limit: number;
  #list: SealedFiles[] | undefined;
  /** The segment that was read last: readers of history continue in it. */
  #recent: { readonly segment: LogSegment; readonly limit: number } | undefined;

  constructor(folder: string, segmentBytes: number, limit: number) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    this.#limit = limit;
  }

  /** Adds a segment that was open and has been sealed; the next one starts at `limit`. */
  add(files: SegmentFiles, limit: number): void {
    if (limit > files.start) this.#list?.push(files);
    this.#limit = limit;
  }

  /** Returns the segment for an offset below the open one. */
  at(offset: number): SegmentRange {
    const recent = this.#recent;
    if (recent !== undefined && offset >= recent.segment.start && offset < recent.limit) return recent;
    const list = this.#files();
    const next = partition(list.length, (row) => list[row]!.start <= offset);
    const limit = list[next]?.start ?? this.#limit;
    const files = list[next - 1];
    if (files === undefined) return { segment: undefined, limit };
    this.#forgetRecent();
    return (this.#recent = { segment: new LogSegment(this.#folder, files), limit });
  }

  /** Returns the start of the last segment whose first mark is not after `time`; undefined if there is none. */
  startBefore(time: number): number | undefined {
    const list = this.#files();
    const row = partition(list.length, (row) => {
      const at = this.#inspect(list[row]!, (segment) => segment.index.firstAt);
      return at === undefined ? undefined : at <= time;
    });
    return list[row - 1]?.start;
  }

  /** Drops the segments that retention selects; returns the new start of the log, or undefined if none was dropped. */
  retain(openBytes: number, retention: Retention, now: number): number | undefined {
    const list = this.#files();
    const retained = list.map((files) => ({
      diskBytes: (files.diskBytes ??= diskBytes(this.#folder, files)),
      lastAt: () => this.#lastAt(files),
    }));
    const count = countToDrop(retained, openBytes, retention, now);
    let dropped = 0;
    while (dropped < count && removeSegment(this.#folder, list[dropped]!.start)) dropped++;
    if (dropped === 0) return undefined;
    this.#forgetRecent();
    list.splice(0, dropped);
    return list[0]?.start ?? this.#limit;
  }

  /** Returns the start of the oldest segment that is not compressed yet. A segment without bytes is not worth a file. */
  firstRaw(): number | undefined {
    return this.#files().find((files) => files.hasRaw && this.#inspect(files, (segment) => segment.length > 0))?.start;
  }

  /** Returns the start of the oldest segment whose index is worth compressing and is not compressed yet. */
  firstLooseIndex(): number | undefined {
    return this.#files().find((files) => {
      if (!files.hasIndex || files.hasPackedIndex || files.isIndexSmall) return false;
      files.isIndexSmall = indexBytes(this.#folder, files) < INDEX_BYTES_MIN;
      return !files.isIndexSmall;
    })?.start;
  }

  markCompressed(start: number, what: 'bytes' | 'index'): void {
    const files = this.#list?.find((files) => files.start === start);
    const now = what === 'bytes' ? { hasRaw: false, hasCompressed: true } : { hasPackedIndex: true };
    if (files !== undefined) Object.assign(files, { ...now, diskBytes: undefined });
    if (this.#recent?.segment.start === start) this.#forgetRecent();
  }

  release(): void {
    this.#forgetRecent();
    this.#list = undefined;
  }

  #files(): SealedFiles[] {
    if (this.#list !== undefined) return this.#list;
    const listed = listFolder(this.#folder)?.segments ?? [];
    const sealed = withoutStrays(this.#folder, listed, this.#segmentBytes).filter(({ start }) => start < this.#limit);
    return (this.#list = sealed);
  }

  #inspect<Answer>(files: SegmentFiles, ask: (segment: LogSegment) => Answer): Answer {
    const segment = new LogSegment(this.#folder, files);
    try {
      return ask(segment);
    } finally {
      segment.release();
    }
  }

  /** Returns the time of the last mark, or, if the index is lost, the mtime. */
  #lastAt(files: SegmentFiles): number {
    const at = this.#inspect(files, (segment) => segment.index.lastAt);
    if (at > 0) return at;
    const name = files.hasRaw ? rawName(files.start) : compressedName(files.start);
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }

  #forgetRecent(): void {
    this.#recent?.segment.release();
    this.#recent = undefined;
  }
}

interface SealedFiles extends SegmentFiles {
  diskBytes?: number;
  isIndexSmall?: boolean;
}
