/**
 * The rows of one index file: those on disk, and after them those that wait in memory.
 *
 * Behind the last row the file has the end of the segment's bytes (`noteEnd`), for a process that finds them lost: this keeps
 * LOG-12 (decision 105). Torn or damaged records at the end of the file do not count, and the next record overwrites them; damaged
 * ones in the middle are read as undefined. Only the last record of the file is kept in memory.
 */
import { closeSync, fstatSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { errorCode, FILE_MODE, isUnreadable, isSystemError, openToRead, openToWrite, removeFile } from './files.ts';
import { TEMPORARY } from './names.ts';
import { decodeEnd, decodeRecord, encodeEnd, encodeRecord, RECORD_BYTES, reachOf, type IndexRecord } from './record.ts';
import { PackedRecords } from './packed-records.ts';
import { partition } from './partition.ts';

/** The number of records that are read or written together: 4 KiB. */
export const BLOCK_RECORDS = 128;

export class RecordFile {
  readonly #path: string;
  readonly #packedPath: string;
  /** The packed records of a sealed segment, loaded on demand. */
  #packed: PackedRecords | undefined;
  #fd = -1;
  #isWritable = false;
  /** The number of records in the file, or -1 as long as it has not been loaded. */
  #stored = -1;
  #waiting = 0;
  #buffer: Buffer | undefined;
  #last: IndexRecord | undefined;
  /** The end of the bytes, according to the file when it was loaded. */
  #end = 0;
  #exists: boolean;
  /** Whether records were written since the last sync. */
  isUnsynced = false;
  /** Whether records other than times of bytes were added since the last sync. */
  isUrgent = false;
  /** Whether the file was created since the last sync of the folder. */
  isUnlisted = false;

  /**
   * `exists`: false skips the check for a file that is known to be missing. If the raw file is missing, the packed file is read.
   */
  constructor(path: string, packedPath: string, exists: boolean) {
    this.#path = path;
    this.#packedPath = packedPath;
    this.#exists = exists;
    if (!exists) this.#stored = 0;
  }

  get count(): number {
    this.load();
    return this.#stored + this.#waiting;
  }

  get last(): IndexRecord | undefined {
    this.load();
    return this.#last;
  }

  /** The offset below which all offsets were used, according to the file. */
  get reach(): number {
    const { last } = this;
    return Math.max(this.#end, last === undefined ? 0 : reachOf(last.mark));
  }

  /** The size of the records, on disk and waiting. */
  get bytes(): number {
    return this.count * RECORD_BYTES;
  }

  /** The fd; -1 while the file is closed. */
  get fd(): number {
    return this.#fd;
  }

  /** The number of records that are only in memory. */
  get waiting(): number {
    return this.#waiting;
  }

  push(record: IndexRecord): void {
    this.#makeRoom();
    encodeRecord(this.#buffer!, this.#waiting * RECORD_BYTES, record);
    this.#waiting++;
    this.#last = record;
    this.isUrgent ||= record.mark.type !== 'time';
  }

  /** Replaces the last record. In the file it is overwritten in place, which takes no space, so this works even on a full disk. */
  replaceLast(record: IndexRecord): void {
    this.load();
    if (this.#waiting > 0) this.#waiting--;
    else this.#stored--;
    this.push(record);
  }

  /** Writes the waiting records. Throws if the disk refuses; unwritten records keep waiting. */
  drain(): void {
    if (this.#waiting > 0) this.#write(this.#waiting);
  }

  /** Writes the waiting records; returns the error if the disk refuses. */
  tryDrain(): NodeJS.ErrnoException | undefined {
    return this.#attempt(() => this.drain());
  }

  /**
   * Writes the waiting records, and behind them the end of the bytes. The end is not a row: the next record overwrites it. Both
   * are one call; if the disk refuses, the next process does not know the end.
   */
  noteEnd(end: number): void {
    this.#makeRoom();
    encodeEnd(this.#buffer!, this.#waiting * RECORD_BYTES, end);
    this.#attempt(() => this.#write(this.#waiting + 1));
  }

  at(row: number): IndexRecord | undefined {
    return row < 0 ? undefined : this.rows(row, row + 1)[0];
  }

  /** Returns the rows [from, to); undefined for a damaged record. */
  rows(from: number, to: number): (IndexRecord | undefined)[] {
    this.load();
    const rows: (IndexRecord | undefined)[] = [];
    const stored = Math.min(to, this.#stored);
    if (from < stored) {
      const block = this.#readStored(from, stored);
      for (let row = from; row < stored; row++) rows.push(decodeRecord(block, (row - from) * RECORD_BYTES));
    }
    for (let row = Math.max(from, this.#stored); row < to; row++) {
      rows.push(decodeRecord(this.#buffer!, (row - this.#stored) * RECORD_BYTES));
    }
    return rows;
  }

  /** Yields the readable records from a row on. */
  *each(from: number): Generator<IndexRecord> {
    const { count } = this;
    for (let row = from; row < count; row += BLOCK_RECORDS) {
      for (const record of this.rows(row, Math.min(row + BLOCK_RECORDS, count))) if (record) yield record;
    }
  }

  /** Returns the first row whose record is not `before`. */
  search(isBefore: (record: IndexRecord) => boolean): number {
    return partition(this.count, (row) => {
      const record = this.at(row);
      return record && isBefore(record);
    });
  }

  /** Reads the file again, because another process writes it. */
  reload(): void {
    this.#stored = -1;
    this.#end = 0;
    this.#last = undefined;
    this.#packed = undefined;
  }

  /** Closes the fd; the next use opens it again. */
  release(): void {
    this.#close();
    if (this.#waiting === 0) this.#buffer = undefined; // an idle session holds no buffer
  }

  /** Finds the last readable record. It is almost always the last row; one block is read. Every other method starts with this. */
  load(): void {
    if (this.#stored >= 0) return;
    const fd = this.#openToRead();
    const rows = fd === undefined ? (this.#openPacked()?.count ?? 0) : Math.floor(fstatSync(fd).size / RECORD_BYTES);
    for (let to = rows; to > 0; to -= BLOCK_RECORDS) {
      const from = Math.max(0, to - BLOCK_RECORDS);
      const block = this.#readStored(from, to);
      for (let row = to - 1; row >= from; row--) {
        this.#end ||= decodeEnd(block, (row - from) * RECORD_BYTES) ?? 0;
        this.#last = decodeRecord(block, (row - from) * RECORD_BYTES);
        this.#stored = row + 1;
        if (this.#last !== undefined) return;
      }
    }
    this.#stored = 0;
  }

  #makeRoom(): void {
    this.load();
    const needed = (this.#waiting + 1) * RECORD_BYTES;
    if (this.#buffer !== undefined && this.#buffer.length >= needed) return;
    const larger = Buffer.alloc(needed * 2);
    this.#buffer?.copy(larger);
    this.#buffer = larger;
  }

  /** Writes the content of the buffer: the waiting records, and perhaps one more that does not count. */
  #write(records: number): void {
    const fd = this.#openToWrite();
    const buffer = this.#buffer!;
    const length = records * RECORD_BYTES;
    let written = 0;
    try {
      while (written < length) {
        written += writeSync(fd, buffer, written, length - written, this.#stored * RECORD_BYTES + written);
      }
    } finally {
      const whole = Math.min(Math.floor(written / RECORD_BYTES), this.#waiting);
      buffer.copyWithin(0, whole * RECORD_BYTES, length);
      this.#stored += whole;
      this.#waiting -= whole;
      if (whole > 0) this.isUnsynced = true;
    }
  }

  #attempt(deed: () => void): NodeJS.ErrnoException | undefined {
    try {
      deed();
      return undefined;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return error;
    }
  }

  #readStored(from: number, to: number): Buffer {
    const fd = this.#openToRead();
    if (fd === undefined) return this.#openPacked()?.read(from, to) ?? Buffer.alloc(0);
    const block = Buffer.allocUnsafe((to - from) * RECORD_BYTES);
    try {
      return block.subarray(0, readSync(fd, block, 0, block.length, from * RECORD_BYTES));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return Buffer.alloc(0); // an unreadable file counts as damaged, and damage is not an error here
    }
  }

  #openToRead(): number | undefined {
    if (this.#fd >= 0) return this.#fd;
    try {
      this.#fd = openToRead(this.#path);
      this.#isWritable = false;
      return this.#fd;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return undefined;
    }
  }

  #close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    this.#packed = undefined;
  }

  #openPacked(): PackedRecords | undefined {
    return (this.#packed ??= PackedRecords.open(this.#packedPath));
  }

  /**
   * Unpacks a packed index, which belongs to a sealed segment. It is written to again only if all segments after it were lost.
   */
  #unpack(): void {
    if (!this.#exists || this.#openToRead() !== undefined) return;
    const packed = this.#openPacked();
    if (packed === undefined) return;
    const temporary = `${this.#path}${TEMPORARY}`;
    writeFileSync(temporary, packed.read(0, packed.count), { mode: FILE_MODE });
    renameSync(temporary, this.#path);
    removeFile(this.#packedPath);
    this.#packed = undefined;
    this.isUnsynced = this.isUnlisted = true;
  }

  #openToWrite(): number {
    if (this.#fd >= 0 && this.#isWritable) return this.#fd;
    this.#unpack();
    const fd = openToWrite(this.#path);
    this.#close();
    this.#isWritable = true;
    this.isUnlisted ||= !this.#exists;
    this.#exists = true;
    return (this.#fd = fd);
  }
}
