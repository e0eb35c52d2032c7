/**
 * One session on one emulator: its snapshot, then every byte from there on, exactly once, at the session's own size. Keeps
 * PAGE-1, PAGE-3 and PAGE-4.
 *
 * The page never resizes the session by looking at it. `takeSize` is an explicit act.
 */

import { type AttachItem, type Client, type Size, SpoolError } from '@spool/client';
import type { Terminal } from '@xterm/xterm';
import { resizeTo } from './emulator.ts';

export type ViewState =
  | { readonly type: 'loading' }
  | { readonly type: 'live' }
  | { readonly type: 'ended' }
  | { readonly type: 'failed'; readonly why: string };

export interface ViewListener {
  onState(state: ViewState): void;
  onSize(size: Size): void;
  onViewers(count: number): void;
}

export class SessionView {
  readonly #terminal: Terminal;
  readonly #attachment: ReturnType<Client['attach']>;
  readonly #listener: ViewListener;
  readonly #encoder = new TextEncoder();

  constructor(client: Client, id: string, terminal: Terminal, listener: ViewListener) {
    this.#terminal = terminal;
    this.#listener = listener;
    this.#attachment = client.attach(id, { followsSize: true, historyLines: HISTORY_LINES });
    terminal.onData((text) => this.type(text));
    terminal.onBinary((text) => this.#send(Uint8Array.from(text, (character) => character.charCodeAt(0))));
    void this.#follow();
  }

  type(text: string): void {
    this.#send(this.#encoder.encode(text));
  }

  /** The session takes this size, for all its viewers. */
  takeSize(size: Size): void {
    this.#attachment.view({ size });
  }

  close(): void {
    this.#attachment.close();
  }

  async #follow(): Promise<void> {
    try {
      for await (const item of this.#attachment) await this.#show(item);
    } catch (error) {
      this.#listener.onState({ type: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
  }

  async #show(item: AttachItem): Promise<void> {
    switch (item.type) {
      case 'snapshot':
        this.#terminal.reset();
        await this.#write(item.bytes);
        return this.#listener.onState({ type: 'live' });
      case 'output':
        return this.#write(item.bytes);
      case 'resized':
        resizeTo(this.#terminal, item.cols, item.rows);
        return this.#listener.onSize({ cols: item.cols, rows: item.rows });
      case 'viewers':
        return this.#listener.onViewers(item.viewers.length);
      case 'exit':
        return this.#listener.onState({ type: 'ended' });
      case 'removed':
        return this.#listener.onState({ type: 'failed', why: 'This session was removed.' });
      default: // gaps are repaired by a snapshot; notices are for terminals
    }
  }

  /** Resolves when it is parsed: what is not parsed yet stays with the daemon, which sends a snapshot if it gets too much. */
  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((done) => this.#terminal.write(bytes.slice(), done));
  }

  #send(bytes: Uint8Array): void {
    this.#attachment.type(bytes).catch((error: unknown) => {
      // The end is shown by its own item; anything else the user should read.
      if (!SpoolError.is(error, 'SESSION_EXITED')) this.#listener.onState({ type: 'failed', why: String(error) });
    });
  }
}

const HISTORY_LINES = 1000;
