/**
 * Returns the actions of an agent without a terminal, as plain text from a cursor on: folded, capped, each line once. A cursor is
 * a position in the events log. Keeps MCP-10.
 */
import type { Client } from '@spool/client/node';
import type { SessionInfo } from '@spool/protocol';
import { ansiLine, TranscriptPrinter } from '@spool/render';

/** The size of the text without a cursor, which is the end of the log. */
const TAIL_CHARACTERS = 4 * 1024;

export interface AgentPage {
  readonly text: string;
  readonly nextCursor: number;
  readonly isEnd: boolean;
}

/** Reads a page. The printer starts at the first event, because a tool that ends after the cursor may have begun before it. */
export async function readAgent(
  client: Client,
  { id }: SessionInfo,
  cursor: number | undefined,
  { charactersMax, signal }: { readonly charactersMax: number; readonly signal: AbortSignal },
): Promise<AgentPage> {
  const printer = new TranscriptPrinter({ width: Infinity, isFull: false });
  let text = '';
  let nextCursor = cursor ?? 0;
  await using events = client.watchEvents(id, { signal });
  for await (const item of events) {
    if (item.type === 'synced' || item.type === 'exit' || item.type === 'removed') break;
    if (item.type === 'gap' && item.to > nextCursor)
      text += `[events ${item.from} to ${item.to} are no longer stored]\n`;
    if (item.type !== 'event') continue;
    const lines = printer.take(item.event);
    if (item.offset < (cursor ?? 0)) continue;
    const added = lines.map((line) => `${ansiLine(line, 'none').slice(0, charactersMax)}\n`).join('');
    if (cursor !== undefined && text !== '' && text.length + added.length > charactersMax)
      return { text, nextCursor: item.offset, isEnd: false };
    text += added;
    nextCursor = item.offset + 1;
    if (cursor === undefined && text.length > 8 * TAIL_CHARACTERS) text = text.slice(-4 * TAIL_CHARACTERS);
  }
  if (cursor === undefined && text.length > TAIL_CHARACTERS)
    text = text.slice(text.indexOf('\n', text.length - TAIL_CHARACTERS) + 1);
  return { text: text.slice(0, Math.max(charactersMax, TAIL_CHARACTERS)), nextCursor, isEnd: true };
}
