/**
 * The live screen of the selected session, in a part of the terminal.
 *
 * It reads without attaching: a user who previews a session is not a viewer of it, changes no size and suppresses no notification.
 * It waits until the daemon reports output and then fetches the screen, at most ten times a second. It sends nothing to the
 * session.
 */
import type { Client } from '@spool/client';
import { ScreenModel } from '@spool/screen';
import { isHeadless, type Size, SpoolError } from '@spool/protocol';
import { isEnded } from '../output/session-words.ts';
import { ScreenWindow } from '../window/screen-window.ts';
import { type Rectangle, WindowPainter } from '../window/window-painter.ts';
import type { Row } from './list.ts';
import { pause } from './pause.ts';

const LOOK_EVERY_MS = 100;
/** The interval between reads of an agent's events, which are read from the beginning each time. */
const LOOK_AT_AGENT_EVERY_MS = 500;
/** Sessions that are only scrolled past are not read. */
const SETTLE_MS = 60;
/** The size of the screen on which the last lines of a session without a terminal are shown. */
const PIPES_SIZE: Size = { cols: 120, rows: 40 };
const PAN_ROWS = 3;
const PAN_COLS = 8;

export class SessionPreview implements Disposable {
  readonly #client: Client;
  readonly #onChange: () => void;
  #row: Row | null = null;
  /** Aborts the following of a session. */
  #leaving = new AbortController();
  #model: ScreenModel | null = null;
  #window: ScreenWindow | null = null;
  #painter: WindowPainter | null = null;
  /** Whether the terminal shows a preview that no longer belongs to a session. */
  #isStale = false;

  constructor(client: Client, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Sets the session to show; null shows none. */
  follow(row: Row | null): void {
    if (row?.id === this.#row?.id && (row === null || isEnded(row) === isEnded(this.#row!))) {
      this.#row = row;
      return;
    }
    const isOther = row?.id !== this.#row?.id;
    this.#row = row;
    this.#leaving.abort();
    if (isOther) this.#forget();
    if (row === null) return;
    this.#leaving = new AbortController();
    void this.#followOne(row, this.#leaving.signal);
  }

  /** Returns the title: `build · 200×50 · 1–80 × 27–49`. */
  titleIn(view: Size): string {
    if (this.#row === null) return '';
    const { name, size } = this.#row;
    if (size === null) return `${name} · without a terminal`;
    if (this.#model === null) return name;
    const { cols, rows } = this.#model.size;
    const isWhole = view.cols >= cols && view.rows >= rows;
    if (isWhole || this.#window === null) return `${name} · ${cols}×${rows}`;
    const { top, left } = this.#window.place;
    return `${name} · ${cols}×${rows} · ${range(left, view.cols, cols)} × ${range(top, view.rows, rows)}`;
  }

  /** The window moves by rows and columns of steps, and then stays until `followCursor`. */
  pan(rows: number, cols: number): void {
    this.#window?.panBy(rows * PAN_ROWS, cols * PAN_COLS);
  }

  followCursor(): void {
    this.#window?.follow();
  }

  /** Places the window. Call it before `titleIn` and `paint`. */
  fit(view: Size): void {
    if (this.#model === null) return;
    this.#window ??= new ScreenWindow(this.#model.size, view);
    this.#window.fit(this.#model.size, view);
    const { cursor, isAlternate } = this.#model;
    // On the alternate screen a hidden cursor only shows where the last cell was drawn.
    if (cursor.isVisible || !isAlternate) this.#window.see(cursor);
  }

  /** Returns the bytes that make the rectangle show the screen. `isFresh`: the rectangle shows nothing yet. */
  paint(target: Rectangle, isFresh: boolean): string {
    const painted = this.#painter?.target;
    const isMoved =
      painted?.top !== target.top || painted.rows !== target.rows || painted.cols !== target.cols || isFresh;
    if (isMoved) this.#painter = new WindowPainter(target);
    if (this.#model !== null && this.#window !== null) {
      this.#isStale = false;
      return this.#painter!.paint(this.#model, this.#window.place);
    }
    if (!isMoved && !this.#isStale) return '';
    this.#isStale = false;
    this.#painter = null;
    return blank(target);
  }

  [Symbol.dispose](): void {
    this.#leaving.abort();
    this.#model?.dispose();
  }

  #forget(): void {
    this.#isStale = this.#model !== null;
    this.#model?.dispose();
    this.#model = null;
    this.#window = null;
  }

  async #followOne(row: Row, signal: AbortSignal): Promise<void> {
    try {
      for (
        let isLast = isEnded(row), pauseMs = SETTLE_MS;
        ;
        pauseMs = isHeadless(row) ? LOOK_AT_AGENT_EVERY_MS : LOOK_EVERY_MS
      ) {
        await pause(pauseMs, signal);
        const { bytes, size, offset } = await this.#look(row);
        if (signal.aborted) return;
        this.#model?.dispose();
        this.#model = new ScreenModel(size, { scrollback: 0 });
        this.#model.write(bytes);
        this.#onChange();
        if (isLast) return;
        isLast = (await this.#client.waitUntil(row.id, 'output', { after: offset, signal })).reason === 'exit';
      }
    } catch (error) {
      // It was removed, or is not selected any more, or the connection broke, which the event subscriber reports.
      if (!signal.aborted && !SpoolError.is(error)) throw error;
    }
  }

  async #look(row: Row): Promise<{ bytes: Uint8Array; size: Size; offset: number }> {
    const { id, name, size } = row;
    if (isHeadless(row)) {
      const { offset } = await this.#client.get(id);
      const { printTranscript } = await import('../agents/transcript-output.ts');
      let text = '';
      await printTranscript(
        this.#client,
        { id, name },
        {
          tail: PIPES_SIZE.rows,
          width: PIPES_SIZE.cols,
          isQuiet: true,
          write: (piece) => Promise.resolve(void (text += piece)),
        },
      );
      return { bytes: Buffer.from(text.trimEnd().replaceAll('\n', '\r\n')), size: PIPES_SIZE, offset };
    }
    if (size === null) {
      const { offset } = await this.#client.get(id);
      const text = await this.#client.tail(id, { lines: PIPES_SIZE.rows });
      return { bytes: Buffer.from(text.trimEnd().replaceAll('\n', '\r\n')), size: PIPES_SIZE, offset };
    }
    const { content, cols, rows, offset } = await this.#client.screen(id, { format: 'snapshot' });
    return { bytes: Buffer.from(content, 'base64'), size: { cols, rows }, offset };
  }
}

function blank({ top, left, rows, cols }: Rectangle): string {
  return Array.from({ length: rows }, (_, row) => `\x1b[${top + row + 1};${left + 1}H\x1b[${cols}X`).join('');
}

const range = (from: number, shown: number, all: number): string => `${from + 1}–${Math.min(from + shown, all)}`;
