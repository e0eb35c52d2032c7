/** Reads the user's terminal piece by piece: keys, replies, focus, the detach key. */
import { DETACH_HOLD_MS, type DetachKey, ESCAPE_HOLD_MS, PAN_HOLD_MS, TypedInput, type TypedPiece } from '@spool/vt';

export interface KeyboardListener {
  take(piece: TypedPiece): void;
  /** The first detach key was pressed and the next key decides; or that has ended. */
  onPrefix?(isPrefixed: boolean): void;
  /** Typed after the detach key, for the next reader of the terminal. */
  onRest?(bytes: Uint8Array): void;
  /** The terminal is gone. */
  onGone(): void;
}

export class Keyboard implements Disposable {
  readonly #input: TypedInput;
  readonly #listener: KeyboardListener;
  readonly #source: NodeJS.ReadStream;
  #timer: NodeJS.Timeout | undefined;

  constructor(detachKeys: readonly DetachKey[], listener: KeyboardListener, source: NodeJS.ReadStream = process.stdin) {
    this.#input = new TypedInput(detachKeys);
    this.#listener = listener;
    this.#source = source;
    source.on('data', this.feed).on('end', this.#onGone).on('error', this.#onGone);
    source.resume();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    // The error listener stays, because the terminal may fail again while it is restored.
    this.#source.off('data', this.feed).off('end', this.#onGone);
    this.#source.pause();
  }

  /** A window of the session's screen is shown, which keys can move. */
  set isWindowed(isWindowed: boolean) {
    this.#input.isWindowed = isWindowed;
  }

  /** Reads what somebody else has read from the terminal before. */
  readonly feed = (bytes: Uint8Array): void => this.#take(this.#input.feed(bytes));

  readonly #onGone = (): void => this.#listener.onGone();

  #take(pieces: readonly TypedPiece[]): void {
    clearTimeout(this.#timer);
    for (const piece of pieces) this.#listener.take(piece);
    const rest = this.#input.takeRest();
    if (rest.length > 0) this.#listener.onRest?.(rest);
    const { held } = this.#input;
    this.#listener.onPrefix?.(held === 'detach');
    if (held === 'nothing') return;
    const detachHoldMs = this.#input.isWindowed ? PAN_HOLD_MS : DETACH_HOLD_MS;
    const holdMs = held === 'escape' ? ESCAPE_HOLD_MS : detachHoldMs;
    this.#timer = setTimeout(() => this.#take(this.#input.flush()), holdMs);
  }
}
