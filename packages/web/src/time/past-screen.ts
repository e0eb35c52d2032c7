/**
 * Shows moments of the past on an emulator. Only the latest request counts: while one is being fetched, those in between are
 * skipped, so that scrubbing is as fast as the answers, and ends exactly where the user stopped. Keeps PAGE-6.
 */
import type { Client } from '@spool/client';
import type { Terminal } from '@xterm/xterm';
import { sentenceOf } from '../link/ask-gateway.ts';
import { resizeTo } from '../terminal/emulator.ts';
import { repainted } from '../terminal/session-view.ts';

const RETRY_MS = 1_000;

export class PastScreenView {
  readonly #client: Client;
  readonly #id: string;
  readonly #terminal: Terminal;
  #wanted: number | null = null;
  #isBusy = false;
  #isClosed = false;
  /** Called when the picture of this offset is on the screen. */
  onShown: (offset: number, at: number) => void = () => {};
  /** Called with the fault; null when it is over. */
  onTrouble: (why: string | null) => void = () => {};

  constructor(client: Client, id: string, terminal: Terminal) {
    this.#client = client;
    this.#id = id;
    this.#terminal = terminal;
  }

  show(offset: number): void {
    this.#wanted = offset;
    if (!this.#isBusy) void this.#work();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#wanted !== null && !this.#isClosed) {
      const offset = this.#wanted;
      this.#wanted = null;
      try {
        await this.#paint(offset);
        this.onTrouble(null);
      } catch (error) {
        this.onTrouble(sentenceOf(error));
        // A daemon that is being replaced answers in a moment; a newer request of the user comes first.
        await new Promise((later) => setTimeout(later, RETRY_MS));
        this.#wanted ??= offset;
      }
    }
    this.#isBusy = false;
  }

  async #paint(offset: number): Promise<void> {
    const screen = await this.#client.screen(this.#id, { at: { offset }, format: 'snapshot' });
    if (this.#isClosed) return;
    resizeTo(this.#terminal, screen.cols, screen.rows);
    await new Promise<void>((done) => this.#terminal.write(repainted(bytesOf(screen.content)), done));
    this.onShown(screen.offset, screen.at);
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
