/**
 * Input from a viewer's terminal on its way to the session: the terminal's own replies are removed, because the daemon has
 * answered the program (QRY-1), and focus reports are combined over all viewers.
 *
 * All input is typed in the order of the calls, even if a call has to wait for the modes first.
 */
import type { TypedInput } from '@spool/vt';
import type { Runtime } from '../link/runtime.ts';
import type { Vt } from './viewer-output.ts';

export interface ViewerInputOptions {
  readonly vt: () => Promise<Vt>;
  readonly sleep: Runtime['sleep'];
  type(bytes: Uint8Array): Promise<void>;
  onFocus(isFocused: boolean): void;
}

export class ViewerInput {
  readonly #options: ViewerInputOptions;
  #typed: TypedInput | null = null;
  /** Resolves when the earlier input is on its way. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The number of calls: a held Escape is a key if no call has followed it. */
  #calls = 0;
  #waiting = 0;

  constructor(options: ViewerInputOptions) {
    this.#options = options;
  }

  /** Whether no input waits here. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Takes bytes from a terminal. */
  feed(bytes: Uint8Array): Promise<void> {
    const copy = new Uint8Array(bytes);
    return this.#inTurn(async (vt) => {
      this.#typed ??= new vt.TypedInput([]);
      await this.#pass(this.#typed.feed(copy));
      if (this.#typed.held === 'escape') void this.#release(this.#calls, vt.ESCAPE_HOLD_MS);
    });
  }

  /** Types bytes unchanged, at once if no input waits. */
  pass(bytes: Uint8Array): Promise<void> {
    return this.#waiting === 0 ? this.#options.type(bytes) : this.send(async () => [bytes]);
  }

  /** Types bytes that do not come from a terminal: unchanged, each by itself. */
  send(encode: (vt: Vt) => Promise<readonly Uint8Array[]>): Promise<void> {
    return this.#inTurn(async (vt) => {
      if (this.#typed) await this.#pass(this.#typed.flush());
      for (const bytes of await encode(vt)) await this.#options.type(bytes);
    });
  }

  /** Resolves when all input is on its way, including an Escape that is held back. */
  flushed(): Promise<void> {
    return this.#inTurn(async () => this.#typed && this.#pass(this.#typed.flush()));
  }

  #inTurn(job: (vt: Vt) => Promise<unknown>): Promise<void> {
    this.#calls++;
    this.#waiting++;
    const done = this.#turn.then(async () => void (await job(await this.#options.vt())));
    this.#turn = done.catch(() => {}).then(() => this.#waiting--);
    return done;
  }

  async #pass(pieces: ReturnType<TypedInput['feed']>): Promise<void> {
    for (const piece of pieces) {
      if (piece.type === 'keys') await this.#options.type(piece.bytes);
      else if (piece.type === 'focus') this.#options.onFocus(piece.isFocused);
    }
  }

  /** Types held bytes: the rest of a reply would have arrived by now. */
  async #release(call: number, holdMs: number): Promise<void> {
    await this.#options.sleep(holdMs);
    if (this.#calls === call) await this.flushed();
  }
}
