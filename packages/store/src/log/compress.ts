/**
 * Compresses one file of a sealed segment, its bytes or its index, off-thread. A kill at any point leaves the content readable,
 * exactly once.
 *
 *     raw │ raw + unfinished │ raw + compressed (resolved at the next open) │ compressed
 *
 * Between the awaits the log may change: retention may drop the segment, the log may be closed and opened again. Therefore it
 * checks before each visible step whether the work is still wanted. Keeps the compression part of LOG-3.
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, FILE_MODE, removeFile, syncFolder } from './files.ts';
import { compressedName, indexName, packedIndexName, rawName, TEMPORARY } from './names.ts';
import { packRecords } from './packed-records.ts';
import { packZstd } from './zstd-file.ts';

/** The steps of a compression, announced for tests: the folder at each step has the state that a kill there would leave. */
export type CompressStep = 'read' | 'packed' | 'created' | 'written' | 'synced' | 'renamed' | 'durable' | 'removed';

export interface CompressWork {
  readonly folder: string;
  readonly start: number;
  readonly what: 'bytes' | 'index';
  /** Whether the segment still exists and the log is still ours. */
  readonly isWanted: () => boolean;
  /** Called when the raw file has been removed. Called before any other code can run. */
  readonly onReplaced: () => void;
  readonly onStep?: ((step: CompressStep) => void) | undefined;
}

const FORMS = {
  bytes: { rawName, packedName: compressedName, pack: (bytes: Buffer) => packZstd(bytes) },
  index: { rawName: indexName, packedName: packedIndexName, pack: packRecords },
} as const;

/** Resolves with true if the raw file has been replaced; false if the work was no longer wanted. Rejects when the disk refuses. */
export async function compressSegment(work: CompressWork): Promise<boolean> {
  const { folder, start, isWanted, onStep } = work;
  const { rawName, packedName, pack } = FORMS[work.what];
  const raw = join(folder, rawName(start));
  const compressed = join(folder, packedName(start));
  // A unique name: another process may be compressing the same segment, and must not rename our partial file.
  const temporary = join(folder, `${packedName(start)}.${randomBytes(6).toString('hex')}${TEMPORARY}`);
  try {
    using segment = await readSegment(raw);
    onStep?.('read');
    const packed = await pack(segment.bytes);
    onStep?.('packed');
    if (!isWanted()) return false;
    await writeDurably(temporary, packed, onStep);
    if (!isWanted()) return false;
    renameSync(temporary, compressed);
    onStep?.('renamed');
    await syncFolder(folder);
    onStep?.('durable');
    if (!isWanted() || !removeFile(raw)) return false;
    work.onReplaced();
    onStep?.('removed');
    return true;
  } catch (error) {
    // Retention or the removal of the session deleted the files meanwhile: this is a result, not a failure.
    if (errorCode(error) === 'ENOENT' && !isWanted()) return false;
    throw error;
  } finally {
    removeFile(temporary);
  }
}

/**
 * A buffer for all segments: a new one of four megabytes for each segment cost the keeper tens of megabytes after a flood, until
 * the next garbage collection.
 */
let room = Buffer.alloc(0);
let isTaken = false;

async function readSegment(path: string): Promise<{ readonly bytes: Buffer } & Disposable> {
  // Another log is being compressed at the same time and has the buffer.
  if (isTaken) return { bytes: await readFile(path), [Symbol.dispose]() {} };
  isTaken = true;
  const release = (): void => void (isTaken = false);
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (room.length < size) room = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    while (filled < size) {
      const { bytesRead } = await file.read(room, filled, size - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: room.subarray(0, filled), [Symbol.dispose]: release };
  } catch (error) {
    release();
    throw error;
  }
}

async function writeDurably(path: string, bytes: Uint8Array, onStep: CompressWork['onStep']): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    onStep?.('created');
    await file.writeFile(bytes);
    onStep?.('written');
    await file.datasync();
    onStep?.('synced');
  } finally {
    await file.close();
  }
}
