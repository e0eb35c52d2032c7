/**
 * Ends the input of a child that has a terminal: types the end-of-file key, as a user would. Keeps IN-44 and IN-46.
 *
 * A terminal cannot be closed for input. The key ends one read, and only of a program that reads by line; a program in raw mode
 * would get it as a character. So the key is typed when the child has read all input, reads by line and rests (a program that
 * starts may still switch to raw mode). It is typed again for the next read: after half a line, the first key only delivers that
 * half. At most one key is unread at any time.
 *
 * The kernel does not announce these changes, so this code polls, at most once a second in the long run, for as long as the end
 * is due.
 */
import { isLineEditor } from './line-editors.ts';
import type { TerminalReader } from './terminal-reader.ts';

export interface InputTerminal {
  readonly isCanonical: boolean;
  /** The end-of-file key; -1 if the terminal has none. */
  readonly endOfFileKey: number;
  /** Whether the child has not read all input or an end, or the terminal has not taken all input. */
  readonly hasUnread: boolean;
  readonly reader: TerminalReader;
  type(key: number): void;
}

const LOOK_MS = 30;
const LOOK_MS_MAX = 1000;
/** The poll interval while the child has input to read: its end may come soon. */
const UNREAD_LOOK_MS_MAX = 250;
/**
 * The time for which a child must rest if it does not wait for a line: it may still be starting, wait for a file or another
 * process, and then switch to raw mode.
 */
const REST_MS = 600;
/** The limit after which a child that never rests gets the key anyway. Time in which it waited for a processor does not count. */
const REST_MS_MAX = 5000;
/**
 * The maximum of keys for a line editor. A shell with stopped jobs needs the key twice. Text in its input line keeps it from
 * ending at all.
 */
const EDITOR_KEYS_MAX = 3;

export class EndOfInput {
  readonly #terminal: InputTerminal;
  #timer: NodeJS.Timeout | null = null;
  #delayMs = LOOK_MS;
  #restMark: string | null = null;
  #dueMs = 0;
  #starvedMs = 0;
  #restMs = 0;
  #editorKeys = 0;

  constructor(terminal: InputTerminal) {
    this.#terminal = terminal;
  }

  start(): void {
    if (this.#timer === null) this.#lookIn(LOOK_MS);
  }

  cancel(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #lookIn(delayMs: number): void {
    this.#timer = setTimeout(() => this.#look(delayMs), delayMs);
  }

  #look(sinceMs: number): void {
    const terminal = this.#terminal;
    const { restMark, name, words, isReading, starvedMs } = terminal.reader;
    const ranMs = Math.max(0, sinceMs - Math.max(0, starvedMs - this.#starvedMs));
    this.#starvedMs = starvedMs;
    this.#restMs = restMark !== null && restMark === this.#restMark ? this.#restMs + sinceMs : 0;
    this.#restMark = restMark;
    const isResting = this.#restMs >= (isReading ? LOOK_MS : REST_MS);
    const { isCanonical, endOfFileKey } = terminal;
    const isEditor = !isCanonical && this.#editorKeys < EDITOR_KEYS_MAX && isLineEditor(name, words);
    const { hasUnread } = terminal;
    if (hasUnread || endOfFileKey === -1 || !(isCanonical || isEditor)) {
      this.#dueMs = 0;
      return this.#lookLater(hasUnread ? UNREAD_LOOK_MS_MAX : LOOK_MS_MAX);
    }
    this.#dueMs += ranMs;
    if (!isResting && this.#dueMs < REST_MS_MAX) return this.#lookIn(LOOK_MS);
    if (isEditor) this.#editorKeys++;
    this.#dueMs = 0;
    this.#restMs = 0;
    terminal.type(endOfFileKey);
    this.#lookLater(LOOK_MS_MAX);
  }

  #lookLater(atMostMs: number): void {
    this.#delayMs = Math.min(this.#delayMs, atMostMs);
    this.#lookIn(this.#delayMs);
    this.#delayMs = Math.min(2 * this.#delayMs, atMostMs);
  }
}
