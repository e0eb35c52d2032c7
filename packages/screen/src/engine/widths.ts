/** Provides xterm with the width of characters (`cellsOf`). */
import { cellsOf } from '@spool/vt';

interface UnicodeTerminal {
  readonly unicode: { register(widths: typeof WIDTHS): void; activeVersion: string };
}

const WIDTHS = {
  version: 'spool',
  wcwidth: cellsOf,
  /**
   * Returns the properties of a character after another one; a character that joins the other has the same width. The result has
   * the format of xterm's own tables.
   */
  charProperties(point: number, preceding: number): number {
    const cells = cellsOf(point);
    const before = (preceding >> 1) & 3;
    return cells === 0 && before > 0 ? (before << 1) | JOINS : cells << 1;
  },
};

const JOINS = 1;

export function useWidths({ unicode }: UnicodeTerminal): void {
  unicode.register(WIDTHS);
  unicode.activeVersion = WIDTHS.version;
}
