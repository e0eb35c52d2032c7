/**
 * Identifies the question of a dialog, so that a new dialog is distinguished from the same one drawn again.
 *
 * Dialogs blink, move, count down, and their selection moves; two dialogs of an agent in a row may differ only in the
 * command they are about. So the line with the question is compared, by its letters alone. Smaller differences count
 * only after input, because then the first dialog may have been answered.
 */
import { withoutFrame } from './screen-lines.ts';
export interface Dialog {
  readonly kind: string | null;
  /** The line with the question; null where none was found. */
  readonly question: string | null;
  /** It is asked on the cursor's line, where the answer is typed: asked once more, it is a new question. */
  readonly isAtCursor: boolean;
  /** The command or file that it is about. */
  readonly subject: string | null;
}

export interface SinceDialog {
  readonly hasTyped: boolean;
  /** After that, outside of the cursor's line. */
  readonly hasChanged: boolean;
}

export const NOTHING_SINCE: SinceDialog = { hasTyped: false, hasChanged: false };

export function isAnother(last: Dialog, next: Dialog, { hasTyped, hasChanged }: SinceDialog): boolean {
  const isAboutOther = last.subject !== null && next.subject !== null && last.subject !== next.subject;
  // A half-drawn screen may lack the question; Claude announces a dialog a second or two before it draws it.
  if (last.question === null || next.question === null) return hasTyped && (isAboutOther || last.kind !== next.kind);
  if (lettersOf(last.question) !== lettersOf(next.question)) return true;
  return hasTyped && (isAboutOther || last.question !== next.question || (next.isAtCursor && hasChanged));
}

const lettersOf = (line: string): string => line.replace(/[^\p{L}]/gu, '');

/** How far above the known part of a dialog (a footer, an option) its question may be. */
const LINES_ABOVE_MAX = 24;

/** The last of these lines, or the nearest above it that asks and is not one of the options. */
export function questionAbove(lines: readonly string[]): string | null {
  const candidates = lines.slice(-LINES_ABOVE_MAX - 1).reverse();
  return candidates.map(withoutFrame).find((line) => ASKS.test(line) && !OPTION.test(line)) ?? null;
}

const ASKS = /\p{L}.*(?:\?$|\? |:$)|^\? \p{L}/u;
const OPTION = /^(?:[❯›▶►▸●◉◯◻◼○→>*] |(?:[❯›▶►▸●◉→>] *)?\d+[.)]? )/;
