/** Tools that read the output and the screen of a session. */
import { isHeadless, SCROLLBACK_LINES, type SessionInfo } from '@spool/protocol';
import { z } from 'zod';
import { readAgent } from '../agent-reading.ts';
import { askedText, readRequestLines } from '../agent-requests.ts';
import { READ_BYTES, readPage, readTail, refuseBeyond } from '../reading.ts';
import { screenLines } from '../screen-text.ts';
import { oneLine, sessionData, wordState } from '../session-words.ts';
import { PAGE_BYTES_MIN, type OutputPage } from '../text-page.ts';
import { LOOKS, offsetInput, sessionInput, tool, type ToolData } from '../tool.ts';

const READ_BYTES_MAX = 256 * 1024;
const SCREEN_CHARACTERS_MAX = 32 * 1024;

export const readTool = tool({
  name: 'spool_read',
  description:
    'Read the output of a session as plain text. Pass the last nextCursor to get only new output; without cursor: the last lines.',
  input: z.strictObject({
    session: sessionInput,
    cursor: offsetInput.optional().describe('0: from the beginning'),
    request: z.string().optional(),
    maxBytes: z.number().min(PAGE_BYTES_MIN).max(READ_BYTES_MAX).default(READ_BYTES),
  }),
  hints: LOOKS,
  async call({ session, cursor, request, maxBytes }, { client, signal }) {
    if (request !== undefined) {
      const lines = await readRequestLines(client, session, { request, from: cursor ?? 0, charactersMax: maxBytes });
      return { text: lines, data: { request, text: lines } };
    }
    const info = await client.get(session);
    if (isHeadless(info)) {
      const page = await readAgent(client, info, cursor, { charactersMax: maxBytes, signal });
      const asks = info.status.state === 'blocked' && page.isEnd ? await askedText(client, info.id) : '';
      const facts = page.isEnd ? ['the end', wordState(info)] : ['there is more'];
      const answer = pageResult(info, { ...page, isFullScreen: false, isRepainting: false }, facts, page.isEnd);
      return { text: `${answer.text}${asks}`, data: { ...answer.data, ...(asks !== '' && { asks: asks.trim() }) } };
    }
    const options = { textBytesMax: maxBytes, signal };
    if (cursor === undefined) {
      const tail = await readTail(client, info, options);
      const before = tail.from > 0 ? `${tail.from} bytes before this are omitted` : '';
      return pageResult(info, tail, [before, wordState(info)], true);
    }
    const page = await readPage(client, info, cursor, options);
    const left = Math.max(0, info.offset - page.nextCursor);
    const isEnd = left === 0 || page.nextCursor <= cursor;
    return pageResult(info, page, isEnd ? ['the end', wordState(info)] : [`${left} bytes more`], isEnd);
  },
});

export const screenTool = tool({
  name: 'spool_screen',
  description: "Read the text on a session's screen, as a user sees it.",
  input: z.strictObject({
    session: sessionInput,
    at: offsetInput.optional().describe('the screen at this offset'),
    historyLines: z.number().min(0).max(SCROLLBACK_LINES).default(0).describe('include lines above the screen'),
  }),
  hints: LOOKS,
  async call({ session, at, historyLines }, { client }) {
    const info = await client.get(session);
    if (at !== undefined) refuseBeyond(info, at);
    const {
      content,
      cols,
      rows,
      offset,
      title,
      isExact,
      missingBytes = 0,
    } = await client.screen(info.id, {
      at: at === undefined ? undefined : { offset: at },
      historyLines: historyLines === 0 ? undefined : Math.round(historyLines),
    });
    const lines = screenLines(content);
    const head = [
      `${cols}x${rows} at offset ${offset}`,
      ...(title === '' ? [] : [`title "${oneLine(title)}"`]),
      ...(isExact ? [] : ['it prints too fast to follow; this screen may be slightly out of date']),
      ...(missingBytes === 0
        ? []
        : [`${missingBytes} bytes of its output are no longer stored; this screen lacks them`]),
      at === undefined ? wordState(info) : '',
    ];
    const text = lines.length === 0 ? '[the screen is empty]' : lines.join('\n');
    const shown = text.slice(-SCREEN_CHARACTERS_MAX);
    return {
      text: `${joined(head)}\n${shown}`,
      data: {
        ...sessionData(info),
        cols,
        rows,
        offset,
        title,
        isExact,
        missingBytes,
        text: lines.length === 0 ? '' : shown,
      },
    };
  },
});

function pageResult(info: SessionInfo, page: OutputPage, facts: readonly string[], isEnd: boolean): ToolData {
  const { text, nextCursor, isFullScreen, isRepainting } = page;
  return {
    text: formatPage(page, facts),
    data: { ...sessionData(info), nextCursor, isEnd, isFullScreen, isRepainting, text },
  };
}

/** Returns one line with the cursor and other facts, then the text. An unfinished last line has no line break. */
function formatPage({ text, nextCursor, isFullScreen, isRepainting }: OutputPage, facts: readonly string[]): string {
  const hint = isFullScreen
    ? 'a full-screen program is running: use spool_screen'
    : isRepainting
      ? 'the program repaints its output: use spool_screen'
      : '';
  const head = joined([`nextCursor ${nextCursor}`, ...facts, hint, text === '' ? 'nothing new' : '']);
  return text === '' ? head : `${head}\n${text}`;
}

const joined = (facts: readonly string[]): string => facts.filter((fact) => fact !== '').join('; ');
