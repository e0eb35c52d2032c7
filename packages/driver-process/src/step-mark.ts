/**
 * Marks the driver that is working, in a pipe that the keeper reads when this process has ended or hangs: so it knows on whose
 * line that happened. Keeps DRV-43.
 *
 * All work of a driver begins with data on its socket, with a timer or with an immediate, and what these resolve follows at once.
 * So a mark at their beginning covers all of it, and is removed before the process waits.
 */
import { native } from '@spool/native';
import { SLOT_BYTES } from '@spool/protocol';

export class StepMark {
  readonly #pipe: number;
  readonly #bytes = Buffer.alloc(SLOT_BYTES);
  readonly #removed = Buffer.alloc(SLOT_BYTES);
  #slot: number | null = null;
  #isToBeRemoved = false;

  /** `pipe`: one fd that is both ends. */
  constructor(pipe: number) {
    this.#pipe = pipe;
  }

  /** The driver that is working; null for none. */
  get slot(): number | null {
    return this.#slot;
  }

  set(slot: number): void {
    if (slot === this.#slot) return;
    this.#remove();
    this.#bytes.writeUInt32LE(slot);
    native.write(this.#pipe, this.#bytes);
    this.#slot = slot;
    if (this.#isToBeRemoved) return;
    this.#isToBeRemoved = true;
    setImmediate(() => {
      this.#isToBeRemoved = false;
      this.#remove();
    });
  }

  #remove(): void {
    if (this.#slot === null) return;
    native.read(this.#pipe, this.#removed);
    this.#slot = null;
  }
}
