/** Formats an event as a sentence, with the name of its session. */
import { longDuration } from '@spool/protocol/duration';
import { printCommand, printable } from '../output/printable.ts';
import { localTime } from '../output/local-time.ts';
import { endSentence } from '../output/session-words.ts';
import type { ListedEvent, ListedStatus } from './listed-event.ts';

export function eventLine(event: ListedEvent, sessionName: string, now: number): string {
  return `${localTime(event.at, now)}  ${sentence(event, printable(sessionName))}`;
}

function sentence(event: ListedEvent, name: string): string {
  switch (event.type) {
    case 'session-started':
      return `${name} has started: ${printCommand(event.session.command)}`;
    case 'session-exited':
      return endSentence(event.session);
    case 'session-resized':
      return `${name} is now ${event.cols}x${event.rows}`;
    case 'session-removed':
      return `${name} was removed`;
    case 'session-renamed':
      return `${printable(event.before)} is now called ${name}`;
    case 'session-summary': {
      const last = event.summary.lastLines.at(-1);
      const took = longDuration(event.summary.durationMs);
      return `${name} took ${took}${last === undefined ? '' : `; its last line: ${printable(last)}`}`;
    }
    case 'session-typed':
      return `${printable(event.who)} types into ${name}`;
    case 'session-status':
      return `${name} ${statusWords(event.status)}`;
    case 'milestone':
      return `${name}: ${printable(event.title)}`;
    case 'command': {
      const how = event.exitCode === null ? 'its exit code is unknown' : `exit code ${event.exitCode}`;
      return `${name} ran ${printable(event.command ?? 'a command')}: ${how}, after ${longDuration(event.durationMs)}`;
    }
    case 'session-osc':
      return `${name} reports ${factWords(event.fact)}`;
    case 'notification':
      return printable(event.body === '' ? event.title : `${event.title}: ${event.body}`);
    case 'task_started':
      return `task ${name} has started`;
    case 'task_finished':
      return `task ${name}: ${event.state} after ${longDuration(event.durationMs)}`;
    case 'task_blocked':
      return `task ${name} waits for you: ${JSON.stringify(printable(event.question).trim())}`;
    case 'task_unblocked':
      return `task ${name} continues`;
    case 'task_log':
      return `task ${name}: ${printable(event.chunk)}`;
    case 'log-failed':
      return `the output of ${name} cannot be stored (offset ${event.offset}): ${printable(event.error)}`;
    case 'log-recovered':
      return `the output of ${name} is stored again; bytes ${event.from} to ${event.to} are missing`;
    case 'node-online':
      return `the node ${printable(event.node)} is online`;
    case 'node-away':
      return `the node ${printable(event.node)} is away`;
    case 'node-removed':
      return `the node ${printable(event.node)} was removed`;
    case 'events-missed':
      return event.reason === 'link-broken'
        ? 'events were missed, because the connection to the daemon broke'
        : 'events were missed, because they came faster than they were read';
  }
}

/** `is blocked (permission): Bash(npm test)` */
function statusWords({ state, kind, activity, why }: ListedStatus): string {
  if (state === 'exited') return 'has ended';
  return `is ${state}${kind ? ` (${printable(kind)})` : ''}: ${printable(activity ?? why)}`;
}

/** `title-changed: npm test`: the kind of report, and its values. */
function factWords({ type, ...values }: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  const shown = Object.values(values).filter((value) => value !== '' && value !== undefined && value !== null);
  const words = shown.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  return printable(words.length === 0 ? type : `${type}: ${words.join(', ')}`);
}
