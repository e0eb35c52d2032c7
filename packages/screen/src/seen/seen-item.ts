/** The visible content of a session, in order: lines of text, and full-screen programs as one picture each. */
import type { ScreenLine } from '../snapshot/screen-line.ts';

export type SeenItem = SeenText | SeenScreen | SeenFrame;

export interface SeenText {
  readonly type: 'line';
  /** The text without blanks at the end. */
  readonly text: string;
  /** The time when it was written, in milliseconds since 1970. */
  readonly at: number;
  /** Whether the line is too long for one item: then the next item continues it. */
  readonly isCut: boolean;
  /** The same line with colours, row by row, if that was requested. */
  readonly rows?: readonly ScreenLine[] | undefined;
}

/** A full-screen program, shown by its last screen. */
export interface SeenScreen {
  readonly type: 'screen';
  readonly from: number;
  readonly at: number;
  readonly lines: readonly string[];
  /** Whether the program has left its screen; false if it still shows it. */
  readonly isOver: boolean;
  readonly rows?: readonly ScreenLine[] | undefined;
}

/** An earlier screen of a full-screen program, at a moment when it had stopped painting. */
export interface SeenFrame {
  readonly type: 'frame';
  readonly at: number;
  readonly lines: readonly string[];
}

export const isBlank = (line: string): boolean => line.trim() === '';

/** Returns the lines without the blank ones at the end. */
export function trimmed<Line>(lines: readonly Line[], isEmpty: (line: Line) => boolean): readonly Line[] {
  let end = lines.length;
  while (end > 0 && isEmpty(lines[end - 1]!)) end--;
  return lines.slice(0, end);
}
