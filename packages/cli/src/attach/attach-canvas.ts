/**
 * Shows a session on this terminal, whatever their sizes [SIZE-6, SIZE-41].
 *
 * If the sizes are equal, the session's bytes are passed on (`ViewerScreen`). Otherwise a window of its screen is painted from a
 * model (`WindowView`, loaded on use). Each switch between the two starts with a snapshot, which is requested when a size has
 * changed; until it arrives, the terminal keeps its content.
 */
import type { Size } from '@spool/protocol';
import type { MouseReport, PanKey, ViewerFilter } from '@spool/vt';
import type { ViewerScreen } from './viewer-screen.ts';
import type { WindowView } from '../window/window-view.ts';

/** The time for the session to adopt this terminal's new size before a window is shown instead. */
const SETTLE_MS = 250;
/** The time before a snapshot is requested, because it often arrives without a request. */
const ASK_AFTER_MS = 20;
/** The daemon may be restarting meanwhile. */
const ASK_AGAIN_MS = 2000;

export interface AttachCanvasOptions {
  readonly screen: ViewerScreen;
  readonly own: Size;
  readonly isTyping: boolean;
  /** False if the session cannot adopt this terminal's size: for a read-only viewer, a fixed size, or an ended session. */
  readonly mayResize: boolean;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly askSnapshot: () => void;
  readonly onWindow: (isWindow: boolean) => void;
}

export class AttachCanvas {
  readonly #options: AttachCanvasOptions;
  readonly #screen: ViewerScreen;
  #mode: 'nothing' | 'bytes' | 'window' = 'nothing';
  #window: WindowView | null = null;
  #session: Size | null = null;
  #own: Size;
  #hasBegun = false;
  /** Whether the terminal does not show the current state, so that a snapshot is needed. */
  #isLost = false;
  /** Whether all output since the first byte has been shown. */
  #isFromStart = false;
  #askTimer: NodeJS.Timeout | undefined;
  #settleTimer: NodeJS.Timeout | undefined;

  constructor(options: AttachCanvasOptions) {
    this.#options = options;
    this.#screen = options.screen;
    this.#own = options.own;
  }

  get isWindow(): boolean {
    return this.#mode === 'window';
  }

  /** Starts after each attach. `hasSnapshot`: a snapshot comes first, instead of the first byte of the session. */
  async begin(own: Size, hasSnapshot: boolean): Promise<void> {
    this.#stopTimers();
    this.#closeWindow();
    this.#screen.forget();
    this.#mode = 'nothing';
    this.#hasBegun = false;
    this.#isLost = false;
    this.#session = null;
    this.#own = own;
    this.#isFromStart = !hasSnapshot;
    this.#settle();
    if (!hasSnapshot) await this.#showBytes();
  }

