/** The interface of a follower, which reads a session's log in turns. */
import type { StatusTracker } from '../insight/status-tracker.ts';

export interface Follower {
  readonly id: string;
  /** What it has derived so far; null until there was output. */
  readonly tracker: StatusTracker | null;
  readonly offset: number;
  readonly isBehind: boolean;
  /** The estimated size of its model; 0 without one. */
  readonly modelBytes: number;
  /** When it was last notified of new bytes, in milliseconds since 1970; 0: never. */
  readonly readAt: number;
  /** There are bytes up to `end`, the last of them written at `at`. */
  grown(end: number, at: number): void;
  /** Continues for a few milliseconds. */
  turn(): void;
  /** Starts the tracker although there was no output: silence has a meaning too. */
  begin(): StatusTracker;
  /** Drops its model, which can be rebuilt. */
  drop(): void;
  /** Its log may have files open. */
  readonly holdsFiles: boolean;
  /** Closes them until there is more to read. */
  releaseFiles(): void;
  close(): void;
}
