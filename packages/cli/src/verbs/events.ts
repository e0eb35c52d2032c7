/** `spool events`: prints past events of the sessions and, with -f, new ones. */
import type { EventItem } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { jsonText } from '../output/json-text.ts';
import { commandLine, printable } from '../output/printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endWords } from '../output/session-words.ts';
import { writeText } from '../output/stdio.ts';
import { nearest } from '../command-line/suggestion.ts';
import { UsageError } from '../command-line/usage-error.ts';

const events: VerbAction<'events'> = async ({ flags, operands }, program) => {
  if (flags.new && !flags.follow) throw new UsageError('--new requires --follow', 'events');
  for (const type of flags.type) checkType(type);
  await using client = await openClient(program);
  const format = flags.json ? jsonText : line;
  const wanted = await Promise.all(operands.map(async (operand) => (await client.get(operand)).id));
  const types = flags.type.length > 0 ? flags.type : undefined;
  // Subscribe before listing, so that no event in between is missed; duplicates are printed once.
  const sessions = wanted.length > 0 ? wanted : undefined;
  const live = flags.follow ? client.events({ sessions, types }) : [];
  const told = new Set<string>();
  if (!flags.new) {
    const listed = (await client.list()).filter(({ id }) => sessions?.includes(id) ?? true);
    for (const event of pastEvents(listed).filter(({ type }) => types?.includes(type) ?? true)) {
      told.add(keyOf(event));
      await writeText(`${format(event)}\n`);
    }
  }
  for await (const event of live) {
    if (!told.delete(keyOf(event))) await writeText(`${format(event)}\n`);
  }
  return 0;
};

export default events;

const TYPES: Readonly<Record<EventItem['type'], true>> = {
  'session-started': true,
  'session-exited': true,
  'session-resized': true,
  'session-removed': true,
  'session-status': true,
  'session-osc': true,
  milestone: true,
  notification: true,
  task_started: true,
  task_finished: true,
  'log-failed': true,
  'log-recovered': true,
  'events-missed': true,
};

/** Rejects unknown types, because the wait for them would never end. */
function checkType(type: string): void {
  if (Object.hasOwn(TYPES, type)) return;
  const known = Object.keys(TYPES);
  const meant = nearest(type, known);
  const hint = meant ? `did you mean ${meant}?` : `use one of: ${known.join(', ')}`;
  throw new UsageError(`unknown event type ${JSON.stringify(type)}; ${hint}`, 'events');
}

/** A start for each session, and an end for each that has ended, in order of time. */
export function pastEvents(sessions: readonly SessionInfo[]): EventItem[] {
  return sessions
    .flatMap((session): EventItem[] => [
      { type: 'session-started', at: session.startedAt, session },
      ...(session.endedAt === null ? [] : [{ type: 'session-exited' as const, at: session.endedAt, session }]),
    ])
    .sort((a, b) => a.at - b.at);
}

function keyOf(event: EventItem): string {
  return 'session' in event ? `${event.type} ${event.session.id}` : '';
}

export function line(event: EventItem): string {
  const time = new Date(event.at).toISOString();
  switch (event.type) {
    case 'session-started':
      return `${time} ${event.type} ${event.session.id} ${printable(event.session.name)}: ${commandLine(event.session.command)}`;
    case 'session-exited':
      return `${time} ${event.type} ${event.session.id} ${printable(event.session.name)}: ${endWords(event.session)}`;
    case 'session-resized':
      return `${time} ${event.type} ${event.id}: ${event.cols}x${event.rows}`;
    case 'session-removed':
      return `${time} ${event.type} ${event.id}`;
    case 'log-failed':
      return `${time} ${event.type} ${event.id}: at offset ${event.offset}: ${printable(event.error)}`;
    case 'log-recovered':
      return `${time} ${event.type} ${event.id}: bytes from ${event.from} to ${event.to} are missing`;
    case 'session-status': {
      const { state, kind, activity, why } = event.status;
      const doing = activity === null ? '' : ` ${printable(activity)}`;
      return `${time} ${event.type} ${event.id}: ${state}${kind ? ` (${kind})` : ''}${doing}: ${printable(why)}`;
    }
    case 'milestone':
      return `${time} ${event.type} ${event.id}: ${printable(event.title)}`;
    case 'session-osc':
      return `${time} ${event.type} ${event.id}: ${printable(JSON.stringify(event.fact))}`;
    case 'notification':
      return `${time} ${event.type} ${event.id}: ${printable(`${event.title}: ${event.body}`)}`;
    case 'task_started':
      return `${time} ${event.type} ${event.taskId} ${printable(event.name)}`;
    case 'task_finished':
      return `${time} ${event.type} ${event.taskId} ${printable(event.name)}: ${event.state} after ${event.durationMs} ms`;
    case 'events-missed':
      return `${time} ${event.type}: ${event.reason}`;
  }
}
