/**
 * An event that is too large to store keeps its kind, so that whatever has begun also ends and a permission can be answered: its
 * long strings are cut, with a mark. The output log has all of it. Keeps DRV-6 for events.
 */
import type { AgentEvent } from '@spool/protocol/agent';

/** Of each string: the first that is small enough is taken. In JSON a character may take six. */
const STRING_CHARACTERS = [32 * 1024, 1024, 32] as const;

/** Kinds with a field that says so. */
const TRUNCATED: ReadonlySet<string> = new Set(['message.done', 'thinking.done', 'tool.output', 'tool.ended']);

/** The event as JSON of at most so many characters. */
export function cutEvent(event: AgentEvent, charactersMax: number): string {
  const marked = TRUNCATED.has(event.kind) ? { ...event, truncated: true } : event;
  for (const most of STRING_CHARACTERS) {
    const json = JSON.stringify(marked, (_, value: unknown) => (typeof value === 'string' ? cut(value, most) : value));
    if (json.length <= charactersMax) return json;
  }
  const { seq, at, session, source, evidence, raw, kind } = event;
  const text = `an event (${kind}) is too large to store; the output log has it`;
  const envelope = { seq, at, session, source, evidence, ...(raw && { raw }) };
  return JSON.stringify({ ...envelope, kind: 'notice', level: 'warning', code: 'event-too-large', text });
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} more characters]`;
}
