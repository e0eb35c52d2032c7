/** Rules for the events of any run: everything that starts ends once, and texts are the sum of their deltas. */
import type { AgentBody } from '@spool/protocol/agent';
import { checkAgentBody } from '@spool/protocol/agent/event-schema';

/** Returns one sentence for each offence; none for a good run that has ended. */
export function faultsOf(events: readonly AgentBody[]): string[] {
  const faults: string[] = [];
  const open = new Set<string>();
  const closed = new Set<string>();
  const texts = new Map<string, string>();
  const start = (what: string, id: string): void => {
    const key = `${what} ${id}`;
    if (open.has(key)) faults.push(`${key} starts while it is open`);
    if (closed.has(key)) faults.push(`${key} starts again`);
    open.add(key);
  };
  const end = (what: string, id: string): void => {
    const key = `${what} ${id}`;
    if (!open.delete(key)) faults.push(`${key} ends without a start`);
    closed.add(key);
  };
  for (const event of events) {
    const checked = checkAgentBody(event);
    if ('fault' in checked) faults.push(checked.fault);
    switch (event.kind) {
      case 'turn.started':
        start('turn', event.turn ?? '');
        break;
      case 'turn.ended':
        end('turn', event.turn ?? '');
        break;
      case 'tool.started':
        start('tool', event.tool);
        break;
      case 'tool.input':
      case 'tool.output':
      case 'tool.progress':
        if (!open.has(`tool ${event.tool}`)) faults.push(`${event.kind} of ${event.tool}, which is not open`);
        break;
      case 'tool.ended':
        end('tool', event.tool);
        break;
      case 'permission.requested':
        start('permission', event.request);
        break;
      case 'permission.resolved':
        end('permission', event.request);
        break;
      case 'question.asked':
        start('question', event.request);
        break;
      case 'question.resolved':
        end('question', event.request);
        break;
      case 'message.delta':
      case 'thinking.delta': {
        const key = partKey(event);
        texts.set(key, (texts.get(key) ?? '') + event.text);
        break;
      }
      case 'message.done':
      case 'thinking.done': {
        const key = partKey(event);
        const joined = texts.get(key) ?? '';
        if (joined !== event.text && !event.replaced)
          faults.push(`${key}: deltas ${excerpt(joined)}, final ${excerpt(event.text)}`);
        if (closed.has(key)) faults.push(`${key} is done twice`);
        closed.add(key);
        texts.delete(key);
        break;
      }
      case 'message.retracted':
        for (const key of texts.keys())
          if (event.messages.some((message) => key.startsWith(`message ${message} `))) texts.delete(key);
        break;
      default:
    }
  }
  for (const key of open) faults.push(`${key} never ends`);
  for (const key of texts.keys()) faults.push(`${key} is never done`);
  return faults;
}

function partKey(event: { readonly kind: string; readonly message: string; readonly part: number }): string {
  return `${event.kind.split('.')[0]} ${event.message} ${event.part}`;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 40)} … ${text.slice(-40)}` : text);
}
