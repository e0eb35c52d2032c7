/**
 * Prints what a session sends to its terminal as plain lines, for a pipe or a file: no carriage returns, no colours [ATT-9]. A
 * prompt is printed when output pauses.
 */
import { writeText } from '../output/stdio.ts';
import { TextPrinter } from './text-printer.ts';

const NEWLINE = 0x0a;

export class SessionLines implements Disposable {
  readonly #printer = new TextPrinter((text) => writeText(text), { isFollowing: true });
  /** The first bytes are the rest of a line, and perhaps of a sequence. */
  #isInMidLine: boolean | null = null;

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    this.#isInMidLine ??= offset > 0;
    let from = 0;
    if (this.#isInMidLine) {
      from = bytes.indexOf(NEWLINE) + 1;
      if (from === 0) return;
      this.#isInMidLine = false;
    }
    await this.#printer.push(bytes.subarray(from));
  }

  async end(): Promise<void> {
    await this.#printer.end();
  }

  [Symbol.dispose](): void {
    this.#printer[Symbol.dispose]();
  }
}
