/**
 * Identifies the question of a dialog, so that a new dialog is distinguished from the same one drawn again.
 *
 * Dialogs blink, move, count down, and their selection moves; two consecutive dialogs of an agent may differ only in their command.
 * Therefore the line with the question is compared, by its letters alone. Smaller differences count only after input, because then
 * the first dialog may have been answered.
 */
import { withoutFrame } from './screen-lines.ts';
export interface Dialog {
  readonly kind: string | null;
  /** The line with the question; null if none was found. */
  readonly question: string | null;
  /** Whether it is asked on the cursor's line, where the answer is typed; the same question again is then a new one. */
  readonly isAtCursor: boolean;
  /** The command or file of the question. */
  readonly subject: string | null;
}

export interface SinceDialog {
  readonly hasTyped: boolean;
  /** Whether the screen changed after that, outside the cursor's line. */
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

/** The maximum distance of the question above the known part of a dialog (a footer, an option). */
const LINES_ABOVE_MAX = 24;

/** Returns the last of these lines, or the nearest above it that asks and is not one of the options. */
export function questionAbove(lines: readonly string[]): string | null {
  const candidates = lines.slice(-LINES_ABOVE_MAX - 1).reverse();
  return candidates.map(withoutFrame).find((line) => ASKS.test(line) && !OPTION.test(line)) ?? null;
}

const ASKS = /\p{L}.*(?:\?$|\? |:$)|^\? \p{L}/u;
const OPTION = /^(?:[❯›▶►▸●◉◯◻◼○→>*] |(?:[❯›▶►▸●◉→>] *)?\d+[.)]? )/;
