/**
 * One session on one emulator: its snapshot, then every byte from there on, exactly once, at the session's own size. Keeps
 * PAGE-1, PAGE-3, PAGE-4, PAGE-23 and PAGE-37.
 *
 * During a flood the page shows the present instead of every byte: it requests little output at a time, and late output is replaced
 * by a snapshot. The lines above the screen come back when the flood pauses.
 *
 * The page never resizes the session just by showing it: `takeSize` is an explicit action. A page that is hidden for a while
 * detaches from the session and attaches again when it is seen, so that a hidden tab costs nothing.
 */

import { type AttachItem, type Client, type Size, SpoolError, type Viewer } from '@spool/client';
import type { Terminal } from '@xterm/xterm';
import { freshness } from '../link/freshness.ts';
import { sentenceOf } from '../link/ask-gateway.ts';
import { resizeTo } from './emulator.ts';

export type ViewState =
  | { readonly type: 'loading' }
  | { readonly type: 'live' }
  | { readonly type: 'ended' }
  | { readonly type: 'failed'; readonly why: string };

export interface ViewListener {
  onState(state: ViewState): void;
  onSize(size: Size): void;
  onViewers(viewers: readonly Viewer[]): void;
}

/** The time after which a hidden page detaches: a glance at another tab is shorter. */
const HIDDEN_MS = 15_000;

export class SessionView {
  readonly #client: Client;
  readonly #id: string;
  readonly #terminal: Terminal;
  readonly #listener: ViewListener;
  readonly #encoder = new TextEncoder();
  #attachment: ReturnType<Client['attach']>;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Whether the last snapshot came without the lines above the screen. */
  #lacksHistory = false;
  #isHistoryAsked = false;
  #historyTimer: ReturnType<typeof setTimeout> | undefined;
  /** Applies the modifier keys held on a phone to typed text. */
  typed: (text: string) => string = (text) => text;

  constructor(client: Client, id: string, terminal: Terminal, listener: ViewListener) {
    this.#client = client;
    this.#id = id;
    this.#terminal = terminal;
    this.#listener = listener;
    this.#attachment = this.#attach(HISTORY_LINES);
    terminal.onData((text) => this.#send(this.#encoder.encode(this.typed(text))));
    terminal.onBinary((text) => this.#send(Uint8Array.from(text, (character) => character.charCodeAt(0))));
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#follow(this.#attachment);
  }

  /** The offset up to which the session was shown. */
  get shownOffset(): number {
    return this.#attachment.cursor ?? 0;
  }

  /** Presses named keys, in the form that the program has enabled. */
  press(name: string): void {
    this.#attachment.keys([name]).catch(this.#onTrouble);
  }

  /** Pastes text, bracketed if the program has enabled that. */
  paste(text: string): void {
    this.#attachment.paste(text).catch(this.#onTrouble);
  }

  /** Resizes the session to this size, for all its viewers. */
  takeSize(size: Size): void {
    this.#attachment.view({ size });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#hiddenTimer);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#letGo();
  }

  #letGo(): void {
    clearTimeout(this.#historyTimer);
    this.#attachment.close();
    freshness.renewed(this);
  }

  #attach(historyLines: number): ReturnType<Client['attach']> {
    this.#lacksHistory = false;
    this.#isHistoryAsked = false;
    return this.#client.attach(this.#id, {
      followsSize: true,
      historyLines,
      creditBytes: CREDIT_BYTES,
      lateMs: LATE_MS,
      filter: { allowClipboard: true },
      onLink: (isUp) => (isUp ? freshness.renewed(this) : freshness.fellBehind(this)),
    });
  }

  #attachAnew(): void {
    this.#attachment = this.#attach(HISTORY_LINES);
    void this.#follow(this.#attachment);
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#hiddenTimer);
    if (!document.hidden) {
      if (this.#attachment.isEnded && !this.#isClosed) this.#attachAnew();
      return;
    }
    this.#hiddenTimer = setTimeout(() => {
      // Detaching now would lose unconfirmed input.
      if (this.#attachment.unconfirmedBytes === 0) this.#letGo();
    }, HIDDEN_MS);
  };

  async #follow(attachment: ReturnType<Client['attach']>): Promise<void> {
    try {
      let hasSnapshot = false;
      for await (const item of attachment) {
        await this.#show(item);
        if (item.type === 'snapshot') {
          this.#lacksHistory = hasSnapshot && !this.#isHistoryAsked;
          this.#isHistoryAsked = false;
          hasSnapshot = true;
        }
        if (!this.#lacksHistory || this.#isClosed) continue;
        if (item.type === 'exit') return this.#attachAnew();
        this.#askHistoryLater(attachment);
      }
    } catch (error) {
      this.#listener.onState({ type: 'failed', why: sentenceOf(error) });
    }
  }

  #askHistoryLater(attachment: ReturnType<Client['attach']>): void {
    clearTimeout(this.#historyTimer);
    this.#historyTimer = setTimeout(() => {
      const { viewportY, baseY } = this.#terminal.buffer.active;
      // A user who has scrolled up keeps the position.
      if (viewportY < baseY) return this.#askHistoryLater(attachment);
      this.#isHistoryAsked = true;
      attachment.view({ wantsSnapshot: true, historyLines: HISTORY_LINES });
    }, PAUSE_MS);
  }

  async #show(item: AttachItem): Promise<void> {
    switch (item.type) {
      case 'snapshot':
        await this.#write(repainted(item.bytes));
        return this.#listener.onState({ type: 'live' });
      case 'output':
        return this.#write(item.bytes);
      case 'resized':
        resizeTo(this.#terminal, item.cols, item.rows);
        return this.#listener.onSize({ cols: item.cols, rows: item.rows });
      case 'viewers':
        return this.#listener.onViewers(item.viewers);
      case 'exit':
        return this.#listener.onState({ type: 'ended' });
      case 'removed':
        return this.#listener.onState({ type: 'failed', why: 'This session was removed.' });
      default: // gaps are repaired by a snapshot; notices are for terminals
    }
  }

  /** Resolves when the bytes are parsed: unparsed output stays with the daemon, which sends a snapshot if it becomes too much. */
  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((done) => this.#terminal.write(bytes.slice(), done));
  }

  #send(bytes: Uint8Array): void {
    this.#attachment.type(bytes).catch(this.#onTrouble);
  }

  readonly #onTrouble = (error: unknown): void => {
    // The end has its own item; other errors are shown to the user.
    if (!SpoolError.is(error, 'SESSION_EXITED')) this.#listener.onState({ type: 'failed', why: sentenceOf(error) });
  };
}

const HISTORY_LINES = 1000;

/**
 * The limit of bytes on their way to the emulator, which parses a few megabytes in a second: more would delay the next snapshot.
 */
const CREDIT_BYTES = 16 * 1024;
/** The pause of output that ends a flood. */
const PAUSE_MS = 300;
/** The maximum age of a picture; an older one is skipped: the key that the user has just pressed is in a later one. */
const LATE_MS = 40;

/**
 * Returns a snapshot that can be painted over any content. It is one write: a separate reset would be visible as a blank screen.
 */
export function repainted(snapshot: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(RESET.length + snapshot.length);
  bytes.set(RESET);
  bytes.set(snapshot, RESET.length);
  return bytes;
}

/** The bytes that end an unfinished sequence, then RIS. */
const RESET = new TextEncoder().encode('\x18\x1bc');
