/** The screen of one tile, assembled from the rows that arrive. */
import type { Grid, GridRun } from '@spool/protocol';

export interface GridState {
  readonly id: string;
  readonly offset: number;
  readonly stamp: string;
  readonly cols: number;
  readonly rows: number;
  readonly cursor: Grid['cursor'];
  readonly lines: readonly (readonly GridRun[])[];
}

export function merge(before: GridState | undefined, { lines: changed, ...grid }: Grid): GridState {
  const isSameSize = before?.cols === grid.cols && before.rows === grid.rows;
  const lines = Array.from({ length: grid.rows }, (_, row) => (isSameSize ? (before.lines[row] ?? []) : []));
  for (const [row, runs] of changed) if (row < grid.rows) lines[row] = runs;
  return { ...grid, lines };
}
