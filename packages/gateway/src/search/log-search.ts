/**
 * Finds text in a session's whole log, the latest first: the log is read backwards in windows, and each window as the lines that
 * a user saw. A search stops after a moment and returns where to continue, so that it does not block other work. Keeps PAGE-10.
 */
import type { SearchPage } from '@spool/protocol';
import { LineText, type TextLine } from '@spool/vt';

export interface LogSearch {
  readonly text: string;
  /** The offset at which the backward search begins. */
  readonly before: number;
  readonly firstOffset: number;
  readonly limit: number;
  /** Reads the bytes from one offset up to another, in pieces with their offsets. */
  read(from: number, to: number): AsyncIterable<{ readonly offset: number; readonly bytes: Uint8Array }>;
  /** Returns true when it is time to answer. */
  isLate(): boolean;
}

export const WINDOW_BYTES = 4 * 1024 * 1024;
/** The maximum length of the beginning of a line before a window; a line that begins within it is read from its beginning. */
const LOOK_BACK_BYTES = 4096;
const TEXT_CHARACTERS_MAX = 400;

export async function searchLog(search: LogSearch): Promise<SearchPage> {
  const isMatch = matcher(search.text);
  const matches: SearchPage['matches'][number][] = [];
  let to = search.before;
  let lastText = '';
  while (to > search.firstOffset) {
    const from = Math.max(search.firstOffset, to - WINDOW_BYTES);
    for (const { text, shownAt } of (await matchesIn(search, isMatch, from, to)).reverse()) {
      const last = matches.at(-1);
      if (last !== undefined && lastText === text) matches[matches.length - 1] = { ...last, firstOffset: shownAt };
      else if (matches.length === search.limit) return { matches, next: shownAt + 1 };
      else matches.push({ offset: shownAt, text: excerpt(text, search.text), firstOffset: shownAt });
      lastText = text;
    }
    to = from;
    if (search.isLate()) break;
  }
  return { matches, next: to > search.firstOffset ? to : null };
}

/** Returns the matches among the lines that end within a window. */
async function matchesIn(
  { text: sought, read, firstOffset, before }: LogSearch,
  isMatch: (text: string) => boolean,
  from: number,
  to: number,
): Promise<SearchedLine[]> {
  const start = Math.max(firstOffset, from - LOOK_BACK_BYTES);
  const anyMatch = anyMatcher(sought);
  const found: SearchedLine[] = [];
  const take = (lines: readonly TextLine[], shownBefore: number): void => {
    for (const { text, end } of lines)
      if (end > from && end <= to && isMatch(text)) found.push({ text, shownAt: end - shownBefore });
  };
  const isWanted = (lines: string): boolean => anyMatch.test(lines);
  let reader = new LineText({ offset: start, isWanted });
  let at = start;
  for await (const { offset, bytes } of read(start, to)) {
    if (offset !== at) {
      take(reader.flush(), 1);
      reader = new LineText({ offset, isWanted });
    }
    // The last byte of its end is left out: it may be the one that erased the line.
    take(reader.feed(bytes), 1);
    at = offset + bytes.length;
  }
  // The very last line has not ended; in any other window, the last line ends in the window after it.
  if (to === before) take(reader.flush(), 0);
  return found;
}

interface SearchedLine {
  readonly text: string;
  readonly shownAt: number;
}

/** Returns a matcher, which is case-sensitive if the searched text has a capital. */
function matcher(sought: string): (text: string) => boolean {
  if (sought !== sought.toLowerCase()) return (text) => text.includes(sought);
  return (text) => text.toLowerCase().includes(sought);
}

/** Returns a matcher for many lines of ASCII: four times as fast as converting all of it to lower case. */
function anyMatcher(sought: string): RegExp {
  return new RegExp(sought.replaceAll(/[^\w ]/g, '\\$&'), sought === sought.toLowerCase() ? 'i' : '');
}

function excerpt(text: string, sought: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX) return text;
  const at = text.toLowerCase().indexOf(sought.toLowerCase());
  const from = Math.max(0, at - TEXT_CHARACTERS_MAX / 4);
  return text.slice(from, from + TEXT_CHARACTERS_MAX);
}
