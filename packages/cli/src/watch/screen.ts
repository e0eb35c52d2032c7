/** Lines on a terminal's alternate screen: only those that have changed are sent, and they appear all at once. */
import type { Size } from '@spool/protocol';

/** Alternate screen, no cursor, pastes in brackets, and no line runs over into the next. */
export const SCREEN_BEGIN = '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7l';
export const SCREEN_END = '\x1b[?2026l\x1b[m\x1b[?7h\x1b[?2004l\x1b[?25h\x1b[?1049l';

/** Synchronized output: a terminal that knows it shows nothing before the end. */
const HOLD = '\x1b[?2026h';
const SHOW = '\x1b[?2026l';

export class WatchScreen {
  #shown: readonly string[] = [];
  #size: Size = { cols: 0, rows: 0 };

  /** What is on the terminal is not known any more. */
  forget(): void {
    this.#size = { cols: 0, rows: 0 };
  }

  /** What to send so that these lines are shown; '' when they are already. */
  paint(lines: readonly string[], size: Size): string {
    const isFresh = size.cols !== this.#size.cols || size.rows !== this.#size.rows;
    const before = isFresh ? [] : this.#shown;
    const changed = lines.flatMap((line, at) =>
      line === (before[at] ?? '') ? [] : [`\x1b[${at + 1};1H\x1b[m${line}\x1b[m\x1b[K`],
    );
    this.#shown = [...lines];
    this.#size = size;
    if (!isFresh && changed.length === 0) return '';
    return `${HOLD}${isFresh ? '\x1b[m\x1b[2J' : ''}${changed.join('')}${SHOW}`;
  }
}
