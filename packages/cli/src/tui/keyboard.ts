/** Reads the user's terminal piece by piece: keys, replies, focus, the detach key. */
import { DETACH_HOLD_MS, type DetachKey, ESCAPE_HOLD_MS, PAN_HOLD_MS, TypedInput, type TypedPiece } from '@spool/vt';

export interface KeyboardListener {
  take(piece: TypedPiece): void;
  /** Called when the first detach key was pressed and the next key decides, and when that has ended. */
  onPrefix?(isPrefixed: boolean): void;
  /** Receives the input after the detach key, for the next reader of the terminal. */
  onRest?(bytes: Uint8Array): void;
  /** Called when the terminal is gone. */
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
    source.on('data', this.feed).on('end', this.gone).on('error', this.gone);
    source.resume();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    // The error listener stays, because the terminal may fail again while it is restored.
    this.#source.off('data', this.feed).off('end', this.gone);
    this.#source.pause();
  }

  /** Whether a window of the session's screen is shown, which keys can move. */
  set isWindowed(isWindowed: boolean) {
    this.#input.isWindowed = isWindowed;
  }

  /** Whether the next plain keys would be passed on unchanged. */
  get isAtRest(): boolean {
    return this.#input.isAtRest;
  }

  /** The plain keys by byte: 1 for a plain key. */
  get isPlain(): Uint8Array {
    return this.#input.isPlain;
  }

  /** Whether another reader has the terminal, and passes its input here. */
  set isReadElsewhere(isElsewhere: boolean) {
    if (isElsewhere) this.#source.pause();
    else this.#source.resume();
  }

  /** Reads bytes that another reader has taken from the terminal before. */
  readonly feed = (bytes: Uint8Array): void => this.#take(this.#input.feed(bytes));

  /** Handles the loss of the terminal. */
  readonly gone = (): void => this.#listener.onGone();

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
