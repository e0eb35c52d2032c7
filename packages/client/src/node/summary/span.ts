/** A time span, in milliseconds since 1970, including both ends. */
export interface TimeSpan {
  readonly since: number;
  readonly until: number;
}

/** Compares a time with a span. Clocks of files have fractions of milliseconds, but ours does not. */
export function whenOf(at: number, { since, until }: TimeSpan): 'before' | 'within' | 'after' {
  if (Math.ceil(at) < since) return 'before';
  return Math.floor(at) > until ? 'after' : 'within';
}
