/** Selects the lines to print: those that match a pattern, with lines around them, and the last ones of these. */
import { setFlagsFromString } from 'node:v8';
import type { ScreenLine } from '@spool/screen';
import { UsageError } from '../command-line/usage-error.ts';

export interface ShownLine {
  readonly text: string;
  readonly at: number;
  /** The line continues in the next one. */
  readonly isCut?: boolean;
  /** Whether the line is a heading for the next lines instead of output of the session. */
  readonly isHeading?: boolean;
  /** Whether the line is from the screen of a full-screen program. */
  readonly isScreen?: boolean;
  /** The same line with its colours, row by row, if that was requested. */
  readonly rows?: readonly ScreenLine[] | undefined;
}

export interface LineFilterOptions {
  readonly pattern?: RegExp | undefined;
  /** Lines before and after each match. */
  readonly context?: number | undefined;
}

/** `/re/flags`, or the bare expression. */
export function linePattern(text: string, { isCaseIgnored = false } = {}): RegExp {
  // An expression that backtracks too much is then matched in linear time.
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  const slashed = /^\/(.+)\/([a-z]*)$/s.exec(text);
  const [source, flags] = slashed ? [slashed[1]!, slashed[2]!.replaceAll(/[gy]/g, '')] : [text, ''];
  try {
    return new RegExp(source, isCaseIgnored && !flags.includes('i') ? `${flags}i` : flags);
  } catch (error) {
    throw new UsageError(`--grep ${JSON.stringify(text)} is not a pattern: ${(error as Error).message}`, 'logs');
  }
}

export class LineFilter {
  readonly #pattern: RegExp | undefined;
  readonly #context: number;
  #before: ShownLine[] = [];
  #after = 0;
  #hasPassed = false;
  #hasSkipped = false;

  constructor({ pattern, context = 0 }: LineFilterOptions) {
    this.#pattern = pattern;
    this.#context = context;
  }

  get passesAll(): boolean {
    return this.#pattern === undefined;
  }

  /** Returns the lines to print now. Between two places that are not adjacent, it adds `--`, as `grep` does. */
  pass(line: ShownLine): readonly ShownLine[] {
    if (this.#pattern === undefined) return [line];
    if (line.isHeading === true) return [];
    if (this.#pattern.test(line.text)) {
      const isApart = this.#hasPassed && this.#hasSkipped && this.#context > 0;
      const found = [...(isApart ? [{ text: '--', at: line.at, isHeading: true }] : []), ...this.#before, line];
      this.#before = [];
      this.#after = this.#context;
      this.#hasPassed = true;
      this.#hasSkipped = false;
      return found;
    }
    if (this.#after > 0) {
      this.#after--;
      return [line];
    }
    this.#before.push(line);
    if (this.#before.length > this.#context) {
      this.#before.shift();
      this.#hasSkipped = true;
    }
    return [];
  }

  /** Whether an unfinished line would be printed. */
  wouldPass(text: string): boolean {
    return this.#pattern === undefined || this.#pattern.test(text);
  }
}

/** The last lines that it was given. */
export class LastShown {
  readonly #most: number;
  #lines: ShownLine[] = [];
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(line: ShownLine): void {
    this.count++;
    this.#lines.push(line);
    if (this.#lines.length > 2 * this.#most + 1024) this.#lines = this.lines();
  }

  lines(): ShownLine[] {
    return this.#most === 0 ? [] : this.#lines.slice(-this.#most);
  }
}
