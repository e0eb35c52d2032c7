/**
 * The events of an agent as plain lines: messages, tools, questions, ends of turns. Never the agent's own wire. Texts come from
 * a model and from files, so control characters are shown, not obeyed.
 */
import type { AgentEvent } from '@spool/client/node';
import { printable } from '../output/printable.ts';

const TITLE_CHARACTERS_MAX = 200;

/** Null for an event that a reader need not see. */
export function eventText(event: AgentEvent): string | null {
  switch (event.kind) {
    case 'message.done':
      return lines(event.text);
    case 'tool.started':
      return `● ${title(event.title ?? event.name ?? 'tool')}`;
    case 'tool.ended':
      return event.status === 'ok'
        ? null
        : `  ${event.status}${event.reason === undefined ? '' : `: ${title(event.reason)}`}`;
    case 'file.changed':
      return event.phase === 'applied' ? `  ${event.diff.change} ${title(event.diff.path)}` : null;
    case 'permission.requested':
      return `? ${title(event.title ?? `Allow ${event.name ?? 'this'}?`)}  (spool approve, spool deny)`;
    case 'permission.resolved':
      return `  ${event.decision}${event.who === undefined ? '' : ` by ${title(event.who)}`}`;
    case 'question.asked':
      return event.questions.map(({ text }) => `? ${title(text)}  (spool answer)`).join('\n');
    case 'turn.ended':
      return event.outcome === 'completed'
        ? null
        : `[${event.outcome}${event.error ? `: ${title(event.error.message)}` : ''}]`;
    case 'notice':
      return event.level === 'info' ? null : `[${title(event.text)}]`;
    case 'fault':
      return `[${title(event.error.message)}]`;
    case 'retry':
      return `[retry ${event.attempt}: ${title(event.error.message)}]`;
    default:
      return null;
  }
}

function lines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function title(text: string): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > TITLE_CHARACTERS_MAX ? `${line.slice(0, TITLE_CHARACTERS_MAX)}…` : line;
}
