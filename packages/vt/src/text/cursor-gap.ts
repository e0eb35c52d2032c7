/**
 * What stands in text for a cursor move: full-screen programs put words beside each other by moving the cursor, so
 * without the moves the words would be one. A move within the line is a space (forward by n: n of them), one to another
 * line is a newline. Keeps OUT-8.
 */
import { paramOf, type Sequence } from '../scan/sequence.ts';

/** A wider gap says no more. */
const SPACES_MAX = 100;

const [A, B, C, E, F, G] = [...'ABCEFG'].map(codeOf) as [number, number, number, number, number, number];
const [H, a, d, e, f, GRAVE] = [...'Hadef`'].map(codeOf) as [number, number, number, number, number, number];

export class CursorGap {
  #spaces = 0;
  #isNewLine = false;
  /** The row of the last absolute move; 0: not known. */
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

  /** The text that stands for the moves since the last call; `feed` may have moved the cursor to another line. */
  take(): string {
    const gap = this.#isNewLine ? '\n' : ' '.repeat(Math.min(SPACES_MAX, this.#spaces));
    this.#spaces = 0;
    this.#isNewLine = false;
    return gap;
  }
}

/** The gap as it joins the text before and after it: no blank line, no blanks at the end of a line. */
export function joinedGap(before: string, gap: string, after: string): string {
  if (gap === '' || before === '' || /^[\r\n]/.test(after)) return '';
  if (gap === '\n') return before.endsWith('\n') ? '' : gap;
  return /\s$/.test(before) && gap === ' ' ? '' : gap;
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
