/** Converts the output of a tool to lines. It is separate from `visible-lines`, which does not need a parser of terminal bytes. */
import { encodeUtf8, LineText } from '@spool/vt';
import { visible, type VisibleText } from '@spool/protocol/visible-text';

/** Returns the output of a program as a user saw it: without colours, and with a progress bar in its last state. */
export function printedLines(text: string): VisibleText[] {
  const reader = new LineText({ skipAlternate: true });
  const lines = [...reader.feed(encodeUtf8(text.toWellFormed())), ...reader.flush()].map((line) => visible(line.text));
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  return lines;
}
