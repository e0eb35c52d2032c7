/**
 * Computes the font size at which all columns of a session fit a width, and the size of a session that fills a pane. Keeps
 * PAGE-61.
 */
import type { Size } from '@spool/client';

/** The smallest font that a user can choose. */
export const ZOOM_PX_MIN = 7;
/** The smallest font that the page chooses, so that it is readable on a phone too. A wider session scrolls instead. */
const FIT_PX_MIN = 11;
const FIT_PX_MAX = 15;
/** The largest font that a user can choose. */
export const ZOOM_PX_MAX = 32;
const TAKEN_PX = 14;

/** A cell's width as a share of the font's size; monospaced fonts have 0.6, some a little more. */
const CELL_RATIO = 0.602;
const ROW_RATIO = 1.2;

/** The width of the scrollbar and the padding of the pane. */
const MARGIN_PX = 22;

export function fontSizeFor(cols: number, widthPx: number): number {
  const exact = (widthPx - MARGIN_PX) / (cols * CELL_RATIO);
  return Math.max(FIT_PX_MIN, Math.min(FIT_PX_MAX, Math.floor(exact * 2) / 2));
}

export function sizeFor(widthPx: number, heightPx: number): Size {
  return {
    cols: Math.max(20, Math.floor((widthPx - MARGIN_PX) / (TAKEN_PX * CELL_RATIO))),
    rows: Math.max(5, Math.floor((heightPx - MARGIN_PX / 2) / (TAKEN_PX * ROW_RATIO))),
  };
}
