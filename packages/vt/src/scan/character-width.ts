/**
 * How many cells a character takes: 0 if it joins the one before, 2 for East Asian wide characters and emoji, else 1.
 * One answer for the terminal model, for the lines of logs and for lists.
 *
 * By code point, as xterm, VTE, Alacritty and tmux count: a family of emoji that ZWJ joins is as wide as its members
 * together. A program that requests mode 2027 (whole clusters) is told that there is no such mode, and no terminal is
 * switched to it.
 */
import { eastAsianWidth } from 'get-east-asian-width';

export type Cells = 0 | 1 | 2;

export function cellsOf(point: number): Cells {
  if (point < FIRST_SPECIAL) return point < 0x20 || (point >= 0x7f && point < 0xa0) ? 0 : 1;
  const known = point < PLANES_END ? found[point]! : UNKNOWN;
  return known === UNKNOWN ? find(point) : (known as Cells);
}

export function cellsOfText(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOf(character.codePointAt(0)!);
  return cells;
}

/** Whether terminals disagree on the width of this cell's text. */
export function isContested(text: string): boolean {
  return (text.length > 1 || text.charCodeAt(0) >= FIRST_CONTESTED) && IS_CONTESTED.test(text);
}

/** As much of `text` as fits. */
export function cutToCells(text: string, cells: number): string {
  let taken = 0;
  let end = 0;
  for (const character of text) {
    taken += cellsOf(character.codePointAt(0)!);
    if (taken > cells) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** Below this there is only Latin. */
const FIRST_SPECIAL = 0x300;

/** The planes in common use; results for others are not cached. */
const PLANES_END = 0x20000;

const UNKNOWN = 3;
const found = new Uint8Array(PLANES_END).fill(UNKNOWN);

function find(point: number): Cells {
  const cells = widthOf(point);
  if (point < PLANES_END) found[point] = cells;
  return cells;
}

function widthOf(point: number): Cells {
  if (IS_NARROW.test(String.fromCodePoint(point))) return 1;
  return isJoining(point) ? 0 : eastAsianWidth(point);
}

/**
 * Trigrams (☰), monograms and digrams, Tai Xuan Jing symbols, counting rods: wide since Unicode 16, which hardly any
 * terminal or C library supports yet. A program that draws a box around them counts one cell.
 */
const WIDENED = '\\u2630-\\u2637\\u268a-\\u268f\\u{1d300}-\\u{1d356}\\u{1d360}-\\u{1d376}';

/** Format characters with a visible shape: the signs that Arabic, Syriac and Kaithi put before a number or a word. */
const PREPENDED = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';

const IS_NARROW = new RegExp(`^[${WIDENED}${PREPENDED}]$`, 'u');

/** Tone marks of Hangul, numbers in black squares, a sign of Ahom: libraries disagree on their width. */
const UNSETTLED = '\\u302e\\u302f\\u3248-\\u324f\\u{1171e}';

/** Also emoji, and what is joined or turned into emoji. */
const IS_CONTESTED = new RegExp(
  `[\\u200d\\ufe0f\\p{Emoji_Presentation}\\p{Regional_Indicator}${WIDENED}${PREPENDED}${UNSETTLED}]`,
  'u',
);

/** Below this terminals agree on every width. */
const FIRST_CONTESTED = 0x600;

/** Marks, invisible characters, and the vowels and finals of Hangul, which are drawn onto the consonant before them. */
const isJoining = (point: number): boolean =>
  (point >= 0x1160 && point <= 0x11ff) ||
  (point >= 0xd7b0 && point <= 0xd7ff) ||
  (point >= 0x302a && point <= 0x302f) ||
  /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(String.fromCodePoint(point));
