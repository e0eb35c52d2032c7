/** Opens a log by reading its files: they are the state. Keeps the part of LIFE-5 about the log. */
import { join } from 'node:path';
import { createFolder, isSystemError, removeFile } from './files.ts';
import { listFolder, NO_FILES, resolveDuplicateSegment, withoutStrays, type SegmentFiles } from './folder.ts';
import { LogSegment } from './segment.ts';

export interface FoundLog {
  readonly start: number;
  readonly end: number;
  /** The newest segment; if there is none, the first, which is not created yet. */
  readonly tail: LogSegment;
  readonly isNew: boolean;
}

/** Reads the state from the files. It changes no files. */
export function inspectFolder(folder: string, segmentBytes: number): FoundLog {
  return found(folder, listFolder(folder)?.segments, segmentBytes);
}

/** Reads the state for a writer: creates the folder, and cleans up after a killed process. */
export function openAndRepair(folder: string, segmentBytes: number): FoundLog {
  const listing = listFolder(folder);
  if (listing === undefined) tryToCreate(folder);
  for (const name of listing?.temporary ?? []) removeFile(join(folder, name));
  for (const files of listing?.segments ?? []) resolveDuplicateSegment(folder, files);
  return found(folder, listing?.segments, segmentBytes);
}

function found(folder: string, listed: readonly SegmentFiles[] | undefined, segmentBytes: number): FoundLog {
  const segments = withoutStrays(folder, listed ?? [], segmentBytes);
  const files = segments.at(-1) ?? NO_FILES;
  const marked = files.hasIndex ? undefined : segments.findLast((files) => files.hasIndex);
  const tail = new LogSegment(folder, files, marked && lastAtOf(folder, marked));
  // A mark is behind the last byte: later bytes were lost, and their offsets must not be reused.
  const end = Math.max(tail.end, tail.index.reach);
  return { start: segments[0]?.start ?? 0, end, tail, isNew: listed === undefined };
}

function lastAtOf(folder: string, files: SegmentFiles): number {
  const segment = new LogSegment(folder, files);
  segment.release();
  return segment.index.lastAt;
}

function tryToCreate(folder: string): void {
  try {
    createFolder(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error; // the sink retries later, and reports the reason
  }
}
