/** What a person saw of a session, in order: lines of text, and full-screen programs as one picture each. */
import type { ScreenLine } from '../snapshot/screen-line.ts';

export type SeenItem = SeenText | SeenScreen | SeenFrame;

export interface SeenText {
  readonly type: 'line';
  /** Without blanks at the end. */
  readonly text: string;
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
  /** The line is too long for one item: the next item continues it. */
  readonly isCut: boolean;
  /** The same with colours, row by row, if that was asked for. */
  readonly rows?: readonly ScreenLine[] | undefined;
}

/** A full-screen program, shown by its last screen. */
export interface SeenScreen {
  readonly type: 'screen';
  readonly from: number;
  readonly at: number;
  readonly lines: readonly string[];
  /** False if the program still shows its screen. */
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

/** Without the blank lines at the end. */
export function trimmed<Line>(lines: readonly Line[], isEmpty: (line: Line) => boolean): readonly Line[] {
  let end = lines.length;
  while (end > 0 && isEmpty(lines[end - 1]!)) end--;
  return lines.slice(0, end);
}
