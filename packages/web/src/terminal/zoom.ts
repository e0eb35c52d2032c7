/** The size of type at which all columns of a session fit a width. */

/** Below this nobody can read it; the pane scrolls instead. */
const FONT_PX_MIN = 7;
const FONT_PX_MAX = 15;

/** A cell's width as a share of the font's size; monospaced fonts have 0.6, some a little more. */
const CELL_RATIO = 0.602;

/** The scrollbar and the padding of the pane. */
const MARGIN_PX = 22;

export function fontSizeFor(cols: number, widthPx: number): number {
  const exact = (widthPx - MARGIN_PX) / (cols * CELL_RATIO);
  return Math.max(FONT_PX_MIN, Math.min(FONT_PX_MAX, Math.floor(exact * 2) / 2));
}