  /** Handles a resize of the session. */
  resized(session: Size): void {
    const isOther = !isSameSize(session, this.#session);
    this.#session = session;
    if (!isOther) return;
    if (this.#isSameSize) this.#settled();
    this.#window?.fit(session, this.#own);
    if (this.#mode === 'window') this.#lose();
    else this.#compare();
  }

  /** Handles a resize of this terminal. */
  fit(own: Size): void {
    if (isSameSize(own, this.#own)) return;
    this.#own = own;
    if (this.#session) this.#window?.fit(this.#session, own);
    this.#settle();
    this.#compare();
  }

  async paintSnapshot(bytes: Uint8Array): Promise<void> {
    if (!this.#isSameSize && this.#isSettling && this.#mode !== 'window') return this.#lose();
    this.#isLost = false;
    this.#isFromStart = false;
    clearTimeout(this.#askTimer);
    if (this.#isSameSize) {
      if (this.#mode === 'window') await this.#leaveWindow();
      await this.#showBytes();
      return this.#screen.paintSnapshot(bytes, this.#own.rows);
    }
    const window = this.#window ?? (await this.#openWindow());
    window.snapshot(this.#session!, bytes);
  }

  /** Whether the terminal does not show the session yet, or not at its present size, and waits for a snapshot. */
  get isWaiting(): boolean {
    return this.#mode === 'nothing' || this.#isLost;
  }

  /** Prints lines into the scrollback, above the screen of the next snapshot. A window has no scrollback. */
  async paintAbove(bytes: Uint8Array): Promise<void> {
    if (this.#mode === 'window') return;
    await this.#showBytes();
    await this.#screen.paintAbove(bytes);
  }

  async paint(bytes: Uint8Array): Promise<void> {
    if (this.#mode === 'window') this.#window!.feed(bytes);
    // A pending snapshot includes these bytes, but a command that was just started may end before it arrives.
    else if (this.#mode === 'bytes' && (!this.#isLost || this.#isFromStart)) await this.#screen.paint(bytes);
  }

  /** Returns the filter if the next plain output would be written to this terminal unchanged; otherwise null. */
  get filterAtRest(): ViewerFilter | null {
    return this.#mode === 'bytes' && !this.#isLost && this.#isSameSize ? this.#screen.filterAtRest : null;
  }

  /** Writes a sequence of Spool between the session's bytes. */
  async interject(bytes: Uint8Array): Promise<void> {
    if (this.#mode === 'bytes') await this.#screen.interject(bytes);
    else await this.#options.write(bytes);
  }

  /**
   * Shows a line at the bottom, until it is called with null. The line reports a lost connection, so nothing else is painted
   * meanwhile.
   */
  async showLine(text: string | null): Promise<void> {
    if (this.#window) this.#window.message = text;
    else if (this.#mode === 'bytes') await this.#screen.interject(bottomLine(text, this.#own));
  }

  pan(key: PanKey): void {
    this.#window?.pan(key);
  }

  /** Notes that the first detach key was pressed. */
  set isPrefixed(isPrefixed: boolean) {
    if (this.#window) this.#window.isPrefixed = isPrefixed;
  }

  follow(): void {
    this.#window?.follow();
  }

  /** Returns the bytes that the session gets, if any. */
  mouse(report: MouseReport): Uint8Array | undefined {
    return this.#window?.mouse(report);
  }

  /**
   * Returns the content of a window as lines of text, after the session has ended. Bytes that were passed on are already on the
   * terminal.
   */
  get lastText(): string {
    return this.#window?.text ?? '';
  }

  /** Returns the bytes that restore the terminal. */
  undo(): Uint8Array {
    return Buffer.concat([this.#window?.close() ?? new Uint8Array(0), this.#screen.undo()]);
  }

  /** Stops painting. */
  [Symbol.dispose](): void {
    this.#stopTimers();
    this.#window?.stop();
  }

  /** An unknown size is assumed to be that of this terminal. */
  get #isSameSize(): boolean {
    return this.#session === null || isSameSize(this.#session, this.#own);
  }

  get #isSettling(): boolean {
    return this.#settleTimer !== undefined;
  }

  /** Whether bytes are passed on although the sizes differ. */
  #compare(): void {
    if (this.#mode === 'window' ? this.#isSameSize : this.#mode === 'bytes' && !this.#isSameSize && !this.#isSettling)
      this.#lose();
  }

  #lose(): void {
    this.#isLost = true;
    clearTimeout(this.#askTimer);
    if (!this.#isSettling || this.#isSameSize) this.#ask(ASK_AFTER_MS);
  }

  #ask(afterMs: number): void {
    this.#askTimer = setTimeout(() => {
      this.#options.askSnapshot();
      this.#ask(ASK_AGAIN_MS);
    }, afterMs);
  }

  /** Waits for the session to adopt this terminal's size, so that a window does not appear only briefly. */
  #settle(): void {
    clearTimeout(this.#settleTimer);
    this.#settleTimer = this.#options.mayResize ? setTimeout(() => this.#settled(), SETTLE_MS) : undefined;
  }

  #settled(): void {
    if (!this.#isSettling) return;
    clearTimeout(this.#settleTimer);
    this.#settleTimer = undefined;
    if (this.#isLost) this.#lose();
    else this.#compare();
  }

  async #showBytes(): Promise<void> {
    this.#mode = 'bytes';
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    await this.#screen.begin(this.#own.rows);
  }

  async #openWindow(): Promise<WindowView> {
    const { WindowView } = await import('../window/window-view.ts');
    if (this.#mode === 'bytes') await this.#screen.pause();
    const { isTyping, write, onWindow } = this.#options;
    this.#window = new WindowView({ session: this.#session!, own: this.#own, isTyping, write });
    this.#mode = 'window';
    onWindow(true);
    return this.#window;
  }

  async #leaveWindow(): Promise<void> {
    const undone = this.#closeWindow();
    if (undone) await this.#options.write(undone);
  }

  #closeWindow(): Uint8Array | undefined {
    const undone = this.#window?.close();
    if (this.#window) this.#options.onWindow(false);
    this.#window = null;
    return undone;
  }

  #stopTimers(): void {
    clearTimeout(this.#askTimer);
    clearTimeout(this.#settleTimer);
    this.#settleTimer = undefined;
  }
}

/**
 * Returns the bytes of the bottom line. The cursor, its colours and its character set are restored; the hidden text returns with
 * the next snapshot.
 */
function bottomLine(text: string | null, { cols, rows }: Size): Uint8Array {
  const line = text === null ? '' : `\x1b(B\x0f\x1b[0;2m${text.slice(0, cols)}`;
  return Buffer.from(`\x1b7\x1b[${rows}H\x1b[0m\x1b[2K${line}\x1b8`);
}

const isSameSize = (one: Size, other: Size | null): boolean => one.cols === other?.cols && one.rows === other.rows;
