/**
 * Prints output as plain lines: a progress bar appears in its last state, and erased text does not appear.
 *
 * With --follow, an unfinished line (a prompt) is printed when output pauses. If it is rewritten later, its last state is printed
 * as a new line.
 */
import { LineText } from '@spool/vt';

const QUIET_MS = 200;

export class TextPrinter implements Disposable {
  readonly #text: LineText;
  readonly #write: (text: string) => Promise<void>;
  readonly #isFollowing: boolean;
  /** The printed part of the unfinished line. */
  #shown = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => Promise<void>, { offset = 0, isFollowing = false } = {}) {
    this.#text = new LineText({ offset });
    this.#write = write;
    this.#isFollowing = isFollowing;
  }

  async push(bytes: Uint8Array): Promise<void> {
    clearTimeout(this.#timer);
    const text = this.#text
      .feed(bytes)
      .map((line) => this.#ended(line.text))
      .join('');
    if (text !== '') await this.#write(text);
    if (this.#isFollowing) this.#timer = setTimeout(() => void this.#showOpen(), QUIET_MS);
  }

  /** Prints the unfinished last line. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    const lines = this.#text.flush().map((line) => this.#ended(line.text));
    if (lines.length > 0) await this.#write(lines.join(''));
    else if (this.#shown !== '') await this.#write('\n');
    this.#shown = '';
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #ended(text: string): string {
    const line = text.trimEnd();
    const shown = this.#shown;
    this.#shown = '';
    // Blanks at the end of a prompt are printed; blanks at the end of a finished line are not.
    const isShown = line.startsWith(shown) || line === shown.trimEnd();
    return isShown ? `${line.slice(shown.length)}\n` : `\n${line}\n`;
  }

  async #showOpen(): Promise<void> {
    const { current } = this.#text;
    if (!current.startsWith(this.#shown) || current === this.#shown) return;
    const more = current.slice(this.#shown.length);
    this.#shown = current;
    await this.#write(more);
  }
}
