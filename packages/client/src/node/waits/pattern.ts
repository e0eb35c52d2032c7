/**
 * A user's regular expression, applied to lines without ever hanging.
 *
 * It has two guards. V8 falls back to its linear engine when a pattern backtracks too much (`(a+)+$` on 40 letters: 2 ms instead of
 * hours). Patterns that this engine does not support (look-around, back-references, the `u` flag) are stopped by a deadline: V8 can
 * interrupt a match that runs inside `vm` with a timeout.
 */
import { setFlagsFromString } from 'node:v8';
import { createContext, Script } from 'node:vm';
import { SpoolError } from '@spool/protocol';

/** The time limit for one batch of lines, which takes far under a millisecond with any sane pattern. */
const DEADLINE_MS = 1000;

export interface PatternMatch {
  /** The index of the line. */
  readonly line: number;
  /** The whole match, then its groups. */
  readonly groups: readonly (string | null)[];
}

export class Pattern {
  readonly #deadlineMs: number;
  readonly #context: { lines: readonly string[]; pattern: RegExp };
  readonly #script = new Script(
    'lines.reduce((found, text, line) => { if (found) return found; const m = pattern.exec(text); return m && { line, groups: [...m] } }, null)',
  );

  /** Takes `/re/flags`, or the bare expression. */
  constructor(text: string, { deadlineMs = DEADLINE_MS } = {}) {
    this.#deadlineMs = deadlineMs;
    setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
    const slashed = /^\/(.*)\/([a-z]*)$/s.exec(text);
    const [source, flags] = slashed ? [slashed[1]!, slashed[2]!.replace(/[gy]/g, '')] : [text, ''];
    if (source === '') throw new SpoolError('PATTERN_INVALID', { reason: 'it is empty' });
    let pattern: RegExp;
    try {
      pattern = new RegExp(source, flags);
    } catch (error) {
      throw new SpoolError('PATTERN_INVALID', { reason: (error as Error).message });
    }
    this.#context = createContext({ lines: [], pattern }) as { lines: readonly string[]; pattern: RegExp };
  }

  get source(): string {
    return this.#context.pattern.source;
  }

  /** Returns the first line that matches, or null; throws PATTERN_TOO_SLOW past the deadline. */
  find(lines: readonly string[]): PatternMatch | null {
    this.#context.lines = lines;
    try {
      const found = this.#script.runInContext(this.#context as object as import('node:vm').Context, {
        timeout: this.#deadlineMs,
      });
      return found as PatternMatch | null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        throw new SpoolError('PATTERN_TOO_SLOW', { deadlineMs: this.#deadlineMs });
      throw error;
    }
  }
}
