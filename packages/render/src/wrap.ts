/** Wraps a line of spans at spaces; a word that is wider than the line is cut. */
import type { VisibleText } from '@spool/protocol/visible-text';
import { cutVisible, type Line, lineWidth, sliceVisible, type Span, widthOf } from './lines.ts';

export interface WrapOptions {
  /** The spans before the first line, and before each further one. */
  readonly first?: Line;
  readonly rest?: Line;
}

/** The minimum width: narrower lines are unreadable, so lines get at least this width, and the terminal cuts them. */
const WIDTH_MIN = 8;

const PIECES = /\s+|\S+/g;

export function wrap(line: Line, width: number, { first = [], rest = first }: WrapOptions = {}): Line[] {
  if (lineWidth(first) + lineWidth(line) <= width) return [[...first, ...line]];
  const lines: Span[][] = [];
  let current: Span[] = [...first];
  let isEmpty = true;
  let room = Math.max(WIDTH_MIN, width - lineWidth(first));
  const next = (): void => {
    lines.push(current);
    current = [...rest];
    isEmpty = true;
    room = Math.max(WIDTH_MIN, width - lineWidth(rest));
  };
  for (const { text, look } of line) {
    for (const [piece] of text.matchAll(PIECES)) {
      const cells = widthOf(piece);
      if (piece.trim() === '' && cells > room) {
        next();
        continue;
      }
      if (cells > room && !isEmpty && piece.trim() !== '') next();
      if (isEmpty && lines.length > 0 && piece.trim() === '') continue; // the space at which the line was cut
      let left = piece as VisibleText;
      while (widthOf(left) > room) {
        // A wide character may not fit into the last cell.
        const cut = cutVisible(left, room) || sliceVisible(left, 0, left.codePointAt(0)! > 0xffff ? 2 : 1);
        current.push({ text: cut, look });
        left = sliceVisible(left, cut.length);
        next();
      }
      if (left === '') continue;
      current.push({ text: left, look });
      room -= widthOf(left);
      isEmpty = false;
    }
  }
  if (!isEmpty || lines.length === 0) lines.push(current);
  return lines;
}
