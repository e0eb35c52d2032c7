/**
 * Lines on the alternate screen: only changed lines are sent, and they appear all at once. Some rows may belong to another
 * painter, which paints them in the same update.
 */
import type { Size } from '@spool/protocol';

/** Alternate screen, hidden cursor, bracketed paste, no line wrap, mouse reports. */
export const SCREEN_BEGIN = '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7l\x1b[?1000h\x1b[?1006h';
export const SCREEN_END = '\x1b[?2026l\x1b[m\x1b[?1006l\x1b[?1000l\x1b[?7h\x1b[?2004l\x1b[?25h\x1b[?1049l';

/** Synchronized output: a terminal that supports it shows nothing before the end. */
const HOLD = '\x1b[?2026h';
const SHOW = '\x1b[?2026l';

export class ScreenLines {
  #shown: readonly (string | null)[] = [];
  #size: Size = { cols: 0, rows: 0 };

  /** Notes that the content of the terminal is unknown, so the next paint is complete. */
  forget(): void {
    this.#size = { cols: 0, rows: 0 };
  }

  /**
   * Returns the bytes that show these lines; '' if they are already shown. A line that is null is painted by `paintRest`; its
   * argument is whether to paint its rows completely.
   */
  paint(lines: readonly (string | null)[], size: Size, paintRest: (isFresh: boolean) => string = () => ''): string {
    const isFresh = size.cols !== this.#size.cols || size.rows !== this.#size.rows;
    const before = isFresh ? [] : this.#shown;
    const changed = lines.flatMap((line, at) =>
      line === null || line === (before[at] === undefined ? '' : before[at])
        ? []
        : [`\x1b[${at + 1};1H\x1b[m${line}\x1b[m\x1b[K`],
    );
    const isMoved = lines.some((line, at) => (line === null) !== (before[at] === null));
    this.#shown = [...lines];
    this.#size = size;
    const rest = paintRest(isMoved);
    if (!isFresh && changed.length === 0 && rest === '') return '';
    return `${HOLD}${isFresh ? '\x1b[m\x1b[2J' : ''}${changed.join('')}${rest}${SHOW}`;
  }
}
