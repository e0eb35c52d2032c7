/**
 * Detects that a draft was sent: it was in the input box, and disappeared after Enter.
 *
 * Some programs pause after that, with an empty box and no other content, before they show that they work (OpenCode for more than
 * a second). They are not idle then. Enter in an empty box, a new line in the draft and a draft that is cleared by other keys
 * send nothing; and a command of the program itself (`/clear`) causes no work.
 */
const NEVER = Number.NEGATIVE_INFINITY;
/** The time after Enter within which a draft must disappear; later, it disappears for another reason. */
const SENT_WITHIN_MS = 5000;

/** Returns whether typed input ends with the key Enter. In pasted text, a new line is a part of the text. */
export function endsWithEnter(typed: string): boolean {
  const pasteAt = typed.lastIndexOf('\x1b[200~');
  const isInPaste = pasteAt >= 0 && typed.indexOf('\x1b[201~', pasteAt) < 0;
  return !isInPaste && (typed.endsWith('\r') || ENTER_AS_CODE.test(typed));
}

/** The key Enter in kitty's keyboard protocol. */
const ENTER_AS_CODE = /\x1b\[13(?:;1)?u$/;

export class InputDraft {
  #rows: readonly string[] = [];
  #enteredAt = NEVER;

  entered(at: number): void {
    this.#enteredAt = at;
  }

  /** Forgets the draft: the program works, or asks, so that no draft can be sent. */
  forget(): void {
    this.#enteredAt = NEVER;
    this.#rows = [];
  }

  /**
   * Reads the box; `text` is its present content; null if that is unknown. Returns true for the first sample without the draft
   * that was sent.
   */
  look(text: string | null, at: number, typedAt: number): boolean {
    if (text === null) return false;
    const before = this.#rows;
    this.#rows = text.split('\n').filter((row) => row.trim() !== '');
    if (at - this.#enteredAt > SENT_WITHIN_MS) return false;
    if (before.some((row) => this.#rows.some((other) => other.startsWith(row)))) {
      if (typedAt > this.#enteredAt) this.#enteredAt = NEVER; // Enter was a new line, and the draft continues
      return false;
    }
    this.#enteredAt = NEVER;
    return before.length > 0 && !before[0]!.startsWith('/');
  }
}
