/**
 * The last line of each visible session. It does not poll: it waits until the daemon reports output, and then reads the screen, at
 * most twice a second per session and only while the session is visible.
 */
import type { Client } from '@spool/client';
import { isHeadless, SpoolError } from '@spool/protocol';
import { isEnded } from '../output/session-words.ts';
import { lastLineOf } from './last-line.ts';
import type { Row } from './list.ts';
import { pause } from './pause.ts';

const LOOK_EVERY_MS = 500;
/** Sessions that are only scrolled past are not read. */
const SETTLE_MS = 80;
const TAIL_LINES = 5;

export class WatchLines implements Disposable {
  readonly #client: Client;
  readonly #onLine: () => void;
  readonly #lines = new Map<string, string>();
  /** Keyed by id and by whether it has ended, because the screen is read again at the end. */
  readonly #followed = new Map<string, AbortController>();

  constructor(client: Client, onLine: () => void) {
    this.#client = client;
    this.#onLine = onLine;
  }

  get all(): ReadonlyMap<string, string> {
    return this.#lines;
  }

  /** Sets the visible rows. */
  follow(rows: readonly Row[]): void {
    // The output of an agent is its protocol; its last words are in its status.
    for (const row of rows) if (isHeadless(row)) this.#lines.set(row.id, row.status.said ?? '');
    const terminals = rows.filter((row) => !isHeadless(row));
    const wanted = new Map(terminals.map((row) => [`${row.id} ${isEnded(row)}`, row]));
    for (const [key, leaving] of this.#followed) {
      if (wanted.has(key)) continue;
      this.#followed.delete(key);
      leaving.abort();
    }
    for (const [key, row] of wanted) {
      if (this.#followed.has(key)) continue;
      const leaving = new AbortController();
      this.#followed.set(key, leaving);
      void this.#followOne(row, leaving.signal);
    }
  }

  forget(id: string): void {
    this.#lines.delete(id);
  }

  [Symbol.dispose](): void {
    this.follow([]);
  }

  async #followOne(row: Row, signal: AbortSignal): Promise<void> {
    const { id } = row;
    try {
      for (let isLast = isEnded(row), pauseMs = SETTLE_MS; ; pauseMs = LOOK_EVERY_MS) {
        await pause(pauseMs, signal);
        const { line, offset } = await this.#look(id, row.size !== null);
        if (signal.aborted) return;
        if (this.#lines.get(id) !== line) {
          this.#lines.set(id, line);
          this.#onLine();
        }
        if (isLast) return;
        isLast = (await this.#client.waitUntil(id, 'output', { after: offset, signal })).reason === 'exit';
      }
    } catch (error) {
      // It was removed, or is not visible any more, or the connection broke, which the event subscriber reports.
      if (!signal.aborted && !SpoolError.is(error)) throw error;
    }
  }

  async #look(id: string, isTerminal: boolean): Promise<{ readonly line: string; readonly offset: number }> {
    if (isTerminal) {
      const { content, offset } = await this.#client.screen(id);
      return { line: lastLineOf(content), offset };
    }
    const { offset } = await this.#client.get(id);
    return { line: lastLineOf(await this.#client.tail(id, { lines: TAIL_LINES })), offset };
  }
}
