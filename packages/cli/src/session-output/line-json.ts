/** Lines as NDJSON [PAST-8]: each line in its last state with its time. An unfinished line is printed when it is finished. */
import type { SessionInfo } from '@spool/protocol';
import { jsonText } from '../output/json-text.ts';
import { namedJson } from '../output/session-json.ts';
import type { ShownLine } from './line-filter.ts';

export class LineJsonWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #session: { readonly id: string; readonly name: string };
  /** The beginning of a line that was too long for one piece. */
  #begun = '';

  constructor(session: Pick<SessionInfo, 'id' | 'name'>, write: (text: string) => Promise<void>) {
    this.#session = namedJson(session);
    this.#write = write;
  }

  async print(lines: readonly ShownLine[]): Promise<void> {
    const text = lines.map((line) => this.#line(line)).join('');
    if (text !== '') await this.#write(text);
  }

  async showOpen(): Promise<void> {}

  async end(): Promise<void> {
    if (this.#begun !== '') await this.print([{ text: '', at: Date.now() }]);
  }

  async gap(from: number, to: number): Promise<void> {
    await this.#write(`${jsonText({ type: 'gap', ...this.#session, from, to })}\n`);
  }

  async removed(): Promise<void> {
    await this.#write(`${jsonText({ type: 'removed', ...this.#session })}\n`);
  }

  #line({ text: piece, at, isCut = false, isHeading = false, isScreen = false }: ShownLine): string {
    if (isHeading) return '';
    const text = this.#begun + piece;
    this.#begun = isCut && text.length < LINE_CHARACTERS_MAX ? text : '';
    if (this.#begun !== '') return '';
    return `${jsonText({ type: isScreen ? 'screen-line' : 'line', ...this.#session, at, text })}\n`;
  }
}

/** The limit of a line; a longer one is printed in parts. */
const LINE_CHARACTERS_MAX = 1024 * 1024;
