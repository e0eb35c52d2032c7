/**
 * The names of a log's files: the offset of the first byte in sixteen digits, so that the order of the names is the
 * order of the bytes.
 */
const DIGITS = 16;

const RAW = '.log';
const COMPRESSED = '.log.zst';
const INDEX = '.idx';
const PACKED_INDEX = '.idx.zst';
/** The suffix of unfinished files; if their writer has died, they may be removed. */
export const TEMPORARY = '.tmp';

export const rawName = (start: number): string => digits(start) + RAW;
export const compressedName = (start: number): string => digits(start) + COMPRESSED;
export const indexName = (start: number): string => digits(start) + INDEX;
export const packedIndexName = (start: number): string => digits(start) + PACKED_INDEX;

export type FileKind = 'raw' | 'compressed' | 'index' | 'packed-index';

/** Parses a name; undefined if it is not the name of a file of the log. */
export function parseName(name: string): { readonly start: number; readonly kind: FileKind } | undefined {
  const kind = KINDS.get(name.slice(DIGITS));
  const start = DIGITS_ONLY.test(name) ? Number(name.slice(0, DIGITS)) : Number.NaN;
  // Sixteen digits also express some numbers that are not exact.
  return kind !== undefined && Number.isSafeInteger(start) ? { start, kind } : undefined;
}

const KINDS = new Map<string, FileKind>([
  [RAW, 'raw'],
  [COMPRESSED, 'compressed'],
  [INDEX, 'index'],
  [PACKED_INDEX, 'packed-index'],
]);
const DIGITS_ONLY = /^[0-9]{16}\./;

function digits(start: number): string {
  return String(start).padStart(DIGITS, '0');
}
