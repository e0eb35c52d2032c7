/**
 * Prints the terminal output of a session as plain lines, for a pipe or a file, without carriage returns and colours [ATT-9]. A
 * prompt is printed when output pauses.
 */
import { LineText, type TextLine } from '@spool/vt';
import { writeText } from '../output/stdio.ts';
import { LinePrinter } from './line-printer.ts';

const NEWLINE = 0x0a;
/** The time without new output after which an unfinished line is shown. */
const OPEN_MS = 200;

export class SessionLines implements Disposable {
  readonly #text = new LineText();
  readonly #printer = new LinePrinter((text) => writeText(text));
  #timer: NodeJS.Timeout | undefined;
  /** The first bytes are the rest of a line, and perhaps of an escape sequence. */
  #isInMidLine: boolean | null = null;

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    this.#isInMidLine ??= offset > 0;
    let from = 0;
    if (this.#isInMidLine) {
      from = bytes.indexOf(NEWLINE) + 1;
      if (from === 0) return;
      this.#isInMidLine = false;
    }
    clearTimeout(this.#timer);
    await this.#print(this.#text.feed(bytes.subarray(from)));
    this.#timer = setTimeout(() => void this.#printer.showOpen(this.#text.current, 0), OPEN_MS);
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#print(this.#text.flush());
    await this.#printer.end();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  async #print(lines: readonly TextLine[]): Promise<void> {
    await this.#printer.print(lines.map(({ text }) => ({ text, at: 0 })));
  }
}
