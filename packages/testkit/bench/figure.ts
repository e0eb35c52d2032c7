/** One line of the benchmark's table. */
export interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly limit: string;
  readonly ratio: number;
  /** What the ratio should be: at least, or at most. */
  readonly goal: readonly ['≥' | '≤', number];
}
