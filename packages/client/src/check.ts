/**
 * Checks arguments before a request is sent, and names the argument in the error; the daemon could only report an invalid request.
 */
import { SpoolError } from '@spool/protocol';

export function badArgument(argument: string, value: string | number, reason: string): SpoolError {
  return new SpoolError('ARGUMENT_INVALID', { argument, value, reason });
}

/** Checks for a whole number; undefined is passed through. */
export function checkWhole<N extends number | undefined>(
  argument: string,
  value: N,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): N {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
  const upTo = max === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${max}`;
  throw badArgument(argument, value, `it must be an integer of at least ${min}${upTo}`);
}

/** Refuses an empty name for methods that end or delete a session: an unset variable does not mean "the latest". */
export function checkNamed(session: string): string {
  if (session === '') throw badArgument('session', '', 'it is empty; name the session');
  return session;
}
