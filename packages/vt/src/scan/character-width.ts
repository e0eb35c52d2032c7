/**
 * Returns the number of cells that a character takes: 0 if it joins the one before, 2 for East Asian wide characters and emoji,
 * else 1. The terminal model, the lines of logs and the lists all use this function, so they agree.
 *
 * Widths are counted by code point, as in xterm, VTE, Alacritty and tmux: a family of emoji that ZWJ joins is as wide as its
 * members together. A program that requests mode 2027 (whole clusters) gets the answer that the mode is unknown, and no terminal
 * is switched to it.
 */
import { eastAsianWidth } from 'get-east-asian-width';

export type Cells = 0 | 1 | 2;

export function cellsOf(point: number): Cells {
  if (point < FIRST_SPECIAL) return point < 0x20 || (point >= 0x7f && point < 0xa0) ? 0 : 1;
  const known = found[point] ?? UNKNOWN;
  return known === UNKNOWN ? find(point) : (known as Cells);
}

export function cellsOfText(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOf(character.codePointAt(0)!);
  return cells;
}

/** Returns whether terminals disagree on the width of this cell's text. */
export function isContested(text: string): boolean {
  if (text.length <= 1 && !(text.charCodeAt(0) >= FIRST_CONTESTED)) return false;
  contested ??= new RegExp(CONTESTED, 'u');
  return contested.test(text);
}

/** Returns the longest prefix of `text` that fits into the cells. */
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

/** The first code point that needs a lookup: all characters below it are Latin and one cell wide. */
const FIRST_SPECIAL = 0x300;

/** The planes in common use; results for others are not cached. */
const PLANES_END = 0x20000;

const UNKNOWN = 3;
/** Empty until the first character that is not Latin: most commands that print a list never need the table. */
let found = new Uint8Array(0);

function find(point: number): Cells {
  if (found.length === 0) found = new Uint8Array(PLANES_END).fill(UNKNOWN);
  const cells = widthOf(point);
  if (point < PLANES_END) found[point] = cells;
  return cells;
}

function widthOf(point: number): Cells {
  narrow ??= new RegExp(`^[${WIDENED}${PREPENDED}]$`, 'u');
  if (narrow.test(String.fromCodePoint(point))) return 1;
  return isJoining(point) ? 0 : eastAsianWidth(point);
}

/**
 * Trigrams (☰), monograms and digrams, Tai Xuan Jing symbols, counting rods: wide since Unicode 16, which few terminals and C
 * libraries support yet. A program that draws a box around them counts one cell for each.
 */
const WIDENED = '\\u2630-\\u2637\\u268a-\\u268f\\u{1d300}-\\u{1d356}\\u{1d360}-\\u{1d376}';

/** Format characters with a visible shape: the signs that Arabic, Syriac and Kaithi put before a number or a word. */
const PREPENDED = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';

let narrow: RegExp | undefined;

/** Tone marks of Hangul, numbers in black squares, a sign of Ahom: libraries disagree on their width. */
const UNSETTLED = '\\u302e\\u302f\\u3248-\\u324f\\u{1171e}';

/** Includes emoji, and the characters that join emoji or turn a character into one. */
const CONTESTED = `[\\u200d\\ufe0f\\p{Emoji_Presentation}\\p{Regional_Indicator}${WIDENED}${PREPENDED}${UNSETTLED}]`;
let contested: RegExp | undefined;

/** The first code point with a contested width: terminals agree on all widths below it. */
const FIRST_CONTESTED = 0x600;

/**
 * Returns whether a character is drawn onto the one before it: marks, invisible characters, and the vowels and finals of Hangul.
 */
const isJoining = (point: number): boolean =>
  (point >= 0x1160 && point <= 0x11ff) ||
  (point >= 0xd7b0 && point <= 0xd7ff) ||
  (point >= 0x302a && point <= 0x302f) ||
  /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(String.fromCodePoint(point));
