/** Whoever names a place in a log may have it from another session, or have mistyped it. */
import { SpoolError } from '@spool/protocol';

export function checkReaches(end: number, from: number): void {
  if (from <= end) return;
  throw new SpoolError('ARGUMENT_INVALID', { argument: 'from', value: from, reason: `the log ends at ${end}` });
}
