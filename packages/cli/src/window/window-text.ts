/** What a window showed last, as lines of text with their colours: left on the terminal when the session has ended. */
import { PLAIN, screenCells, type ScreenModel, sgr } from '@spool/core/screen';
import type { Rectangle } from './window-painter.ts';

/** Without the blank lines at the end; empty when there is nothing to show. */
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
