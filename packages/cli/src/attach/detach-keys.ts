/** Parses `--detach-keys`. */
import { DEFAULT_DETACH_KEYS, type DetachKey, parseDetachKeys } from '@spool/vt';
import { UsageError } from '../command-line/usage-error.ts';

/** The keys of `--detach-keys` (default: Ctrl-\). */
export function detachKeysOf(text: string | undefined, verb: string): readonly DetachKey[] {
  const keys = text === undefined ? DEFAULT_DETACH_KEYS : parseDetachKeys(text);
  if (keys === undefined)
    throw new UsageError(`--detach-keys ${JSON.stringify(text)} is invalid; use C-q, or C-p,C-q`, verb);
  return keys;
}
