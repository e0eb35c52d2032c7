/** Keeps the beginning and the end of a growing text, and the number of characters that are missing between them. */

const HEAD_CHARACTERS = 256 * 1024;
const TAIL_CHARACTERS = 64 * 1024;

export class KeptText {
  #head = '';
  #tail = '';
  #omitted = 0;

  constructor(text = '') {
    this.append(text);
  }

  append(text: string): void {
    const room = HEAD_CHARACTERS - this.#head.length;
    if (room > 0 && this.#tail === '') this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === '') return;
    this.#tail += rest;
    // The tail is cut from time to time, not with every piece.
    if (this.#tail.length > 2 * TAIL_CHARACTERS) {
      this.#omitted += this.#tail.length - TAIL_CHARACTERS;
      this.#tail = this.#tail.slice(-TAIL_CHARACTERS);
    }
  }

  get isEmpty(): boolean {
    return this.#head === '';
  }

  toString(): string {
    const cut = Math.max(0, this.#tail.length - TAIL_CHARACTERS);
    const omitted = this.#omitted + cut;
    if (omitted === 0) return this.#head + this.#tail;
    return `${this.#head}\n[… ${omitted} characters …]\n${this.#tail.slice(cut)}`;
  }
}
