/** The events that `spool events` lists: those of the daemon, and those of the past, which come from a session's history. */
import type { EventItem, NodeChange, TaskStreamEvent } from '@spool/client';
import type { HistoryItem } from '@spool/protocol';

type CommandItem = Extract<HistoryItem, { type: 'command' }>;
type StatusItem = Extract<HistoryItem, { type: 'status' }>;

export type ListedEvent =
  | Exclude<EventItem, { type: 'session-status' }>
  /** A past status has fewer fields than a present one. */
  | { readonly type: 'session-status'; readonly at: number; readonly id: string; readonly status: ListedStatus }
  /** A command that a shell has run. It exists only in the past; the present has `session-osc`. */
  | ({ readonly id: string } & CommandItem)
  /** A node that has come or left. */
  | NodeChange
  /** Output of a task, as it arrives: only on request. */
  | ({ readonly at: number } & Extract<TaskStreamEvent, { type: 'task_log' }>);

export type ListedStatus = Pick<StatusItem, 'state' | 'kind' | 'source' | 'why' | 'offset'> & {
  readonly activity?: string | null;
};

/** Every type, for `--type`. */
export const EVENT_TYPES: readonly string[] = Object.keys({
  'session-started': true,
  'session-exited': true,
  'session-resized': true,
  'session-removed': true,
  'session-summary': true,
  'session-renamed': true,
  'session-typed': true,
  'session-status': true,
  'session-osc': true,
  milestone: true,
  command: true,
  notification: true,
  task_started: true,
  task_finished: true,
  task_blocked: true,
  task_unblocked: true,
  task_log: true,
  'log-failed': true,
  'log-recovered': true,
  'events-missed': true,
  'node-online': true,
  'node-away': true,
  'node-removed': true,
} satisfies Record<ListedEvent['type'], true>);

/** The session that the event is about; '' if it is about none. */
export function sessionIdOf(event: ListedEvent): string {
  if ('session' in event) return event.session.id;
  if ('taskId' in event) return event.taskId;
  return 'id' in event ? event.id : '';
}
