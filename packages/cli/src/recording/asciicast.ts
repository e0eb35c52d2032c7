/**
 * Recordings as asciinema plays them: a header and an event a line, JSON each. Version 3 counts times from the event before,
 * version 2 from the beginning. Input is never in them.
 */
import { jsonText } from '../output/json-text.ts';
import type { SessionInfo, Size } from '@spool/protocol';
import type { TimedItem } from '../session-output/timed-output.ts';

export interface AsciicastOptions {
  readonly version: 2 | 3;
  /** The size at the first event. */
  readonly size: Size;
  readonly startedAt: number;
  /** If not, no terminal has turned line feeds into new lines; players are terminals that expect it. */
  readonly hasTerminal: boolean;
}

export class Asciicast {
  readonly #options: AsciicastOptions;
  readonly #decoder = new TextDecoder();
  /** Of the event before, rounded as it was told: so that the roundings do not add up. */
  #lastMs: number;

  constructor(options: AsciicastOptions) {
    this.#options = options;
    this.#lastMs = options.startedAt;
  }

  header(session: Pick<SessionInfo, 'command' | 'name'>): string {
    const { version, size, startedAt } = this.#options;
    const rest = {
      timestamp: Math.floor(startedAt / 1000),
      command: session.command.join(' '),
      title: session.name,
      env: { TERM: 'xterm-256color' },
    };
    if (version === 2) return line({ version: 2, width: size.cols, height: size.rows, ...rest });
    return line({ version: 3, term: { cols: size.cols, rows: size.rows, type: 'xterm-256color' }, ...rest });
  }

  /** The line of an item, or '' when it has none. */
  event(item: TimedItem): string {
    switch (item.type) {
      case 'output': {
        const text = this.#decoder.decode(item.bytes, { stream: true });
        return text === '' ? '' : this.#line(item.at, 'o', this.#shown(text));
      }
      case 'resize':
        return this.#line(item.at, 'r', `${item.cols}x${item.rows}`);
      case 'exit': {
        const rest = this.#decoder.decode();
        const last = rest === '' ? '' : this.#line(item.at, 'o', rest);
        return this.#options.version === 2 || item.exitCode === null
          ? last
          : last + this.#line(item.at, 'x', String(item.exitCode));
      }
      case 'gap':
        return this.#line(item.at, 'm', `${item.to - item.from} bytes are missing`);
    }
  }

  #shown(text: string): string {
    return this.#options.hasTerminal ? text : text.replaceAll('\n', '\r\n');
  }

  #line(at: number, code: string, data: string): string {
    const { version, startedAt } = this.#options;
    const ms = Math.max(this.#lastMs, Math.round(at));
    const time = (version === 2 ? ms - startedAt : ms - this.#lastMs) / 1000;
    this.#lastMs = ms;
    return line([time, code, data]);
  }
}

const line = (value: unknown): string => `${jsonText(value)}\n`;
