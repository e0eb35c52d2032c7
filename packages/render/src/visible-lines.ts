/** Splits prose into lines: a message, a prompt, a thought. Keeps SHOW-1. */
import { visible, type VisibleText } from '@spool/protocol/visible-text';

const TAB_CELLS = 4;

/** Returns the lines of a text, without empty ones at its ends. */
export function visibleLines(text: string): VisibleText[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(visibleLine);
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  while (lines.length > 0 && lines[0]!.trim() === '') lines.shift();
  return lines;
}

export const visibleLine = (line: string): VisibleText => visible(line.replaceAll('\t', ' '.repeat(TAB_CELLS)));
