/** `screen --history all`: prints every line above a session's screen as it is read, and then the screen. Keeps PAST-7. */
import type { Client } from '@spool/client';
import { HTML_BEGIN, HTML_END, lineHtml, renderAnsi, renderText, type SeenItem } from '@spool/screen';
import type { LogPlace } from '../command-line/log-place.ts';
import { seenHtml } from '../recording/html-page.ts';
import { gapWords } from '../output/session-words.ts';
import { notice, writeText } from '../output/stdio.ts';
import { historyText } from './history-text.ts';
import { SessionOutput } from './session-output.ts';
import { type HistoryListener, WholeHistory } from './whole-history.ts';

export interface WholeOptions {
  readonly at: LogPlace | undefined;
  readonly format: 'text' | 'ansi' | 'html';
}

export async function printWhole(client: Client, id: string, { at, format }: WholeOptions): Promise<void> {
  // This request returns the offset, and fails with the right error if the session has no terminal.
  const { id: found, offset } = await client.screen(id, { at, format: 'text' });
  using output = new SessionOutput(1);
  const write = (text: string): Promise<void> =>
    format === 'ansi' ? output.write(Buffer.from(text)) : writeText(text);
  const textOf = (items: readonly SeenItem[]): string =>
    format === 'html' ? items.map(seenHtml).join('') : historyText(items, format === 'ansi');
  const listener: HistoryListener = {
    take: (items) => write(textOf(items)),
    onGap: (from, to) => notice(`spool: ${gapWords(from, to)}`),
  };
  using history = await WholeHistory.open(client, await client.get(found), listener, { isPlain: format === 'text' });
  if (format === 'html') await write(HTML_BEGIN);
  await history.readTo(at === undefined ? 'now' : offset, { isCovered: true });
  if (format === 'html') await write(`${history.model.lines().map(lineHtml).join('\n')}${HTML_END}\n`);
  else await write(`${(format === 'ansi' ? renderAnsi : renderText)(history.model).trimEnd()}\n`);
}
