/**
 * The JSON of a session, in every verb [SAY-3]: `id` and `name` identify it, `state` is its lifecycle, and `status` describes its
 * activity (`status.state`).
 */
import type { SessionInfo } from '@spool/protocol';

export type SessionJson = Pick<SessionInfo, 'id' | 'name' | 'state' | 'exitCode' | 'signal' | 'status'>;

/** Returns the members that a program needs to continue; `inspect --json` has everything. */
export function sessionJson({ id, name, state, exitCode, signal, status }: SessionJson): SessionJson {
  return { id, name, state, exitCode, signal, status };
}

/** Returns the members that name a session, for an answer about something else that belongs to it. */
export function namedJson({ id, name }: Pick<SessionInfo, 'id' | 'name'>): Pick<SessionInfo, 'id' | 'name'> {
  return { id, name };
}
