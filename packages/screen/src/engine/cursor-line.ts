/** Reads the line of the cursor, over all its rows, as text and without suggestions. */
import type { StyledRun, ScreenLine } from '../snapshot/screen-line.ts';
import type { ScreenModel } from './screen-model.ts';

export interface CursorLine {
  /** The text up to the cursor. */
  readonly before: string;
  /** The text from the cursor on, without dim or grey text. */
  readonly behind: string;
}

/** The colour of suggestions in shells: bright black, and the palette's shades of grey. */
const BRIGHT_BLACK = 8;

export function cursorLineOf(model: ScreenModel): CursorLine {
  const { row, col, isWrapPending } = model.cursor;
  const lines = model.lines();
  let first = row;
  while (first > 0 && lines[first]!.isWrapped) first--;
  const above = lines.slice(first, row).map((line) => plain(line).padEnd(model.size.cols));
  const here = lines[row];
  const cells = isWrapPending ? col + 1 : col;
  const [before, behind] = here === undefined ? ['', ''] : split(here, cells);
  return { before: above.join('') + before.padEnd(cells), behind };
}

/** Returns the text of a line, with blanks instead of suggestions. */
export function solidText({ runs }: ScreenLine): string {
  return runs
    .map((run, at) => (isGhost(run, runs[at + 1]) ? ' '.repeat(run.text.length) : run.text))
    .join('')
    .trimEnd();
}

const plain = ({ runs }: ScreenLine): string => runs.map(({ text }) => text).join('');

/**
 * Returns whether a run is a suggestion. A cursor that a program draws itself (one inverse cell) on a suggestion is part of it.
 */
function isGhost({ style, cells }: StyledRun, next: StyledRun | undefined): boolean {
  if (style.dim === true) return true;
  return style.inverse === true && cells <= 1 && next?.style.dim === true;
}

function split({ runs }: ScreenLine, cells: number): [before: string, behind: string] {
  let [before, behind, at] = ['', '', 0];
  for (const run of runs) {
    for (const character of run.text) {
      const isSuggested = run.style.dim === true || run.style.foreground === BRIGHT_BLACK;
      if (at < cells) before += character;
      else behind += isSuggested ? ' ' : character;
      at += run.cells / [...run.text].length;
    }
  }
  return [before, behind];
}
