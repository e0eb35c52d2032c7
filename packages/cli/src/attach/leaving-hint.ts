/**
 * A line about how to leave a session, for a user who has never left one by key [ATT-10]. It is shown for a moment before the
 * session, which then takes the whole screen; any key ends that moment.
 */
import type { DetachKey } from '@spool/vt';
import { printable } from '../output/printable.ts';
import { rememberHint, wasHintShown } from '../output/shown-hints.ts';

export const HINT_MS = 1500;
const HINT = 'detach';

/** Returns the hint; null if the user has left by key before, or there is no such key. */
export function leavingHint(keys: readonly DetachKey[], name: string): string | null {
  if (keys.length === 0 || wasHintShown(HINT)) return null;
  return `[spool: attached to ${printable(name)}; ${formatDetachKeys(keys)} detaches and leaves it running]`;
}

/** Notes that the user has left by key. */
export function knowsLeaving(): void {
  rememberHint(HINT);
}

/** `Ctrl-\\`, `Ctrl-P Ctrl-Q`. */
export function formatDetachKeys(keys: readonly DetachKey[]): string {
  return keys
    .map(({ code, ctrl }) => `${ctrl ? 'Ctrl-' : ''}${String.fromCharCode(code)[ctrl ? 'toUpperCase' : 'toString']()}`)
    .join(' ');
}
