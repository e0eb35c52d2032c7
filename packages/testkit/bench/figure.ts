/** One line of the benchmark's table. */
export interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly limit: string;
  readonly ratio: number;
  /** The goal for the ratio: at least, or at most. */
  readonly goal: readonly ['≥' | '≤', number];
}
