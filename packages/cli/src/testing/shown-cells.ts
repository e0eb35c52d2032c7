/** Reads the cells of a terminal by xterm's public interface, to compare a window with the screen that it shows. */
import { cellsOf } from '@spool/vt';
import type xterm from '@xterm/headless';

export interface Part {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly cols: number;
}

/** Each cell as text, width and looks. Characters that an edge of the part cuts are blanks with the looks that they had. */
export function shownCells(terminal: xterm.Terminal, { top, left, rows, cols }: Part): string[][] {
  const { active } = terminal.buffer;
  const right = Math.min(left + cols, terminal.cols);
  return Array.from({ length: Math.min(rows, terminal.rows - top) }, (_, at) => {
    const line = active.getLine(active.baseY + top + at)!;
    const cells: string[] = [];
    for (let col = left; col < right;) {
      const own = line.getCell(col)!;
      const before = col > 0 ? line.getCell(col - 1)! : own;
      const isSecondHalf = own.getWidth() === 0 && before.getWidth() === 2 && own.getChars() === '';
      const text = textOf(own);
      const isWide = text !== ' ' && own.getWidth() === 2 && col + 1 < right;
      cells.push(
        `${isSecondHalf || (own.getWidth() === 2 && !isWide) ? ' ' : text} ${looksOf(isSecondHalf ? before : own)}`,
      );
      if (isWide) cells.push('');
      col += isWide ? 2 : 1;
    }
    return cells;
  });
}

/** A mark without a letter, or half a character, cannot be printed: it is shown as a blank. */
function textOf(cell: xterm.IBufferCell): string {
  const text = cell.getChars();
  return text === '' || cell.getWidth() === 0 || cellsOf(text.codePointAt(0)!) !== cell.getWidth() ? ' ' : text;
}

function looksOf(cell: xterm.IBufferCell): string {
  const flags = [
    cell.isBold(),
    cell.isDim(),
    cell.isItalic(),
    cell.isUnderline(),
    cell.isBlink(),
    cell.isInverse(),
    cell.isInvisible(),
    cell.isStrikethrough(),
    cell.isOverline(),
  ];
  const colours = [
    cell.getFgColorMode(),
    cell.isFgDefault() ? 0 : cell.getFgColor(),
    cell.getBgColorMode(),
    cell.isBgDefault() ? 0 : cell.getBgColor(),
  ];
  return `${flags.map((flag) => (flag ? 1 : 0)).join('')} ${colours.join(',')}`;
}
