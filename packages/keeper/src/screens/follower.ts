/** One who follows a session's log, in turns. */
import type { Insight } from './insight.ts';

export interface Follower {
  /** What it has understood so far; null until there was something to understand. */
  readonly insight: Insight | null;
  readonly offset: number;
  readonly isBehind: boolean;
  grown(end: number): void;
  /** Moves on by some milliseconds' worth. */
  turn(): void;
  /** Understanding begins, though there was nothing to understand: silence means something too. */
  begin(): Insight;
  /** Lets go of what can be made again. */
  drop(): void;
  close(): void;
}
