/**
 * How a session appears in JSON, in every verb [SAY-3]: `id` and `name` say which one, `state` says whether it lives or how it
 * ended, and `status` what it is doing (`status.state`).
 */
import type { SessionInfo } from '@spool/protocol';

export type SessionJson = Pick<SessionInfo, 'id' | 'name' | 'state' | 'exitCode' | 'signal' | 'status'>;

/** What a program needs to go on; `inspect --json` has everything. */
export function sessionJson({ id, name, state, exitCode, signal, status }: SessionJson): SessionJson {
  return { id, name, state, exitCode, signal, status };
}

/** For an answer that is about something else: which session it belongs to. */
export function namedJson({ id, name }: Pick<SessionInfo, 'id' | 'name'>): Pick<SessionInfo, 'id' | 'name'> {
  return { id, name };
}
