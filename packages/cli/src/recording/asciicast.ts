/**
 * Recordings for asciinema: a header and one event per line, as JSON. Times are relative to the previous event in version 3, and
 * to the beginning in version 2. They never contain input.
 */
import { jsonText } from '../output/json-text.ts';
import type { SessionInfo, Size } from '@spool/protocol';
import type { TimedItem } from '../session-output/timed-output.ts';

export interface AsciicastOptions {
  readonly version: 2 | 3;
  /** The size at the first event. */
  readonly size: Size;
  readonly startedAt: number;
  /** Whether the session has a terminal. Without one, line feeds were not converted to new lines, which players expect. */
  readonly hasTerminal: boolean;
}

export class Asciicast {
  readonly #options: AsciicastOptions;
  readonly #decoder = new TextDecoder();
  /** The rounded time of the previous event, so that rounding errors do not add up. */
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

  /** Returns the line for an item, or ''. */
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
      case 'live':
      case 'removed':
        return '';
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
