/**
 * Finds the segments of a log in the listing of its folder. The names are enough to know which files exist; sizes are read on
 * demand.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, isSystemError, removeFile } from './files.ts';
import { compressedName, indexName, packedIndexName, parseName, rawName, TEMPORARY } from './names.ts';
import { unpackZstdFile, zstdFileBytes } from './zstd-file.ts';

/** The files of one segment. Any of them makes a segment: an index alone has no bytes, but describes them. */
export interface SegmentFiles {
  readonly start: number;
  hasRaw: boolean;
  hasCompressed: boolean;
  /** Whether it has an index, raw or packed. */
  hasIndex: boolean;
  hasPackedIndex?: boolean;
}

export const NO_FILES: SegmentFiles = { start: 0, hasRaw: false, hasCompressed: false, hasIndex: false };

export interface Listing {
  /** The segments, sorted by start. */
  readonly segments: SegmentFiles[];
  /** Unfinished files, of a dead process or a running one. */
  readonly temporary: string[];
}

/** Returns undefined if the folder does not exist. Foreign names, links and folders are ignored. */
export function listFolder(folder: string): Listing | undefined {
  const byStart = new Map<number, SegmentFiles>();
  const temporary: string[] = [];
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const parsed = parseName(entry.name);
    if (parsed === undefined) {
      if (entry.name.endsWith(TEMPORARY)) temporary.push(entry.name);
      continue;
    }
    let files = byStart.get(parsed.start);
    if (files === undefined) {
      files = { ...NO_FILES, start: parsed.start };
      byStart.set(parsed.start, files);
    }
    if (parsed.kind === 'raw') files.hasRaw = true;
    else if (parsed.kind === 'compressed') files.hasCompressed = true;
    else files.hasIndex = true;
    if (parsed.kind === 'packed-index') files.hasPackedIndex = true;
  }
  return { segments: [...byStart.values()].sort((a, b) => a.start - b.start), temporary };
}

/** Returns the start of the log in a folder, without opening or repairing files; 0 if it is unknown. */
export function firstOffsetIn(folder: string): number {
  try {
    return listFolder(folder)?.segments[0]?.start ?? 0;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return 0;
  }
}

/**
 * Leaves out segments that start inside the one before: the log did not write such a file. A segment whose successor starts at the
 * maximum length is not measured, so a log of full segments costs no system call.
 */
export function withoutStrays(folder: string, segments: readonly SegmentFiles[], segmentBytes: number): SegmentFiles[] {
  const kept: SegmentFiles[] = [];
  for (const files of segments) {
    const before = kept.at(-1);
    const isNear = before !== undefined && files.start - before.start < segmentBytes;
    if (!isNear || before.start + storedBytes(folder, before) <= files.start) kept.push(files);
  }
  return kept;
}

/** Returns the number of bytes of the session in a segment. */
export function storedBytes(folder: string, files: SegmentFiles): number {
  if (files.hasRaw) return fileBytes(join(folder, rawName(files.start)));
  return files.hasCompressed ? (zstdFileBytes(join(folder, compressedName(files.start))) ?? 0) : 0;
}

/** Returns the size of a segment on disk. */
export function diskBytes(folder: string, files: SegmentFiles): number {
  return (
    (files.hasRaw ? fileBytes(join(folder, rawName(files.start))) : 0) +
    (files.hasCompressed ? fileBytes(join(folder, compressedName(files.start))) : 0) +
    indexBytes(folder, files)
  );
}

/** Returns the size of its index on disk, raw or packed. */
export function indexBytes(folder: string, { start, hasIndex, hasPackedIndex = false }: SegmentFiles): number {
  const packed = hasPackedIndex ? fileBytes(join(folder, packedIndexName(start))) : 0;
  return packed + (hasIndex ? fileBytes(join(folder, indexName(start))) : 0);
}

/**
 * Decides between a raw and a compressed file, if a process was killed between creating the compressed one and removing the raw
 * one. The compressed file was complete before it got its name, so it is used, unless it does not unpack to the full length of the
 * raw one: then the raw one is kept.
 */
export function resolveDuplicateSegment(folder: string, files: SegmentFiles): void {
  settleIndexTwins(folder, files);
  if (!files.hasRaw || !files.hasCompressed) return;
  const raw = join(folder, rawName(files.start));
  const compressed = join(folder, compressedName(files.start));
  const bytes = unpackZstdFile(compressed, Number.MAX_SAFE_INTEGER);
  const isWhole = bytes !== undefined && bytes.length >= fileBytes(raw);
  if (isWhole ? removeFile(raw) : removeFile(compressed)) {
    files.hasRaw = !isWhole;
    files.hasCompressed = isWhole;
  }
}

/** Keeps the raw one of two indexes, because it is removed last and so is complete. */
function settleIndexTwins(folder: string, files: SegmentFiles): void {
  if (!files.hasPackedIndex || fileBytes(join(folder, indexName(files.start))) === 0) return;
  if (removeFile(join(folder, packedIndexName(files.start)))) files.hasPackedIndex = false;
}

/**
 * Returns whether all files of the segment are gone. The bytes are removed last: a kill in between leaves a segment without
 * times.
 */
export function removeSegment(folder: string, start: number): boolean {
  return [indexName, packedIndexName, compressedName, rawName].every((name) => removeFile(join(folder, name(start))));
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
