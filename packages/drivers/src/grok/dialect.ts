/** Grok: ACP with its own extensions (`grok agent stdio`), and its two forms of read-only lines in recordings. */
import { acpDialect } from '../acp/dialect.ts';
import { claude } from '../claude/dialect.ts';
import type { Dialect } from '../dialect.ts';
import { oneOf } from '../one-of.ts';
import { grokStreamingJson } from './streaming-json.ts';
import { xAi } from './x-ai.ts';

/** The types of `streaming-messages-json`, which has the format of Claude's lines. */
const CLAUDE_TYPES: ReadonlySet<unknown> = new Set(['system', 'assistant', 'user', 'result', 'stream_event']);

export const grok = oneOf('grok', [
  { name: 'acp', dialect: acpDialect('grok', xAi) as Dialect, isOwn: (message) => message.jsonrpc === '2.0' },
  { name: 'messages', dialect: claude as Dialect, isOwn: (message) => CLAUDE_TYPES.has(message.type) },
  { name: 'stream', dialect: grokStreamingJson as Dialect, isOwn: (message) => typeof message.type === 'string' },
]);
