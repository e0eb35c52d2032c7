/**
 * Collects garbage, so that a flood does not grow this process. Buffers are outside of V8's heap: V8 lets tens of megabytes of them
 * accumulate before it collects. `--expose-gc` is among the flags of a driver (`keeper/agents/driver-process.ts`). Keeps DRV-42.
 */

/** The number of bytes after which the young part of the heap is collected, and after which all of it is. */
const MINOR_BYTES = 128 * 1024;
const MAJOR_BYTES = 512 * 1024;

const { gc } = globalThis as { readonly gc?: (options?: { readonly type: 'minor' }) => void };

export class Collector {
  #minor = 0;
  #major = 0;

  /**
   * Counts bytes that were read. A large line is parsed, converted to an event and written: several copies, which V8 puts into
   * its old heap at once.
   */
  note(bytes: number): void {
    this.#minor += bytes;
    if (this.#minor < MINOR_BYTES) return;
    this.#major += this.#minor;
    this.#minor = 0;
    if (this.#major < MAJOR_BYTES && bytes < MINOR_BYTES) return gc?.({ type: 'minor' });
    this.#major = 0;
    gc?.();
  }
}
