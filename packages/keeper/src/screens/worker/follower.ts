/** One who follows a session's log, in turns. */
import type { StatusTracker } from '../insight/status-tracker.ts';

export interface Follower {
  readonly id: string;
  /** What it has understood so far; null until there was something to understand. */
  readonly tracker: StatusTracker | null;
  readonly offset: number;
  readonly isBehind: boolean;
  /** What its model takes, by estimate; 0 without one. */
  readonly modelBytes: number;
  /** When it was last told of new bytes, in milliseconds since 1970; 0: never. */
  readonly readAt: number;
  /** There are bytes up to `end`, the last of them written at `at`. */
  grown(end: number, at: number): void;
  /** Moves on by some milliseconds' worth. */
  turn(): void;
  /** Understanding begins, though there was nothing to understand: silence means something too. */
  begin(): StatusTracker;
  /** Lets go of its model: it can be made again. */
  drop(): void;
  /** Its log may have files open. */
  readonly holdsFiles: boolean;
  /** Closes them until there is more to read. */
  releaseFiles(): void;
  close(): void;
}
