/**
 * Checks the sessions that a node lists. They come from another machine: an entry that does not match the schema of a session is
 * left out, so that a damaged or hostile node cannot spoil the list of all the others. Keeps NODE-7.
 */
import { findControlCharacter, type SessionInfo } from '@spool/protocol';
import { SESSION } from '@spool/protocol/schemas/session';

/** Returns the entries that are sessions. */
export function checkedSessions(listed: readonly unknown[]): readonly SessionInfo[] {
  return listed.filter(isSession);
}

/** A node of a later version may send fields and words that this one does not know. */
function isSession(value: unknown): value is SessionInfo {
  const issues = SESSION.safeParse(value).error?.issues ?? [];
  return issues.every(({ code, path }) => {
    if (code === 'unrecognized_keys') return true;
    return code === 'invalid_value' && isPlainWord(path.reduce<unknown>((at, key) => Object(at)[key], value));
  });
}

function isPlainWord(value: unknown): boolean {
  return typeof value === 'string' && findControlCharacter(value) === null;
}
