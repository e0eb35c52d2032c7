/** Rejects an offset beyond the end of the log: the client may have taken it from another session, or mistyped it. */
import { SpoolError } from '@spool/protocol';

export function checkReaches(end: number, from: number): void {
  if (from <= end) return;
  throw new SpoolError('ARGUMENT_INVALID', { argument: 'from', value: from, reason: `the log ends at ${end}` });
}
