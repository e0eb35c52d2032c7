/** Converts seen output to lines for printing: a full-screen program becomes a section with a heading and an end. */
import type { SeenItem } from '@spool/screen';
import { localTime } from '../output/local-time.ts';
import type { ShownLine } from './line-filter.ts';

/** `hasEnded`: the session has ended, so a program that never left the full screen no longer runs. */
export function shownLines(item: SeenItem, now: number, hasEnded = false): readonly ShownLine[] {
  switch (item.type) {
    case 'line':
      return [item];
    case 'screen': {
      const { at } = item;
      const since = localTime(item.from, now);
      const when =
        item.isOver || hasEnded
          ? `from ${since} to ${localTime(at, now)}: its last screen`
          : `since ${since}: its screen`;
      return [
        heading(`full-screen program ${when}`, at),
        ...item.lines.map((text, row) => ({ text, at, isScreen: true, rows: item.rows && [item.rows[row]!] })),
        heading(
          item.isOver || hasEnded ? 'end of the full-screen program' : 'the full-screen program is still running',
          at,
        ),
      ];
    }
    case 'frame':
      return [
        heading(`full-screen program at ${localTime(item.at, now)}`, item.at),
        ...item.lines.map((text) => ({ text, at: item.at, isScreen: true })),
      ];
  }
}

const heading = (text: string, at: number): ShownLine => ({ text: `[${text}]`, at, isHeading: true });
