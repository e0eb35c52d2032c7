/** Renders a model's screen as rows of runs, in the compact form of the wire (`Grid`). */
import { GridBit, type GridRun } from '@spool/protocol';
import type { ScreenModel } from '../engine/screen-model.ts';
import type { Style } from '../snapshot/screen-line.ts';
import { renderedLines } from './rendered-lines.ts';

export function renderGrid(model: ScreenModel): readonly (readonly GridRun[])[] {
  return renderedLines(model, {}).map(({ runs }) =>
    runs.map(({ text, cells, style }): GridRun => [
      style.invisible ? ' '.repeat(cells) : text,
      cells,
      style.foreground ?? null,
      style.background ?? null,
      bitsOf(style),
    ]),
  );
}

function bitsOf({ bold, dim, inverse, underline, italic }: Style): number {
  return (
    (bold ? GridBit.bold : 0) |
    (dim ? GridBit.dim : 0) |
    (inverse ? GridBit.inverse : 0) |
    (underline ? GridBit.underline : 0) |
    (italic ? GridBit.italic : 0)
  );
}
