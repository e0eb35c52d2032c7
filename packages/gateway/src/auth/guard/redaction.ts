/**
 * Decides which facts about a session a role may see. A viewer or prompter sees the content of a session, but not how, where and by
 * whom it was started, or who else watches it: command lines contain secrets, and folders contain names. Keeps DOOR-14 and DOOR-47.
 */
import {
  type DaemonEvent,
  type HistoryItem,
  mayDo,
  type Role,
  type SessionInfo,
  type StatusInfo,
  type WatchEvent,
  type WorkerOutputEvent,
} from '@spool/protocol';
import type { FactKind } from '@spool/vt';

/** The replacement for a name that is not shown. */
const SOMEBODY = 'somebody';

/** The replacement for a sentence that may name a file. */
const LOG_TROUBLE = 'the log is incomplete';

export function mayKnowAll(role: Role): boolean {
  return mayDo(role, 'operator');
}

/** Returns a session for roles that may not see everything. Fields of later versions are left out until they are listed here. */
export function redacted(session: SessionInfo, role: Role): SessionInfo {
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
    status: redactedStatus(session.status, role),
    milestone: session.milestone,
    title: session.title,
    lastOutputAt: session.lastOutputAt,
    isTask: session.isTask,
    taskName: session.taskName,
    timeoutMs: session.timeoutMs,
    startedBy: null,
    driver: driver && {
      name: driver.name,
      state: driver.state,
      firstOffset: driver.firstOffset,
      offset: driver.offset,
    },
  };
}

/**
 * Removes the options of pending requests for a viewer, who cannot answer. The session's content already shows that an agent
 * waits, for which tool, and the words of its question.
 */
function redactedStatus(status: StatusInfo, role: Role): StatusInfo {
  if (status.requests === undefined || mayDo(role, 'prompter')) return status;
  return { ...status, requests: status.requests.map((request) => ({ ...request, options: [] })) };
}

type AnyEvent = DaemonEvent | WatchEvent | WorkerOutputEvent;

type Json = Readonly<Record<string, unknown>>;

const AS_IT_IS = (event: Json): Json => event;
const withSession = (event: Json, role: Role): Json => ({
  ...event,
  session: redacted(event['session'] as SessionInfo, role),
});

/** The reports of a program that contain neither a folder nor a command line. */
const OSC_FACTS: ReadonlySet<unknown> = new Set<FactKind['type']>([
  'title-changed',
  'icon-name-changed',
  'progress-changed',
  'status-reported',
  'bell-rung',
  'notified',
  'prompt-start',
  'prompt-end',
  'command-end',
]);

/** The redaction of each event; an event of a later version is unknown here, and not passed on. */
const EVENTS: { readonly [K in AnyEvent['type']]: (event: Json, role: Role) => Json | null } = {
  'session-started': withSession,
  'session-exited': withSession,
  'session-typed': (event) => ({ ...event, who: SOMEBODY }),
  'log-failed': (event) => ({ ...event, error: LOG_TROUBLE }),
  'taken-over': (event) => ({ ...event, by: SOMEBODY }),
  viewers: (event) => ({
    ...event,
    viewers: (event['viewers'] as object[]).map((viewer) => ({ ...viewer, who: SOMEBODY })),
  }),
  'session-osc': (event) => (OSC_FACTS.has((event['fact'] as Json)['type']) ? event : null),
  'session-resized': AS_IT_IS,
  'session-removed': AS_IT_IS,
  'session-renamed': AS_IT_IS,
  'session-summary': AS_IT_IS,
  'session-status': (event, role) => ({ ...event, status: redactedStatus(event['status'] as StatusInfo, role) }),
  milestone: AS_IT_IS,
  notification: AS_IT_IS,
  task_started: AS_IT_IS,
  task_finished: AS_IT_IS,
  task_blocked: AS_IT_IS,
  task_unblocked: AS_IT_IS,
  'log-recovered': AS_IT_IS,
  gap: AS_IT_IS,
  synced: AS_IT_IS,
  resized: AS_IT_IS,
  exit: AS_IT_IS,
  'input-refused': AS_IT_IS,
  notice: AS_IT_IS,
  removed: AS_IT_IS,
  WORKER_OUTPUT: AS_IT_IS,
  end: AS_IT_IS,
};

/** Returns an event of a session or of the daemon for roles with limited rights; null if it is not for them. */
export function redactedEvent(event: Json, role: Role): Json | null {
  const type = String(event['type']);
  return Object.hasOwn(EVENTS, type) ? EVENTS[type as AnyEvent['type']](event, role) : null;
}

/** Redacts the history of a status: a viewer does not see who typed. */
export function redactedHistory(history: readonly HistoryItem[]): readonly HistoryItem[] {
  return history.map((item) => (item.type === 'typed' ? { ...item, who: SOMEBODY } : item));
}
