/**
 * Makes text from a program safe for a title, a list or a notification: one line, no controls, no marks that reorder the text
 * beside it, and a limited length.
 */
import { decodeUtf8 } from '../scan/utf8.ts';

/** Cuts the text after `charactersMax` characters, never inside one. */
export function cleanText(text: string, charactersMax: number): string {
  const kept: string[] = [];
  for (const character of text) {
    if (isUnfit(character.codePointAt(0)!)) continue;
    if (kept.length === charactersMax) break;
    kept.push(character);
  }
  return kept.join('');
}

export function cleanBytes(bytes: Uint8Array, from: number, to: number, charactersMax: number): string {
  // A character has at most four bytes; twice that leaves room for controls, which are dropped.
  return cleanText(decodeUtf8(bytes, from, Math.min(to, from + 8 * charactersMax)), charactersMax);
}

/**
 * Returns whether a character is removed: C0, DEL, C1, line and paragraph separators, and the marks that change the direction of
 * text.
 */
export function isUnfit(point: number): boolean {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return true;
  if (point < 0x061c) return false;
  return (
    point === 0x061c ||
    (point >= 0x200e && point <= 0x200f) ||
    (point >= 0x2028 && point <= 0x202e) ||
    (point >= 0x2066 && point <= 0x2069)
  );
}
