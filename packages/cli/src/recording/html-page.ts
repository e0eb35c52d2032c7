/** A session as a web page: everything that a person saw, with colours, however long. Keeps PAST-7. */
import type { Client } from '@spool/client';
import { escapeHtml, HTML_BEGIN, HTML_END, lineHtml, type ScreenLine, type SeenItem } from '@spool/screen';
import type { SessionInfo } from '@spool/protocol';
import { gapWords } from '../output/session-words.ts';
import { notice } from '../output/stdio.ts';
import { readSeen } from '../session-output/seen-output.ts';
import { shownLines } from '../session-output/shown-lines.ts';

export async function writeHtmlPage(
  client: Client,
  session: SessionInfo,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const title = escapeHtml(session.name);
  const head = `<!doctype html>\n<meta charset="utf-8">\n<title>${title}</title>\n`;
  await write(`${head}<body style="background:#000;color:#e5e5e5">\n${HTML_BEGIN}`);
  await readSeen(
    client,
    session,
    { from: 0, isStyled: true },
    {
      take: (items) => write(items.map(seenHtml).join('')),
      onGap: (from, to) => notice(`spool: ${gapWords(from, to)}`),
    },
  );
  await write(`${HTML_END}\n`);
}

export function seenHtml(item: SeenItem): string {
  if (item.type === 'line') return `${wrappedHtml(item.rows, item.text)}${item.isCut ? '' : '\n'}`;
  const [heading] = shownLines(item, Date.now());
  const rows = item.type === 'screen' && item.rows ? item.rows.map(lineHtml) : item.lines.map(escapeHtml);
  return `<span style="${FRAME}"><span style="opacity:.6">${escapeHtml(heading!.text)}</span>\n${rows.join('\n')}</span>`;
}

/** The frame that sets a full-screen program apart from the lines around it. */
const FRAME = 'display:block;border:1px solid #555;margin:4px 0;padding:2px';

/** Returns the rows of one line; all but the last are as wide as the terminal was. */
function wrappedHtml(rows: readonly ScreenLine[] | undefined, text: string): string {
  if (rows === undefined) return escapeHtml(text);
  const widths = rows.map(({ runs }) => runs.reduce((sum, { cells }) => sum + cells, 0));
  const cols = Math.max(...widths);
  return rows.map((row, at) => lineHtml(row) + (at < rows.length - 1 ? ' '.repeat(cols - widths[at]!) : '')).join('');
}
