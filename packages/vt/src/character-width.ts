/**
 * How many cells a character takes: 0 for what joins the one before, 2 for East Asian wide characters and emoji, else 1.
 * One answer for the terminal model, for the lines of logs and for lists.
 *
 * By code point, as xterm, VTE, Alacritty and tmux count: a family of emoji that ZWJ joins is as wide as its members together.
 * A program that asks for mode 2027 (whole clusters) is told that there is no such mode, and no terminal is switched to it.
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

/** Before it there is nothing but Latin. */
const FIRST_SPECIAL = 0x300;

/** The planes that texts are made of; what is found in others is not kept. */
const PLANES_END = 0x20000;

const UNKNOWN = 3;
const found = new Uint8Array(PLANES_END).fill(UNKNOWN);

function find(point: number): Cells {
  const cells = isJoining(point) ? 0 : eastAsianWidth(point);
  if (point < PLANES_END) found[point] = cells;
  return cells;
}

/** Marks, invisible characters, and the vowels and finals of Hangul, which are drawn onto the consonant before them. */
const isJoining = (point: number): boolean =>
  (point >= 0x1160 && point <= 0x11ff) ||
  (point >= 0xd7b0 && point <= 0xd7ff) ||
  (point >= 0x302a && point <= 0x302f) ||
  /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(String.fromCodePoint(point));
