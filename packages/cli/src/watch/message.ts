/** Lays out the messages of `spool watch`: the advice of a refusal is at its end, so it is wrapped instead of cut. */
import type { VisibleText } from '@spool/protocol/visible-text';
import { wrapped } from '../command-line/wrapped-text.ts';
import { cutToWidth, printable } from '../output/printable.ts';
import { clean } from './text.ts';

/** The limit of lines: more would hide the list. */
const LINES_MAX = 4;

/** Returns lines for a terminal of this many columns; the last column stays empty, as in every line. */
export function messageLines(text: string, cols: number): VisibleText[] {
  const width = Math.max(1, cols - 1);
  const lines = wrapped(clean(text), width, { indent: 1 });
  const kept = lines.slice(0, LINES_MAX);
  if (lines.length > LINES_MAX) kept[LINES_MAX - 1] = lines.slice(LINES_MAX - 1).join('');
  return kept.map((line) => cutToWidth(printable(line), width));
}
