/**
 * What a role may know of a session. A viewer or prompter sees what a session shows, not how it was started, where, by whom,
 * or who else looks: command lines hold secrets, and folders hold names. Keeps DOOR-14.
 */
import { mayDo, type Role, type SessionInfo } from '@spool/protocol';

/** In the place of a name that is not told. */
const SOMEBODY = 'somebody';

/** In the place of a sentence that may name a file. */
const LOG_TROUBLE = 'the log is incomplete';

export function mayKnowAll(role: Role): boolean {
  return mayDo(role, 'operator');
}

/** For those who may not know all. Fields that a later version adds are left out until somebody decides about them. */
export function redacted(session: SessionInfo): SessionInfo {
  const { command, viewers, typed, trouble, driver } = session;
  return {
    id: session.id,
    name: session.name,
    state: session.state,
    exitCode: session.exitCode,
    signal: session.signal,
    pid: 0,
    startedAt: session.startedAt,
    endedAt: session.endedAt,
    offset: session.offset,
    firstOffset: session.firstOffset,
    command: command.slice(0, 1).map((file) => file.slice(file.lastIndexOf('/') + 1)),
    cwd: '',
    size: session.size,
    labels: session.labels,
    watchers: session.watchers,
    endedBy: session.endedBy,
    sizePolicy: session.sizePolicy,
    viewers: viewers.map((viewer) => ({ ...viewer, who: SOMEBODY })),
    typed: typed && { who: SOMEBODY, at: typed.at },
    trouble: trouble && LOG_TROUBLE,
    status: session.status,
    milestone: session.milestone,
    title: session.title,
    lastOutputAt: session.lastOutputAt,
    isTask: session.isTask,
    taskName: session.taskName,
    timeoutMs: session.timeoutMs,
    startedBy: null,
    driver: driver && { ...driver, options: undefined },
  };
}

/** An event of a session or of the daemon. */
export function redactedEvent(event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  switch (event['type']) {
    case 'session-started':
    case 'session-exited':
      return { ...event, session: redacted(event['session'] as SessionInfo) };
    case 'session-typed':
      return { ...event, who: SOMEBODY };
    case 'log-failed':
      return { ...event, error: LOG_TROUBLE };
    case 'taken-over':
      return { ...event, by: SOMEBODY };
    case 'viewers':
      return { ...event, viewers: (event['viewers'] as object[]).map((viewer) => ({ ...viewer, who: SOMEBODY })) };
    default:
      return event;
  }
}
