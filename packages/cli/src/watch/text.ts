/** Untrusted text for one line of `spool watch`. */
import { cutToWidth, displayWidth, endOfWidth, printable } from '../output/printable.ts';

/** Caps untrusted text, because zero-width characters do not count towards its width. The headline of a request is shorter. */
const CHARACTERS_MAX = 2000;

/** Returns a text in one line; a long one ends with the number of characters that are left out. */
export function clean(text: string): string {
  const rest = text.length - CHARACTERS_MAX;
  return rest <= 0 ? printable(text) : `${printable(text.slice(0, CHARACTERS_MAX))}… (+${rest} characters)`;
}

/** Pads or truncates to an exact width. */
export function fit(text: string, width: number): string {
  const cut = cutToWidth(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

/** The end of the text that the user is typing. */
export function endToWidth(text: string, width: number): string {
  return endOfWidth(printable(text.slice(-CHARACTERS_MAX)), width);
}
