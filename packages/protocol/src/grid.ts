/**
 * Screens as rows of cells, for miniatures. A client repeatedly asks for the sessions that it shows; it gets only those that have
 * changed since, and of these only the changed rows. The daemon stores nothing for a client: `stamp` names what the client has
 * received, and an unknown stamp gives all rows.
 */
import type { MessageOf } from './message-type.ts';
import type { TILE } from './schemas/requests.ts';

/** The maximum of tiles in a request, more than a wall shows at once; a client with more asks twice. */
export const TILES_MAX = 64;

export type TileAsk = MessageOf<typeof TILE>;

export interface Grid {
  readonly id: string;
  /** The offset of the screen. */
  readonly offset: number;
  readonly stamp: string;
  readonly cols: number;
  readonly rows: number;
  /** The cursor; null if it is hidden. */
  readonly cursor: { readonly row: number; readonly col: number } | null;
  /** The rows that have changed. Blank rows have no runs; a row that is missing here has not changed. */
  readonly lines: readonly (readonly [row: number, runs: readonly GridRun[]])[];
}

/** A run: its text, its cells, its colours (0 to 255, `#rrggbb`, or null for the terminal's own) and a sum of `GridBit`s. */
export type GridRun = readonly [
  text: string,
  cells: number,
  foreground: number | string | null,
  background: number | string | null,
  bits: number,
];

export const GridBit = { bold: 1, dim: 2, inverse: 4, underline: 8, italic: 16 } as const;
