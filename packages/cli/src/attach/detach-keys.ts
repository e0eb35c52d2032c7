/** `--detach-keys` as people write them. */
import { DEFAULT_DETACH_KEYS, type DetachKey, parseDetachKeys } from '@spool/vt';
import { UsageError } from '../command-line/usage-error.ts';

/** What was given after `--detach-keys`; Ctrl-\ when nothing was. */
export function detachKeysOf(text: string | undefined, verb: string): readonly DetachKey[] {
  const keys = text === undefined ? DEFAULT_DETACH_KEYS : parseDetachKeys(text);
  if (keys === undefined)
    throw new UsageError(`--detach-keys ${JSON.stringify(text)} is not understood; write C-q, or C-p,C-q`, verb);
  return keys;
}
