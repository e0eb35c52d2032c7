/** Reads a session's output as plain text: the next page from a cursor, or the end. */
import type { Client } from '@spool/client/node';
import type { SessionInfo } from '@spool/protocol';
import { type OutputPage, TextPage } from './text-page.ts';
import { type Tail, TextTail } from './text-tail.ts';
import { CallError } from './tool.ts';

export const READ_BYTES = 8 * 1024;
/** The maximum of bytes read for one page, because escape sequences and overwritten text yield no text. */
const SCAN_BYTES_MAX = 1024 * 1024;
/** The factor for finding the last lines: this many times the requested size of text is read, in bytes. */
const TAIL_FACTOR = 8;

export interface ReadOptions {
  readonly textBytesMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads from `cursor` to the end of the page or of the log. */
export async function readPage(
  client: Client,
  session: SessionInfo,
  cursor: number,
  { textBytesMax = READ_BYTES, signal }: ReadOptions = {},
): Promise<OutputPage> {
  refuseBeyond(session, cursor);
  const page = new TextPage({ from: cursor, textBytesMax, ...(await placeAt(client, session, cursor)) });
  let isLast = false;
  for await (const item of client.watch(session.id, { from: cursor, signal })) {
    if (item.type === 'output') page.feed(item.bytes, item.offset);
    if (item.type === 'gap') page.gap(item.from, item.to);
    isLast = item.type === 'exit' || (item.type === 'synced' && session.state !== 'running');
    if (isLast || page.isFull || item.type === 'synced' || item.type === 'removed') break;
    if (item.type === 'output' && item.offset + item.bytes.length - cursor >= SCAN_BYTES_MAX) break;
  }
  return page.end({ isLast });
}

/** Returns the last lines. */
export async function readTail(
  client: Client,
  session: SessionInfo,
  { textBytesMax = READ_BYTES, signal }: ReadOptions = {},
): Promise<Tail> {
  const { id, offset, firstOffset } = session;
  const from = Math.max(firstOffset, offset - TAIL_FACTOR * textBytesMax);
  const { isFullScreen } = await placeAt(client, session, from);
  const tail = new TextTail({ from, textBytesMax, isFullScreen, isInside: from > firstOffset });
  for await (const item of client.watch(id, { from, signal })) {
    if (item.type === 'output') tail.feed(item.bytes);
    if (item.type === 'synced' || item.type === 'exit' || item.type === 'removed') break;
  }
  return tail.end();
}

/** Refuses an offset beyond the end of the output. */
export function refuseBeyond({ id, offset }: SessionInfo, asked: number): void {
  if (asked > offset) throw new CallError(`offset ${asked} is beyond the end: the output of ${id} ends at ${offset}`);
}

interface CursorState {
  readonly isFullScreen: boolean;
  readonly column: number;
}

/** Returns the state of the terminal at an offset, from which a page that begins there continues. */
async function placeAt(client: Client, { id, size, firstOffset }: SessionInfo, offset: number): Promise<CursorState> {
  if (size === null || offset === 0) return { isFullScreen: false, column: 0 };
  // Deleted output is a gap, and a new line begins after it.
  const at = { offset: Math.max(offset, firstOffset) };
  const { content } = await client.screen(id, { at, format: 'json' });
  const { isAlternate, cursor } = JSON.parse(content) as { isAlternate: boolean; cursor: { col: number } };
  return { isFullScreen: isAlternate, column: offset < firstOffset ? 0 : cursor.col };
}
