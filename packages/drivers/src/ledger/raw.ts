/** Creates an event from a message that no dialect knows: it is kept and shown, but at most a screenful. Keeps DRV-5. */
import type { AgentBody } from '@spool/protocol/agent';

/** The limit of a value that is shown as `raw`; the whole line is in the output log. */
const RAW_CHARS_MAX = 16 * 1024;

export function rawEvent(type: string, value: unknown): AgentBody {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  if (text.length <= RAW_CHARS_MAX) return { kind: 'raw', type, value };
  return { kind: 'raw', type, value: text.slice(0, RAW_CHARS_MAX), truncated: true };
}
