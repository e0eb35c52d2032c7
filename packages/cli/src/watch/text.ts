/** Untrusted text for one line of `spool watch`. */
import { say, type VisibleText } from '@spool/protocol/visible-text';
import { joinVisible, repeated } from '@spool/render/lines';
import { cutToWidth, displayWidth, printable } from '../output/printable.ts';

/** Caps untrusted text, because zero-width characters do not count towards its width. The headline of a request is shorter. */
const CHARACTERS_MAX = 2000;

/** Returns a text in one line; a long text ends with the number of omitted characters. */
export function clean(text: string): VisibleText {
  const rest = text.length - CHARACTERS_MAX;
  return rest <= 0 ? printable(text) : say`${printable(text.slice(0, CHARACTERS_MAX))}… (+${rest} characters)`;
}

/** Pads or truncates to an exact width. */
export function fit(text: VisibleText, width: number): VisibleText {
  const cut = cutToWidth(text, width);
  return joinVisible([cut, repeated(' ', Math.max(0, width - displayWidth(cut)))]);
}
