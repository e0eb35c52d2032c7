/** Tells xterm how wide characters are (`cellsOf`). */
import { cellsOf } from '@spool/vt';

interface UnicodeTerminal {
  readonly unicode: { register(widths: typeof WIDTHS): void; activeVersion: string };
}

const WIDTHS = {
  version: 'spool',
  wcwidth: cellsOf,
  /** A character with what came before it: where it joins that, it is as wide as that. In the words of xterm's own tables. */
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
