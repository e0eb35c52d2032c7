/** The types that the log and its users share. */
import type { LogMarkInfo } from '@spool/protocol';

/** A run of bytes from a log, or the report that they are missing. */
export type LogRead =
  | { readonly type: 'bytes'; readonly from: number; readonly bytes: Uint8Array; readonly stream: LogStream }
  /** A requested range [from, to) that is missing: retention dropped it, the disk was full, or a file is damaged. */
  | { readonly type: 'gap'; readonly from: number; readonly to: number; readonly reason: GapReason }
  /** The end of the log: there are no bytes after `from` yet. */
  | { readonly type: 'end'; readonly from: number };

export type GapReason = 'retention' | 'disk' | 'damaged';

/** The output of the child that the bytes came from. A PTY has only `stdout`. */
export type LogStream = 'stdout' | 'stderr';

/** The place for the next bytes: at `position` of `fd`, and no more than `roomBytes` of them. */
export interface LogSink {
  readonly fd: number;
  readonly position: number;
  readonly roomBytes: number;
}

/** An event at an offset: stored in the time index beside the bytes, and reported unchanged. */
export type LogMark = LogMarkInfo;

export interface LogOptions {
  /** The number of bytes at which a segment is sealed. */
  readonly segmentBytes: number;
  /** The limit of the segments' size on disk; the open segment is always kept. */
  readonly retainBytes: number;
  readonly retainMs: number;
}

export const LOG_DEFAULTS: LogOptions = {
  segmentBytes: 4 * 1024 * 1024,
  retainBytes: 256 * 1024 * 1024,
  retainMs: 30 * 24 * 60 * 60 * 1000,
};
