/**
 * Prints lines as they arrive. An unfinished line (a prompt) can be shown too; if it changes later, its last state is printed as a
 * new line. Keeps PAST-41.
 */
import { formatTime } from '../output/local-time.ts';
import type { ShownLine } from './line-filter.ts';

export interface LinePrinterOptions {
  readonly hasTimes?: boolean | undefined;
  /** Returns the text to print for a line, for instance with its colours (default: its plain text). */
  readonly textOf?: ((line: ShownLine) => string) | undefined;
}

export class LinePrinter {
  readonly #write: (text: string) => Promise<void>;
  readonly #hasTimes: boolean;
  readonly #textOf: (line: ShownLine) => string;
  /** The printed part of the unfinished line. */
  #open = '';
  #isCut = false;

  constructor(
    write: (text: string) => Promise<void>,
    { hasTimes = false, textOf = ({ text }) => text }: LinePrinterOptions = {},
  ) {
    this.#write = write;
    this.#hasTimes = hasTimes;
    this.#textOf = textOf;
  }

  async print(lines: readonly ShownLine[]): Promise<void> {
    let text = '';
    for (const line of lines) text += this.#text(line);
    if (lines.length > 0) await this.#write(text);
  }

  /** Shows the present state of the unfinished line, if the line has only grown. */
  async showOpen(text: string, at: number): Promise<void> {
    if (this.#isCut || text === this.#open || !text.startsWith(this.#open)) return;
    const more = this.#open === '' ? this.#time(at) + text : text.slice(this.#open.length);
    this.#open = text;
    await this.#write(more);
  }

  /** Ends the unfinished line. */
  async end(): Promise<void> {
    if (this.#open !== '' || this.#isCut) await this.#write('\n');
    this.#open = '';
    this.#isCut = false;
  }

  #text(line: ShownLine): string {
    const { text, at, isCut = false, isHeading = false } = line;
    const open = this.#open;
    this.#open = '';
    const time = isHeading || this.#isCut ? '' : this.#time(at);
    const end = isCut ? '' : '\n';
    this.#isCut = isCut;
    if (open === '') return `${time}${this.#textOf(line)}${end}`;
    // Blanks at the end of a prompt are printed; blanks at the end of a finished line are not.
    const isShown = text.startsWith(open) || text === open.trimEnd();
    return isShown ? `${text.slice(open.length)}${end}` : `\n${time}${text}${end}`;
  }

  #time(at: number): string {
    return this.#hasTimes ? `${formatTime(at)}  ` : '';
  }
}
