/** The output of a tool as lines. Apart from `visible-text`, which needs no reader of terminal bytes. */
import { encodeUtf8, LineText } from '@spool/vt';
import { visible } from './visible-text.ts';

/** What a program printed, as a user saw it: colours are dropped, a progress bar is in its last state. */
export function printedLines(text: string): string[] {
  const reader = new LineText({ skipAlternate: true });
  const lines = [...reader.feed(encodeUtf8(text.toWellFormed())), ...reader.flush()].map((line) => visible(line.text));
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  return lines;
}
