/**
 * `attach --history all`: prints the lines above the session's screen into this terminal's scrollback, before its screen. Keeps
 * PAST-7.
 *
 * The lines are read from the log while the session continues to print, so the reader is usually further than the daemon's
 * snapshot: then the screen is painted from the reader's own model, and output that it already shows is skipped. If the daemon
 * sends a later snapshot, the lines up to there are read first. So each line is printed exactly once.
 */
import type { Client } from '@spool/client';
import { snapshot } from '@spool/screen';
import type { SessionInfo } from '@spool/protocol';
import { historyText } from '../session-output/history-text.ts';
import { WholeHistory } from '../session-output/whole-history.ts';
import type { AttachCanvas } from './attach-canvas.ts';

export interface AttachHistoryOptions {
  readonly client: Client;
  readonly session: SessionInfo;
  readonly canvas: AttachCanvas;
  /** Whether this viewer may type. */
  readonly input: boolean;
  /** Aborted when the user leaves. */
  readonly signal: AbortSignal;
  onGap(from: number, to: number): void;
}

export class AttachHistory implements Disposable {
  readonly #options: AttachHistoryOptions;
  #history: WholeHistory | null = null;
  #isOver = false;

  constructor(options: AttachHistoryOptions) {
    this.#options = options;
  }

  /** Whether the history is over, so that the canvas shows all output as it arrives. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async paintSnapshot(bytes: Uint8Array, offset: number): Promise<void> {
    const { canvas, input, signal } = this.#options;
    if (this.#isOver) return canvas.paintSnapshot(bytes);
    const isFirst = this.#history === null;
    const history = (this.#history ??= await this.#open());
    await history.readTo(isFirst ? 'now' : offset);
    if (signal.aborted) return;
    // The daemon's first snapshot has a line above it (see `historyLines`).
    if (history.offset === offset && !isFirst) return canvas.paintSnapshot(bytes);
    canvas.resized(history.model.size);
    await canvas.paintSnapshot(snapshot(history.model, { input }));
  }

  async paint(bytes: Uint8Array, offset: number): Promise<void> {
    const { canvas } = this.#options;
    const shown = Math.max(0, (this.#history?.offset ?? 0) - offset);
    if (shown >= bytes.length) return;
    await canvas.paint(bytes.subarray(shown));
    // From here on this terminal scrolls by itself.
    if (!canvas.isWaiting) this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#history?.[Symbol.dispose]();
    this.#history = null;
  }

  #open(): Promise<WholeHistory> {
    const { client, session, canvas, signal, onGap } = this.#options;
    return WholeHistory.open(
      client,
      session,
      { take: (items) => canvas.paintAbove(Buffer.from(historyText(items, true, '\r\n'))), onGap },
      { signal },
    );
  }
}
