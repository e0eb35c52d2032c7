/** Wraps text at the width of the terminal, for help pages. Widths are in cells; the texts are plain. */
import { displayWidth } from '../output/printable.ts';

/** The width that text in a second column needs; in a narrower terminal it is put below the first. */
const SECOND_COLUMN_MIN = 24;

/** Keeps two words on one line. */
export const NO_BREAK = '\u00a0';

interface Indents {
  readonly indent?: number;
  /** The indentation of the lines after the first. */
  readonly hanging?: number;
}

/**
 * Returns lines of at most `width` cells, broken at spaces. A longer word stays whole, so that it can be copied. Lines after the
 * first are indented by `hanging` spaces.
 */
export function wrapped(text: string, width: number, options: Indents = {}): string[] {
  const { indent = 0, hanging = indent } = options;
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = ' '.repeat(hanging);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((each) => each.trimEnd().replaceAll(NO_BREAK, ' '));
}

/** Sentences that were broken for the source are joined; a line that ends a sentence ends a paragraph. */
export function paragraphs(text: string): string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    if (isOpen) found[found.length - 1] += ` ${line.trim()}`;
    else found.push(line.trim());
    isOpen = line !== '' && !/[.:]$/.test(line);
  }
  return found;
}

/** Formats rows of two columns: the second one is wrapped beside the first, or below it where there is no room. */
export function twoColumns(rows: readonly (readonly [head: string, about: string])[], width: number): string[] {
  const headWidth = Math.max(0, ...rows.map(([head]) => displayWidth(head)));
  const column = 2 + headWidth + 2;
  if (width - column < SECOND_COLUMN_MIN)
    return rows.flatMap(([head, about]) => [`  ${head.trim()}`, ...wrapped(about, width, { indent: 6 })]);
  return rows.flatMap(([head, about]) => {
    const padding = ' '.repeat(headWidth - displayWidth(head));
    const [first = '', ...rest] = wrapped(about, width - column);
    return [`  ${head}${padding}  ${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(column) + line)];
  });
}
