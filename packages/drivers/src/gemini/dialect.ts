/** Gemini: ACP (`gemini --acp`), and the lines of `gemini -o stream-json` in recordings. */
import { acpDialect } from '../acp/dialect.ts';
import type { Dialect } from '../dialect.ts';
import { oneOf } from '../one-of.ts';
import { geminiStreamJson } from './stream-json.ts';

export const gemini = oneOf('gemini', [
  { name: 'acp', dialect: acpDialect('gemini') as Dialect, isOwn: (message) => message.jsonrpc === '2.0' },
  { name: 'stream-json', dialect: geminiStreamJson as Dialect, isOwn: (message) => typeof message.type === 'string' },
]);
