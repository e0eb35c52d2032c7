/**
 * Shows text in rows without omissions: a row is cut where the width ends, blanks included, and only a line break of the text
 * starts a new line. A mark in front of each row shows whether it starts a line (`│`) or continues one (`┊`). The text itself
 * never reaches that column, so it cannot forge a mark. Keeps REQ-1, REQ-2.
 */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import {
  cutVisible,
  type Line,
  type SpanStyle,
  lineWidth,
  PLAIN,
  repeated,
  sliceVisible,
  type Span,
  span,
  widthOf,
} from '../lines.ts';

export const LINE_MARK = say`│ `;
const CONTINUATION_MARK = say`┊ `;
const TAB = say`→   `;
const MARK_LOOK: SpanStyle = { dim: true };
/** The minimum width of rows. In less room, the terminal cuts them; no caller requests fewer than 12 columns. */
const ROOM_CELLS_MIN = 4;

export interface RowPlace {
  /** The width in cells; with Infinity no row is wrapped. */
  readonly width: number;
  /** The number of cells before the mark. */
  readonly indent: number;
}

/** Returns the spans of one line of untrusted text, in which everything is visible, including tabs. */
export function exactSpans(line: string, style: SpanStyle = PLAIN): Span[] {
  const look: SpanStyle = { ...style, isExact: true };
  return line
    .split('\t')
    .flatMap((part, at) => [
      ...(at === 0 ? [] : [span(TAB, { ...MARK_LOOK, isExact: true })]),
      ...(part === '' ? [] : [span(visible(part), look)]),
    ]);
}

/** Returns every line of a text, each behind a mark. */
export function textRows(
  text: string,
  place: RowPlace,
  look: SpanStyle = PLAIN,
  mark: VisibleText = LINE_MARK,
): Line[] {
  return text.split('\n').flatMap((line) => markedRows(mark, exactSpans(line, look), place, look));
}

/** Returns one line behind a mark, in as many rows as it needs. */
export function markedRows(mark: VisibleText, line: Line, place: RowPlace, look: SpanStyle = PLAIN): Line[] {
  return hardRows(line, place, span(mark, look.tone === undefined ? MARK_LOOK : look));
}

/** Returns one line, whose continuations are marked. `first` is the beginning of its first row. */
export function hardRows(line: Line, { width, indent }: RowPlace, first?: Span): Line[] {
  const before: Line = indent === 0 ? [] : [span(repeated(' ', indent))];
  const rest: Line = [...before, span(CONTINUATION_MARK, MARK_LOOK)];
  const rows: Span[][] = [];
  let row: Span[] = first === undefined ? [...before] : [...before, first];
  let room = Math.max(ROOM_CELLS_MIN, width - lineWidth(row));
  const restRoom = Math.max(ROOM_CELLS_MIN, width - lineWidth(rest));
  for (const { text, look } of line) {
    let left = text;
    while (left !== '') {
      const piece = cutVisible(left, room);
      if (piece !== '') row.push({ text: piece, look });
      left = sliceVisible(left, piece.length);
      room -= widthOf(piece);
      if (left === '') break;
      rows.push(row);
      row = [...rest];
      room = restRoom;
    }
  }
  return [...rows, row];
}
