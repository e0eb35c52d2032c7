/** Paints a small grid into a separate bitmap; a wall draws the bitmaps at the places of the tiles. */
import { GridBit, type GridRun } from '@spool/protocol';
import type { Theme } from '../shell/theme.ts';
import { contrastOf, TERMINAL_THEMES } from '../terminal/themes.ts';
import { readableInk } from './contrast.ts';
import type { GridState } from './grid-state.ts';

export interface Bitmap {
  readonly canvas: OffscreenCanvas;
  readonly key: string;
  readonly lines: readonly (readonly GridRun[])[];
  /** The lower edge of the content. */
  readonly endPx: number;
}

/** The ratio of a cell's height to its width. */
const CELL_RATIO = 2;

/** Repaints the rows that differ from the last time; another size or theme repaints all. */
export function paintMiniature(
  grid: GridState,
  before: Bitmap | undefined,
  { widthPx, theme }: { readonly widthPx: number; readonly theme: Theme },
): Bitmap {
  const cellWidth = widthPx / grid.cols;
  // Rounded to whole pixels: rows that share one would leave seams.
  const cellHeight = Math.max(1, Math.round(cellWidth * CELL_RATIO));
  const heightPx = cellHeight * grid.rows;
  const key = `${grid.id} ${widthPx} ${grid.cols}×${grid.rows} ${theme}`;
  const isFresh = before?.key !== key;
  const canvas = isFresh ? new OffscreenCanvas(widthPx, heightPx) : before.canvas;
  const pen = canvas.getContext('2d')!;
  const colours = TERMINAL_THEMES[theme];
  pen.font = `${cellWidth / advanceOf(pen)}px ${MONO}`;
  pen.textBaseline = 'middle';
  for (const [row, runs] of grid.lines.entries()) {
    if (!isFresh && before.lines[row] === runs) continue;
    const top = row * cellHeight;
    pen.fillStyle = colours.background!;
    pen.fillRect(0, top, widthPx, cellHeight);
    let left = 0;
    for (const run of runs) left = paintRun(pen, run, { left, top, cellWidth, cellHeight, theme });
  }
  return { canvas, key, lines: grid.lines, endPx: (lastRowOf(grid) + 1) * cellHeight };
}

function lastRowOf({ lines, cursor }: GridState): number {
  const text = lines.findLastIndex((runs) => runs.length > 0);
  return Math.max(text, cursor?.row ?? 0);
}

const MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Returns the width of a character as a share of the font's size, so that each run is as wide as its cells. */
function advanceOf(pen: OffscreenCanvasRenderingContext2D): number {
  if (advance === undefined) {
    pen.font = `100px ${MONO}`;
    advance = pen.measureText('0').width / 100;
  }
  return advance;
}

let advance: number | undefined;

function paintRun(
  pen: OffscreenCanvasRenderingContext2D,
  [text, cells, foreground, background, bits]: GridRun,
  place: { left: number; top: number; cellWidth: number; cellHeight: number; theme: Theme },
): number {
  const { left, top, cellWidth, cellHeight, theme } = place;
  const width = cells * cellWidth;
  const own = TERMINAL_THEMES[theme];
  let ink = colourOf(foreground, theme) ?? own.foreground!;
  let paper = colourOf(background, theme);
  if ((bits & GridBit.inverse) !== 0) [ink, paper] = [paper ?? own.background!, ink];
  if (paper !== null) {
    pen.fillStyle = paper;
    pen.fillRect(left, top, width, cellHeight);
  }
  if (text.trim() !== '') {
    pen.fillStyle = readableInk(ink, paper ?? own.background!, contrastOf(theme));
    pen.globalAlpha = (bits & GridBit.dim) === 0 ? 1 : 0.6;
    pen.fillText(text, left, top + cellHeight / 2, width);
    pen.globalAlpha = 1;
  }
  return left + width;
}

const NAMES = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const;

/** Returns a colour of xterm's palette: 16 of the theme, a cube of 6 × 6 × 6, and 24 greys. */
function colourOf(colour: number | string | null, theme: Theme): string | null {
  if (typeof colour !== 'number') return colour;
  if (colour < 16) return TERMINAL_THEMES[theme][NAMES[colour]!]!;
  if (colour >= 232) {
    const grey = 8 + (colour - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (index: number): number => (index === 0 ? 0 : 55 + index * 40);
  const cube = colour - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}
