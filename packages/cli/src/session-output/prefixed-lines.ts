/** The lines of several sessions in one output: each line begins with the name of its session. Keeps PAST-42. */
import { printable } from '../output/printable.ts';

/** The limit of an unfinished line; a longer one is written in parts. */
const LINE_CHARACTERS_MAX = 1024 * 1024;

export class PrefixedLines {
  readonly #prefix: string;
  readonly #write: (text: string) => Promise<void>;
  #rest = '';

  constructor(name: string, width: number, write: (text: string) => Promise<void>) {
    this.#prefix = `${printable(name).padEnd(width)} | `;
    this.#write = write;
  }

  /** Takes text, and writes the complete lines. */
  readonly write = async (text: string): Promise<void> => {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    if (this.#rest.length > LINE_CHARACTERS_MAX) lines.push(...this.#take());
    if (lines.length > 0) await this.#write(lines.map((line) => `${this.#prefix}${line}\n`).join(''));
  };

  /** Writes the unfinished line. */
  async end(): Promise<void> {
    for (const line of this.#take()) if (line !== '') await this.#write(`${this.#prefix}${line}\n`);
  }

  #take(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return [rest];
  }
}
