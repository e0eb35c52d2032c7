/**
 * Shows moments of the past on an emulator. Only the latest request counts: requests that arrive during a fetch replace each other,
 * so that scrubbing is as fast as the answers and ends exactly where the user stopped. Keeps PAGE-6.
 */
import type { Client } from '@spool/client';
import type { IBuffer, Terminal } from '@xterm/xterm';
import { sentenceOf } from '../link/ask-gateway.ts';
import { resizeTo } from '../terminal/emulator.ts';
import { repainted } from '../terminal/session-view.ts';
import { findPlace } from './found-line.ts';

const RETRY_MS = 1_000;

/** The moment of a picture. */
export type PastMoment = 'now' | { readonly offset: number } | { readonly time: number };

export class PastScreenView {
  readonly #client: Client;
  readonly #id: string;
  readonly #terminal: Terminal;
  #wanted: PastMoment | null = null;
  #isBusy = false;
  #isClosed = false;
  /** The requested offset of the picture that is shown; null if a time was requested. */
  shownFor: number | null = null;
  /** Called when the picture of this offset is on the screen. */
  onShown: (offset: number, at: number) => void = () => {};
  /** Called with the fault; null after it has ended. */
  onTrouble: (why: string | null) => void = () => {};

  constructor(client: Client, id: string, terminal: Terminal) {
    this.#client = client;
    this.#id = id;
    this.#terminal = terminal;
  }

  show(moment: PastMoment): void {
    this.#wanted = moment;
    if (!this.#isBusy) void this.#work();
  }

  /** Selects a line of the picture, and brings it into view. Keeps PAGE-74. */
  mark(text: string): void {
    const { buffer, rows } = this.#terminal;
    const lines = Array.from({ length: buffer.active.length }, (_, row) => lineAt(buffer.active, row));
    const place = findPlace(lines, text);
    if (place === null) return;
    this.#terminal.select(place.column, place.row, place.length);
    this.#terminal.scrollToLine(Math.max(0, place.row - Math.floor(rows / 2)));
    const screen = this.#terminal.element?.querySelector<HTMLElement>('.xterm-screen');
    const pane = this.#terminal.element?.parentElement;
    if (!screen || !pane) return;
    const top = (place.row - buffer.active.viewportY) * (screen.offsetHeight / rows);
    pane.scrollTop = Math.max(0, top - pane.clientHeight / 2);
  }

  close(): void {
    this.#isClosed = true;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#wanted !== null && !this.#isClosed) {
      const moment = this.#wanted;
      this.#wanted = null;
      try {
        await this.#paint(moment);
        this.onTrouble(null);
      } catch (error) {
        this.onTrouble(sentenceOf(error));
        // A daemon that is being replaced will answer in a moment, but a newer request of the user comes first.
        await new Promise((later) => setTimeout(later, RETRY_MS));
        this.#wanted ??= moment;
      }
    }
    this.#isBusy = false;
  }

  async #paint(moment: PastMoment): Promise<void> {
    const at = moment === 'now' ? undefined : moment;
    const screen = await this.#client.screen(this.#id, { at, format: 'snapshot' });
    if (this.#isClosed) return;
    resizeTo(this.#terminal, screen.cols, screen.rows);
    await new Promise<void>((done) => this.#terminal.write(repainted(bytesOf(screen.content)), done));
    this.shownFor = moment !== 'now' && 'offset' in moment ? moment.offset : null;
    this.onShown(screen.offset, screen.at);
  }
}

const lineAt = (buffer: IBuffer, row: number): string => buffer.getLine(row)?.translateToString(true) ?? '';

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
