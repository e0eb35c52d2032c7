/**
 * What a person saw, as lines of text: a progress bar is its last state, and what was erased is not there.
 *
 * While following, a line without an end (a prompt) is shown as far as it has come once nothing was added for a moment. If it
 * is then rewritten, its last state gets a line of its own.
 */
import { LineText } from '@spool/vt';

const QUIET_MS = 200;

export class TextPrinter implements Disposable {
  readonly #text: LineText;
  readonly #write: (text: string) => Promise<void>;
  readonly #isFollowing: boolean;
  /** What has been shown of the line that has no end yet. */
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

  /** The last line, which has no end. */
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
    // The blanks at the end of a prompt have been shown; those at the end of a line are not.
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
