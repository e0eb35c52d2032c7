/**
 * The segments of a log, from the listing of its folder. The names are enough to know what exists; sizes are read when
 * needed.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, isSystemError, remove } from './files.ts';
import { compressedName, indexName, packedIndexName, parseName, rawName, TEMPORARY } from './names.ts';
import { unpackZstdFile, zstdFileBytes } from './zstd-file.ts';

/** The files of one segment. Any one of them makes a segment: an index alone has none of its bytes, but describes them. */
export interface SegmentFiles {
  readonly start: number;
  hasRaw: boolean;
  hasCompressed: boolean;
  /** Raw or packed. */
  hasIndex: boolean;
  hasPackedIndex?: boolean;
}

export const NO_FILES: SegmentFiles = { start: 0, hasRaw: false, hasCompressed: false, hasIndex: false };

export interface Listing {
  /** By start. */
  readonly segments: SegmentFiles[];
  /** Unfinished files, of a dead process or of one at work. */
  readonly temporary: string[];
}

/** Undefined when there is no such folder. Foreign names, links and folders are ignored. */
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

/** Where the log in a folder starts. Opens nothing and repairs nothing; 0 when it is unknown. */
export function firstOffsetIn(folder: string): number {
  try {
    return listFolder(folder)?.segments[0]?.start ?? 0;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return 0;
  }
}

/**
 * Leaves out segments that start inside the one before: such a name is not ours. A segment that follows at the maximum
 * length is not even measured, so a log of full segments costs no call.
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

/** How many bytes of the session a segment holds. */
export function storedBytes(folder: string, files: SegmentFiles): number {
  if (files.hasRaw) return fileBytes(join(folder, rawName(files.start)));
  return files.hasCompressed ? (zstdFileBytes(join(folder, compressedName(files.start))) ?? 0) : 0;
}

/** The size of a segment on disk. */
export function diskBytes(folder: string, files: SegmentFiles): number {
  return (
    (files.hasRaw ? fileBytes(join(folder, rawName(files.start))) : 0) +
    (files.hasCompressed ? fileBytes(join(folder, compressedName(files.start))) : 0) +
    indexBytes(folder, files)
  );
}

/** The size of its index on disk, raw or packed. */
export function indexBytes(folder: string, { start, hasIndex, hasPackedIndex = false }: SegmentFiles): number {
  const packed = hasPackedIndex ? fileBytes(join(folder, packedIndexName(start))) : 0;
  return packed + (hasIndex ? fileBytes(join(folder, indexName(start))) : 0);
}

/**
 * A process was killed between creating the compressed file and removing the raw one. The compressed file was complete
 * before it got its name, so it wins, unless it does not unpack to the full length of the raw one: then the raw one
 * stays.
 */
export function resolveDuplicateSegment(folder: string, files: SegmentFiles): void {
  settleIndexTwins(folder, files);
  if (!files.hasRaw || !files.hasCompressed) return;
  const raw = join(folder, rawName(files.start));
  const compressed = join(folder, compressedName(files.start));
  const bytes = unpackZstdFile(compressed, Number.MAX_SAFE_INTEGER);
  const isWhole = bytes !== undefined && bytes.length >= fileBytes(raw);
  if (isWhole ? remove(raw) : remove(compressed)) {
    files.hasRaw = !isWhole;
    files.hasCompressed = isWhole;
  }
}

/** Of two indexes the raw one wins: it is removed last, so it is complete. */
function settleIndexTwins(folder: string, files: SegmentFiles): void {
  if (!files.hasPackedIndex || fileBytes(join(folder, indexName(files.start))) === 0) return;
  if (remove(join(folder, packedIndexName(files.start)))) files.hasPackedIndex = false;
}

/** Whether nothing of the segment is left. The bytes are removed last: a kill in between leaves a segment without times. */
export function removeSegment(folder: string, start: number): boolean {
  return [indexName, packedIndexName, compressedName, rawName].every((name) => remove(join(folder, name(start))));
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
