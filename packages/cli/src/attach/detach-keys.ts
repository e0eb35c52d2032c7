/** Parses `--detach-keys`. */
import { DEFAULT_DETACH_KEYS, type DetachKey, parseDetachKeys } from '@spool/vt';
import { UsageError } from '../command-line/usage-error.ts';

/** Returns the keys of `--detach-keys`, or those of the configuration (default: Ctrl-\). */
export function detachKeysOf(
  text: string | undefined,
  verb: string,
  configured: string | null = null,
): readonly DetachKey[] {
  if (text === undefined && configured === null) return DEFAULT_DETACH_KEYS;
  const keys = parseDetachKeys(text ?? configured!);
  if (keys === undefined)
    throw new UsageError(`--detach-keys ${JSON.stringify(text)} is invalid; use C-q, or C-p,C-q`, verb);
  return keys;
}
