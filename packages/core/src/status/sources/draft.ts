/**
 * Notices that a draft was sent: it was in the input box, and is gone after Enter.
 *
 * Some programs rest after that, with an empty box and nothing else on the screen, before they show that they work (OpenCode
 * for more than a second). They are not idle then. Enter in an empty box, a new line in the draft and a draft that is cleared
 * by other keys send nothing; and a command of the program itself (`/clear`) gives it nothing to do.
 */
const NEVER = Number.NEGATIVE_INFINITY;
/** What is gone later than this is gone for another reason. */
const SENT_WITHIN_MS = 5000;

/** Whether what was typed ends with the key Enter. Where text was pasted, a new line is a part of it. */
export function endsWithEnter(typed: string): boolean {
  const pasteAt = typed.lastIndexOf('\x1b[200~');
  const isInPaste = pasteAt >= 0 && typed.indexOf('\x1b[201~', pasteAt) < 0;
  return !isInPaste && (typed.endsWith('\r') || ENTER_AS_CODE.test(typed));
}

/** In kitty's keyboard protocol. */
const ENTER_AS_CODE = /\x1b\[13(?:;1)?u$/;

export class Draft {
  #rows: readonly string[] = [];
  #enteredAt = NEVER;

  entered(at: number): void {
    this.#enteredAt = at;
  }

  /** It works, or asks: there is no draft to be sent. */
  forget(): void {
    this.#enteredAt = NEVER;
    this.#rows = [];
  }

  /** `text`: what is in the box now; null where that is unknown. True at the first look that no longer sees what was sent. */
  look(text: string | null, at: number, typedAt: number): boolean {
    if (text === null) return false;
    const before = this.#rows;
    this.#rows = text.split('\n').filter((row) => row.trim() !== '');
    if (at - this.#enteredAt > SENT_WITHIN_MS) return false;
    if (before.some((row) => this.#rows.some((other) => other.startsWith(row)))) {
      if (typedAt > this.#enteredAt) this.#enteredAt = NEVER; // it was a new line, and the draft goes on
      return false;
    }
    this.#enteredAt = NEVER;
    return before.length > 0 && !before[0]!.startsWith('/');
  }
}
