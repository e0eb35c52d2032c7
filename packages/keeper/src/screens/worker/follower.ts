/** The interface of a follower, which reads a session's log in turns. */
import type { StatusTracker } from '../insight/status-tracker.ts';

export interface Follower {
  readonly id: string;
  /** The tracker with the derived status; null until there was output. */
  readonly tracker: StatusTracker | null;
  readonly offset: number;
  readonly isBehind: boolean;
  /** The estimated size of its model; 0 without one. */
  readonly modelBytes: number;
  /** The time of the last notice of new bytes, in milliseconds since 1970; 0 before the first. */
  readonly readAt: number;
  /** Notes that there are bytes up to `end`, the last of them written at `at`. */
  grown(end: number, at: number): void;
  /** Continues to read for a few milliseconds. */
  turn(): void;
  /** Starts the tracker although there was no output, because silence has a meaning too. */
  begin(): StatusTracker;
  /** Drops its model, which can be rebuilt. */
  drop(): void;
  /** Whether its log may have open files. */
  readonly holdsFiles: boolean;
  /** Closes the files of its log until there is more to read. */
  releaseFiles(): void;
  close(): void;
}
