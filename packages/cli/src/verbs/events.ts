/** `spool events`: prints past events of the sessions and, with -f, new ones. */
import { openClient, type VerbAction } from '../program.ts';
import { logPlaceOf } from '../command-line/log-place.ts';
import { nearest } from '../command-line/suggestion.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { eventJson } from '../events/event-json.ts';
import { eventLine } from '../events/event-line.ts';
import { EVENT_TYPES, type ListedEvent, sessionIdOf } from '../events/listed-event.ts';
import { EventMachines } from '../events/event-machines.ts';
import { jsonText } from '../output/json-text.ts';
import { writeText } from '../output/stdio.ts';
import { hasNodes } from '../remote/has-nodes.ts';

/** The age of the oldest events that are shown for all sessions without --since. */
const PAST_MS = 24 * 60 * 60 * 1000;

const events: VerbAction<'events'> = async ({ flags, operands }, program) => {
  if (flags.new && !flags.follow) throw new UsageError('--new requires --follow', 'events');
  if (flags.new && flags.since !== undefined) throw new UsageError('use --new or --since, not both', 'events');
  if (flags.agent) {
    if (operands.length !== 1) throw new UsageError('--agent needs one session', 'events');
    await using client = await openClient(program);
    const { info } = await client.openAgent(operands[0]!);
    if (flags.json) {
      const { printAgentEvents } = await import('../agents/agent-events-json.ts');
      await printAgentEvents(client, info.id, { follow: flags.follow });
    } else {
      const { printTranscript } = await import('../agents/transcript-output.ts');
      await printTranscript(client, info, { isFollowing: flags.follow });
    }
    return 0;
  }
  for (const type of flags.type) checkType(type);
  const since = sinceOf(flags.since, operands.length > 0);
  await using client = await openClient(program);
  const sessions =
    operands.length === 0 ? undefined : await Promise.all(operands.map(async (each) => (await client.get(each)).id));
  const types = flags.type.length > 0 ? flags.type : undefined;
  const isEverywhere = sessions === undefined && hasNodes(program);
  const machines = new EventMachines(client, program.host()?.node);
  // Subscribes before listing, so that no event in between is missed; duplicates are printed once.
  const live = flags.follow ? (isEverywhere ? client.nodes : client).events({ sessions, types }) : [];
  const told = new Set<string>();
  if (!flags.new) {
    if (isEverywhere) await machines.findNodes();
    for (const { node, event } of await machines.past(sessions, since)) {
      if (types !== undefined && !types.includes(event.type)) continue;
      if (keyOf(event) !== '') told.add(`${node ?? ''} ${keyOf(event)}`);
      await tell(event, node, machines.names(node).lastKnown(event));
    }
  }
  const logs = flags.follow && types?.includes('task_log') ? client.taskEvents() : undefined;
  const tellLogs = async (): Promise<void> => {
    for await (const event of logs ?? []) {
      if (event.type !== 'task_log' || !(sessions?.includes(event.taskId) ?? true)) continue;
      const listed = { ...event, at: Date.now() };
      await tell(listed, undefined, await machines.names(undefined).nameFor(listed));
    }
  };
  const tellEvents = async (): Promise<void> => {
    for await (const event of live) {
      const node = 'node' in event ? event.node : program.host()?.node;
      if (told.delete(`${node ?? ''} ${keyOf(event)}`)) continue;
      await tell(event, node, await machines.names(node).nameFor(event));
    }
  };
  await Promise.all([tellEvents(), tellLogs()]);
  return 0;

  async function tell(event: ListedEvent, node: string | undefined, name: string): Promise<void> {
    if (!flags.json && types === undefined && isEndStatus(event)) return;
    const line = flags.json
      ? jsonText({ ...eventJson(event, name), ...(node !== undefined && { node }) })
      : eventLine(event, isEverywhere && node !== undefined && name !== '' ? `${node}/${name}` : name, Date.now());
    await writeText(`${line}\n`);
  }
};

export default events;

/** The time in milliseconds since 1970. The events of named sessions go back to their start. */
function sinceOf(text: string | undefined, isNamed: boolean): number {
  if (text === undefined) return isNamed ? 0 : Date.now() - PAST_MS;
  const place = logPlaceOf(text, '--since', 'events', { isAge: true });
  if ('time' in place) return place.time;
  throw new UsageError(
    `--since ${JSON.stringify(text)} is not a time; use 14:03, 10m ago or 2026-01-31 14:03`,
    'events',
  );
}

/** Rejects unknown types, because the wait for them would never end. */
function checkType(type: string): void {
  if (EVENT_TYPES.includes(type)) return;
  const meant = nearest(type, EVENT_TYPES);
  const hint = meant ? `did you mean ${meant}?` : `use one of: ${EVENT_TYPES.join(', ')}`;
  throw new UsageError(`unknown event type ${JSON.stringify(type)}; ${hint}`, 'events');
}

/** A reader gets the end of a session in one line, with its exit code: `session-exited`. */
function isEndStatus(event: ListedEvent): boolean {
  return event.type === 'session-status' && event.status.state === 'exited';
}

/** Returns the identity of an event that may come both from the past and from the subscription. */
function keyOf(event: ListedEvent): string {
  if ('session' in event) return `${event.type} ${event.session.id}`;
  if (event.type === 'session-status') return `${event.type} ${event.id} ${event.status.state} ${event.status.offset}`;
  if (event.type === 'session-typed') return `${event.type} ${event.id} ${event.at}`;
  return event.type === 'milestone' ? `${event.type} ${sessionIdOf(event)} ${event.name} ${event.offset}` : '';
}
