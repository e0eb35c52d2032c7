/**
 * Reads the output of a session without a terminal as lines: each stream by itself, a progress bar in its last state. It has
 * the same methods as `SeenReader`, which reads a terminal.
 */
import type { SeenItem } from '@spool/screen';
import { LineText, type TextLine } from '@spool/vt';

export class PlainReader implements Disposable {
  readonly #take: (item: SeenItem) => void;
  readonly #streams = { stdout: new LineText(), stderr: new LineText() };
  #last: 'stdout' | 'stderr' = 'stdout';
  #at = 0;

  readonly isMoving = false;

  constructor(take: (item: SeenItem) => void) {
    this.#take = take;
  }

  write(bytes: Uint8Array, at: number, stream: 'stdout' | 'stderr' = 'stdout'): void {
    this.#at = at;
    this.#last = stream;
    this.#give(this.#streams[stream].feed(bytes));
  }

  get open(): string {
    return this.#streams[this.#last].current;
  }

  resize(): void {}
  goLive(): void {}
  settle(): void {}

  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#give(this.#streams[stream].flush());
  }

  [Symbol.dispose](): void {}

  #give(lines: readonly TextLine[]): void {
    for (const { text } of lines) this.#take({ type: 'line', text: text.trimEnd(), at: this.#at, isCut: false });
  }
}
