/**
 * Handles Ctrl-C while tasks are shown: the first one leaves them running and prints how to return, a second one within two seconds
 * cancels them. Other signals (a closed terminal, Ctrl-\) leave at once.
 */
import { EXIT, signalNumber } from '../command-line/exit-code.ts';

export type Interruption = { readonly type: 'left'; readonly exitCode: number } | { readonly type: 'cancel' };

/** The time for a second Ctrl-C. */
const SECOND_MS = 2000;

const LEAVING = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export class Interrupts implements Disposable {
  /** Resolves when the user has left or cancelled. */
  readonly decided: Promise<Interruption>;
  readonly #resolve: (interruption: Interruption) => void;
  readonly #onFirst: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
    ({ promise: this.decided, resolve: this.#resolve } = Promise.withResolvers<Interruption>());
    process.on('SIGINT', this.#onInterrupt);
    for (const signal of LEAVING) process.on(signal, this.#onLeave);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    process.off('SIGINT', this.#onInterrupt);
    for (const signal of LEAVING) process.off(signal, this.#onLeave);
  }

  readonly #onInterrupt = (): void => {
    if (this.#timer !== undefined) return this.#resolve({ type: 'cancel' });
    this.#timer = setTimeout(() => this.#onLeave('SIGINT'), SECOND_MS);
    this.#onFirst();
  };

  readonly #onLeave = (signal: NodeJS.Signals): void => {
    this.#resolve({ type: 'left', exitCode: signal === 'SIGQUIT' ? 0 : EXIT.signalBase + signalNumber(signal)! });
  };
}
