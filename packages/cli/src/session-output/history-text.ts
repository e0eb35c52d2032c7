/** Formats lines of the past for printing, plain or with colours. */
import type { SeenItem } from '@spool/screen';
import { colouredText } from './coloured-text.ts';
import { shownLines } from './shown-lines.ts';

/** `newline`: that of a terminal in raw mode, or of a file. */
export function historyText(items: readonly SeenItem[], hasColours: boolean, newline = '\n'): string {
  const now = Date.now();
  return items
    .flatMap((item) => shownLines(item, now))
    .map((line) => `${hasColours ? colouredText(line) : line.text}${line.isCut === true ? '' : newline}`)
    .join('');
}
