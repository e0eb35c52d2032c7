/**
 * Detects whether the last typed bytes are inside a bracketed paste. The answer to a terminal query would become part of the
 * pasted text, so it waits for the end of the paste, but not for a paste that never ends.
 */
const BEGIN = '\x1b[200~';
const END = '\x1b[201~';

/** The maximum time of a paste. A terminal sends it without pauses; a paste that is still open after this time was cut off. */
const PASTE_MS_MAX = 1000;

export class PasteWatch {
  /** The last bytes, if they may be the start of a mark. */
  #tail = '';
  #openedAt: number | null = null;

  /** Notes bytes on their way to the terminal. */
  note(bytes: Uint8Array, now: number): void {
    if (this.#openedAt === null && this.#tail === '' && !bytes.includes(0x1b)) return;
    const text = this.#tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const begin = text.lastIndexOf(BEGIN);
    const end = text.lastIndexOf(END);
    if (end > begin) this.#openedAt = null;
    else if (begin > end) this.#openedAt = now;
    this.#tail = beginningOfMark(text);
  }

  /** Returns how long an answer should wait; 0 when no paste is open. */
  openMs(now: number): number {
    return this.#openedAt === null ? 0 : Math.max(0, this.#openedAt + PASTE_MS_MAX - now);
  }
}

/** Returns the longest suffix of `text` that is a prefix of a mark. */
function beginningOfMark(text: string): string {
  for (let length = Math.min(BEGIN.length - 1, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (BEGIN.startsWith(end) || END.startsWith(end)) return end;
  }
  return '';
}
