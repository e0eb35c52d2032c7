/**
 * One line on how to leave a session, for a user who has never left one by key [ATT-10]. It is shown for a moment before the
 * session, which then takes the whole screen; any key ends that moment.
 */
import type { DetachKey } from '@spool/vt';
import { printable } from '../output/printable.ts';
import { remember, wasTold } from '../output/told.ts';

export const HINT_MS = 1500;
const HINT = 'detach';

/** Null when the user knows, or there is no such key. */
export function leavingHint(keys: readonly DetachKey[], name: string): string | null {
  if (keys.length === 0 || wasTold(HINT)) return null;
  return `[spool: attached to ${printable(name)}; ${keyNames(keys)} detaches and leaves it running]`;
}

/** The user has left by key. */
export function knowsLeaving(): void {
  remember(HINT);
}

/** `Ctrl-\\`, `Ctrl-P Ctrl-Q`. */
export function keyNames(keys: readonly DetachKey[]): string {
  return keys
    .map(({ code, ctrl }) => `${ctrl ? 'Ctrl-' : ''}${String.fromCharCode(code)[ctrl ? 'toUpperCase' : 'toString']()}`)
    .join(' ');
}
