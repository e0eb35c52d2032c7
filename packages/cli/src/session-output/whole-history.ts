/**
 * Reads all lines of a session above its screen, however many, from the log and passes them on at once, so that memory is bounded.
 * Keeps PAST-7.
 *
 * The lines are those of `logs`. Together with the screen at the offset where reading stopped they are complete, each line once;
 * reading can continue from there.
 */
import type { Client } from '@spool/client';
import { type ScreenModel, type SeenItem, SeenReader } from '@spool/screen';
import type { SessionInfo } from '@spool/protocol';
import { seenStart } from './seen-output.ts';
import { type TimedItem, timedOutput } from './timed-output.ts';

export interface HistoryListener {
  /** Resolves when there is room for more. */
  take(items: readonly SeenItem[]): Promise<void>;
  onGap(from: number, to: number): void;
}

export interface HistoryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Lines without colours are read faster. */
  readonly isPlain?: boolean | undefined;
}

export class WholeHistory implements Disposable {
  readonly #reader: SeenReader;
  readonly #items: AsyncGenerator<TimedItem>;
  readonly #listener: HistoryListener;
  readonly #signal: AbortSignal | undefined;
  /** The lines that wait to be taken. */
  readonly #lines: SeenItem[];
  /** The item after the offset where reading stopped. */
  #rest: TimedItem | null = null;
  #offset: number;

  private constructor(
    parts: { readonly reader: SeenReader; readonly items: AsyncGenerator<TimedItem>; readonly lines: SeenItem[] },
    offset: number,
    listener: HistoryListener,
    options: HistoryOptions,
  ) {
    this.#reader = parts.reader;
    this.#items = parts.items;
    this.#lines = parts.lines;
    this.#offset = offset;
    this.#listener = listener;
    this.#signal = options.signal;
  }

  static async open(
    client: Client,
    session: SessionInfo,
    listener: HistoryListener,
    options: HistoryOptions = {},
  ): Promise<WholeHistory> {
    const start = await seenStart(client, session, 0);
    const lines: SeenItem[] = [];
    const reader = new SeenReader(start.size, (item) => lines.push(item), { isStyled: options.isPlain !== true });
    if (start.snapshot !== undefined) reader.begin(start.snapshot, start.at);
    const items = timedOutput(client, session, { offset: start.offset, at: start.at }, { isFollowing: true });
    return new WholeHistory({ reader, items, lines }, start.offset, listener, options);
  }

  /** The offset up to which everything has been read. */
  get offset(): number {
    return this.#offset;
  }

  /** The terminal at that offset. */
  get model(): ScreenModel {
    return this.#reader.model;
  }

  /** Reads up to the present end of the log, or up to an offset. `isCovered`: includes lines that a full-screen program hides. */
  async readTo(to: number | 'now', { isCovered = false } = {}): Promise<void> {
    const end = to === 'now' ? Infinity : to;
    while (this.#offset < end) {
      if (this.#signal?.aborted) return;
      const item = await this.#next();
      if (item === null || (item.type === 'live' && to === 'now')) break;
      this.#read(item, end);
      await this.#drain();
    }
    this.#reader.giveAbove({ isCovered: isCovered && this.model.isAlternate });
    await this.#drain();
  }

  [Symbol.dispose](): void {
    void this.#items.return(undefined);
    this.#reader[Symbol.dispose]();
  }

  async #next(): Promise<TimedItem | null> {
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null) return rest;
    const { done, value } = await this.#items.next();
    return done === true || value.type === 'exit' || value.type === 'removed' ? null : value;
  }

  #read(item: TimedItem, to: number): void {
    if (item.type === 'output') {
      const end = Math.min(item.offset + item.bytes.length, to);
      this.#reader.write(item.bytes.subarray(0, end - item.offset), item.at);
      this.#offset = end;
      if (end < item.offset + item.bytes.length)
        this.#rest = { ...item, offset: end, bytes: item.bytes.subarray(end - item.offset) };
    } else if (item.type === 'resize') {
      this.#reader.resize(item.cols, item.rows, item.at);
    } else if (item.type === 'gap') {
      this.#listener.onGap(item.from, item.to);
      this.#offset = item.to;
    }
  }

  async #drain(): Promise<void> {
    if (this.#lines.length > 0) await this.#listener.take(this.#lines.splice(0));
  }
}
