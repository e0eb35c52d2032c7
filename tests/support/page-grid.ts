/**
 * Converts a screen to the cells that a user sees, in one form for two sources: the page's drawing, and the daemon's screen
 * (`screen --format json`). Each row is text with the attributes that differ from plain: `{fg 2 bold}ok{} done`.
 */
import type { ScreenJson } from '@spool/screen';
import type { Page } from 'playwright-core';

interface StyledText {
  readonly text: string;
  readonly look: readonly string[];
}

/** xterm's name for the default colours in inverse text. */
const INVERTED = '257';
const UNDERLINES = ['', 'single', 'double', 'curly', 'dotted', 'dashed'];

interface Style {
  readonly color: string;
  readonly backgroundColor: string;
}

interface Web {
  readonly document: {
    querySelectorAll(selector: string): Iterable<{
      readonly children: Iterable<{ readonly className: string; readonly textContent: string; readonly style: Style }>;
    }>;
  };
}

/** Returns the content that xterm's renderer has put into the page. */
export async function gridOnPage(page: Page): Promise<string[]> {
  const rows = await page.evaluate(() => {
    const { document } = globalThis as unknown as Web;
    return [...document.querySelectorAll('.xterm-rows > div')].map((row) =>
      [...row.children].map(({ className, textContent, style }) => ({
        classes: className,
        text: textContent,
        color: style.color,
        background: style.backgroundColor,
      })),
    );
  });
  return rows.map((spans) =>
    rowOf(spans.map(({ classes, text, color, background }) => drawn(classes, text, color, background))),
  );
}

function drawn(classes: string, text: string, color: string, background: string): StyledText {
  const look: string[] = [];
  for (const name of classes.split(' ')) {
    const [, what, value] =
      /^xterm-(fg|bg|underline|bold|italic|dim|overline|strikethrough)(?:-(\d+))?$/.exec(name) ?? [];
    if (what === undefined) continue;
    if (what === 'underline') look.push(`underline ${UNDERLINES[Number(value)]}`);
    else look.push(value === undefined ? what : `${what} ${value}`);
  }
  if (color !== '') look.push(`fg ${hexOf(color)}`);
  if (background !== '') look.push(`bg ${hexOf(background)}`);
  return { text, look };
}

/** Converts `rgb(1, 2, 3)`, the browser's form. */
function hexOf(colour: string): string {
  const parts = colour.match(/\d+/g) ?? [];
  return `#${parts
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;
}

/** Returns the daemon's picture. */
export function gridOfScreen(json: string): string[] {
  const { lines } = JSON.parse(json) as ScreenJson;
  return lines.map(({ runs }) =>
    rowOf(
      runs
        .map(({ text, style }) => ({ text, look: lookOf(style) }))
        .map((piece, at) => {
          return runs[at]!.style.invisible === true ? { ...piece, text: ' '.repeat(piece.text.length) } : piece;
        }),
    ),
  );
}

function lookOf(style: ScreenJson['lines'][number]['runs'][number]['style']): string[] {
  const look: string[] = [];
  let [fg, bg]: (string | number | undefined)[] = [style.foreground, style.background];
  if (style.inverse === true) [fg, bg] = [bg ?? INVERTED, fg ?? INVERTED];
  // As in terminals, and in xterm too: bold text in one of the first eight colours is bright.
  if (style.bold === true && typeof fg === 'number' && fg < 8) fg += 8;
  if (fg !== undefined) look.push(`fg ${fg}`);
  if (bg !== undefined) look.push(`bg ${bg}`);
  for (const what of ['bold', 'italic', 'dim', 'overline'] as const) if (style[what] === true) look.push(what);
  if (style.strike === true) look.push('strikethrough');
  // xterm marks a link by dashes, unless the program underlines it in another way. Only links to the web count.
  const underline = style.underline ?? (/^https?:/.test(style.link ?? '') ? 'dashed' : undefined);
  if (underline !== undefined) look.push(`underline ${underline}`);
  return look;
}

/** Returns the visible part of a row: blanks at the end are removed, and a blank has no foreground. */
function rowOf(pieces: readonly StyledText[]): string {
  let [row, last] = ['', ''];
  let seen = 0;
  for (const { text, look } of pieces) {
    for (const character of text.replaceAll(' ', ' ')) {
      const hasLine = look.some((each) => /^(underline|overline|strikethrough)/.test(each));
      const shown = look.filter((each) => character !== ' ' || hasLine || each.startsWith('bg')).sort();
      const key = shown.join(', ');
      if (key !== last) row += `{${key}}`;
      last = key;
      row += character;
      if (character !== ' ' || key !== '') seen = row.length;
    }
  }
  return row.slice(0, seen);
}
