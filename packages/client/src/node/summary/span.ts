/** A stretch of time, in milliseconds since 1970, with both its ends. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** Clocks of files have fractions of milliseconds, ours has not. */
export function whenOf(at: number, { since, until }: Span): 'before' | 'within' | 'after' {
  if (Math.ceil(at) < since) return 'before';
  return Math.floor(at) > until ? 'after' : 'within';
}
