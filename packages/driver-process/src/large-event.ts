/**
 * Cuts the long strings of an event that is too large to store, with a mark. The event keeps its kind, so that an item that has
 * begun also ends, and a permission can be answered. The output log has the whole text. Keeps DRV-41.
 */
import type { AgentEvent } from '@spool/protocol/agent';

/** The limits of each string: the first one that makes the event small enough is used. In JSON a character may take six bytes. */
const STRING_CHARACTERS = [32 * 1024, 1024, 32] as const;

/** The limit of each text of a request that is reduced to little more than its id. */
const MOST = 1000;
const OPTIONS_KEPT = 8;

/** Kinds with a field that marks the cut. */
const TRUNCATED: ReadonlySet<string> = new Set(['message.done', 'thinking.done', 'tool.output', 'tool.ended']);

/** Returns the event as JSON of at most `charactersMax` characters. */
export function cutEvent(event: AgentEvent, charactersMax: number): string {
  const marked = TRUNCATED.has(event.kind) ? { ...event, truncated: true } : event;
  for (const most of STRING_CHARACTERS) {
    const json = JSON.stringify(marked, (_, value: unknown) => (typeof value === 'string' ? cut(value, most) : value));
    if (json.length <= charactersMax) return json;
  }
  const { seq, at, session, source, evidence, raw, kind } = event;
  const bare = bareRequest(event);
  if (bare !== undefined) return JSON.stringify({ seq, at, session, source, evidence, ...(raw && { raw }), ...bare });
  const text = `an event (${kind}) is too large to store; the output log has it`;
  const envelope = { seq, at, session, source, evidence, ...(raw && { raw }) };
  return JSON.stringify({ ...envelope, kind: 'notice', level: 'warning', code: 'event-too-large', text });
}

/** Returns the parts of a request that show that it waits, and that are needed to deny it. */
function bareRequest(event: AgentEvent): Readonly<Record<string, unknown>> | undefined {
  if (event.kind === 'permission.requested') {
    const { kind, request, digest, bytes, name } = event;
    const options = event.options.filter((option) => option.kind.startsWith('reject')).slice(0, OPTIONS_KEPT);
    const denying = options.map(({ id, label, kind: how }) => ({
      id: id.slice(0, MOST),
      label: cut(label, MOST),
      kind: how,
    }));
    return { kind, request, digest, bytes, name: name && cut(name, MOST), options: denying, isCut: true };
  }
  if (event.kind !== 'question.asked') return undefined;
  const { kind, request, digest, name } = event;
  return { kind, request, digest, name: name && cut(name, MOST), questions: [], isCut: true };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} more characters]`;
}
