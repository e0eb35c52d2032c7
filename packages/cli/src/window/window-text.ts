/** The last content of a window as coloured lines, which stay on the terminal after the session has ended. */
import { PLAIN, screenCells, type ScreenModel, sgr } from '@spool/screen';
import type { Rectangle } from './window-painter.ts';

/** Returns the text without trailing blank lines; empty if there is nothing to show. */
export function windowText(model: ScreenModel, { top, left, rows, cols }: Rectangle): string {
  const lines = Array.from({ length: rows }, (_, row) => lineText(model, top + row, left, left + cols));
  return lines.join('\n').trimEnd();
}

function lineText(model: ScreenModel, row: number, from: number, to: number): string {
  let text = '';
  let look = PLAIN;
  const cells = screenCells(model, row, from, to);
  const end = cells.findLastIndex((cell) => cell.text !== ' ' || cell.look !== PLAIN) + 1;
  for (const cell of cells.slice(0, end)) {
    text += sgr(look, cell.look) + cell.text;
    look = cell.look;
  }
  return text + sgr(look, PLAIN);
}
