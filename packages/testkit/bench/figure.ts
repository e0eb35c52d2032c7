/** One line of the benchmark's table. */
export interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly limit: string;
  readonly ratio: number;
  /** The goal for the ratio: at least, or at most. */
  readonly goal: readonly ['≥' | '≤', number];
}

export function figure(
  what: string,
  ours: string,
  limit: string,
  ratio: number,
  sign: '≤' | '≥',
  goal: number = 1,
): Figure {
  return { what, ours, limit, ratio, goal: [sign, goal] };
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
