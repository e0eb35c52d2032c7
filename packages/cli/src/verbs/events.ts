/** `spool events`: what happened to the sessions and, with -f, what happens. */
import type { EventItem } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { commandLine, printable } from '../printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endWords } from '../session-words.ts';
import { writeOut } from '../stdio.ts';
import { UsageError } from '../usage-error.ts';

const events: VerbAction<'events'> = async ({ flags }, program) => {
  if (flags.new && !flags.follow) throw new UsageError('--new goes with --follow', 'events');
  await using client = await openClient(program);
  const format = flags.json ? (event: EventItem): string => JSON.stringify(event) : line;
  // Subscribed before the list is asked for: what happens in between then comes in both, and is told once.
  const live = flags.follow ? client.events() : [];
  const told = new Set<string>();
  if (!flags.new) {
    for (const event of pastEvents(await client.list())) {
      told.add(keyOf(event));
      await writeOut(`${format(event)}\n`);
    }
  }
  for await (const event of live) {
    if (!told.delete(keyOf(event))) await writeOut(`${format(event)}\n`);
  }
  return 0;
};

export default events;

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
      return `${time} ${event.type} ${event.id}: at offset ${event.offset}: ${event.error}`;
    case 'log-recovered':
      return `${time} ${event.type} ${event.id}: bytes from ${event.from} to ${event.to} are missing`;
    case 'events-missed':
      return `${time} ${event.type}: ${event.reason}`;
  }
}
