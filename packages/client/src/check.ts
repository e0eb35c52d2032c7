/**
 * Mistakes of the caller, told by the name of the argument before anything is asked of the daemon: there they would be a
 * request that is not understood.
 */
import { SpoolError } from '@spool/protocol';

export function badArgument(argument: string, value: string | number, reason: string): SpoolError {
  return new SpoolError('ARGUMENT_INVALID', { argument, value, reason });
}

/** A whole number; undefined stays what it is. */
export function checkWhole<N extends number | undefined>(
  argument: string,
  value: N,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): N {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
  const upTo = max === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${max}`;
  throw badArgument(argument, value, `it must be an integer of at least ${min}${upTo}`);
}
