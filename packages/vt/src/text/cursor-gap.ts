/**
 * Replaces cursor moves by white space in text: full-screen programs separate words by moving the cursor, so without the moves the
 * words would be joined. A move within the line becomes a space (forward by n: n spaces), a move to another line becomes a newline.
 * Keeps OUT-8.
 */
import { paramOf, type Sequence } from '../scan/sequence.ts';

/** The widest gap: more spaces would add no information. */
const SPACES_MAX = 100;

const [A, B, C, E, F, G] = [...'ABCEFG'].map(codeOf) as [number, number, number, number, number, number];
const [H, a, d, e, f, GRAVE] = [...'Hadef`'].map(codeOf) as [number, number, number, number, number, number];

export class CursorGap {
  #spaces = 0;
  #isNewLine = false;
  /** The row of the last absolute move; 0: unknown. */
  #row = 0;

  sequence(sequence: Sequence): void {
    if (sequence.kind !== 'csi' || sequence.prefix !== 0 || sequence.intermediate !== 0) return;
    switch (sequence.final) {
      case C:
      case a:
        this.#spaces += Math.max(1, paramOf(sequence, 0, 1));
        return;
      case G:
      case GRAVE:
        this.#spaces = Math.max(1, this.#spaces);
        return;
      case H:
      case f:
      case d: {
        const row = Math.max(1, paramOf(sequence, 0, 1));
        if (row !== this.#row) this.#isNewLine = true;
        else this.#spaces = Math.max(1, this.#spaces);
        this.#row = row;
        return;
      }
      case A:
      case B:
      case E:
      case F:
      case e:
        this.#isNewLine = true;
        this.#row = 0;
    }
  }

  /** Returns the text for the moves since the last call; `feed` may have moved the cursor to another line. */
  take(): string {
    const gap = this.#isNewLine ? '\n' : ' '.repeat(Math.min(SPACES_MAX, this.#spaces));
    this.#spaces = 0;
    this.#isNewLine = false;
    return gap;
  }
}

/** Returns the gap as it joins the text before and after it: without a blank line, and without blanks at the end of a line. */
export function joinedGap(before: string, gap: string, after: string): string {
  if (gap === '' || before === '' || /^[\r\n]/.test(after)) return '';
  if (gap === '\n') return before.endsWith('\n') ? '' : gap;
  return /\s$/.test(before) && gap === ' ' ? '' : gap;
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
