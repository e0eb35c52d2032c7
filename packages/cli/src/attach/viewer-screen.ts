/**
 * The terminal of the person as a session may use it: all that is shown goes through a filter, and the filter knows what has
 * to be undone when the session is left.
 */
import { POP_KEYBOARD, POP_TITLE, PUSH_KEYBOARD, PUSH_TITLE, ViewerFilter, type ViewerFilterOptions } from '@spool/vt';

const HELD_MAX = 8;

export class ViewerScreen {
  readonly #options: ViewerFilterOptions;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  #filter: ViewerFilter | null = null;
  /** What the terminal keeps for its user while we are there. */
  #hasPushed = false;
  /** Waits for the end of an image that is being sent. */
  #held: Uint8Array[] = [];

  constructor(options: ViewerFilterOptions, write: (bytes: Uint8Array) => Promise<void>) {
    this.#options = options;
    this.#write = write;
  }

  /**
   * A blank screen; what was there goes into the terminal's scrollback. From row k, `rows` newlines scroll exactly k lines
   * out, wherever the cursor was: so nothing is lost, and no blank lines are added.
   */
  async begin(rows: number): Promise<void> {
    this.#filter = new ViewerFilter(this.#options);
    const own = this.#options.input === true ? [PUSH_TITLE, PUSH_KEYBOARD] : [PUSH_TITLE];
    this.#hasPushed = true;
    await this.#write(Buffer.concat([...own, Buffer.from(`\r${'\n'.repeat(rows)}\x1b[H`)]));
  }

  /** What was set is undone first, and forgotten: a snapshot sets all that counts. */
  async paintSnapshot(bytes: Uint8Array): Promise<void> {
    const undone = this.#filter?.close() ?? new Uint8Array(0);
    this.#filter = new ViewerFilter(this.#options);
    await this.#write(Buffer.concat([undone, ...this.#held.splice(0), this.#filter.feed(bytes)]));
  }

  /** The terminal was left, with all undone. */
  forget(): void {
    this.#filter = null;
    this.#hasPushed = false;
    this.#held = [];
  }

  /** Something else is shown on this terminal for a while; the next snapshot brings the session back. */
  async pause(): Promise<void> {
    const undone = this.#filter?.close();
    this.#filter = null;
    this.#held = [];
    if (undone) await this.#write(undone);
  }

  async paint(bytes: Uint8Array): Promise<void> {
    this.#filter ??= new ViewerFilter(this.#options);
    const shown = this.#filter.feed(bytes);
    if (shown.length > 0) await this.#write(shown);
    if (this.#held.length > 0 && !this.#filter.isInSequence) await this.#write(Buffer.concat(this.#held.splice(0)));
  }

  /**
   * Something of ours between the session's bytes. What the filter has let through ends between two sequences, with one
   * exception: an image too long to be held. Then it waits.
   */
  async interject(bytes: Uint8Array): Promise<void> {
    if (this.#filter?.isInSequence !== true) await this.#write(bytes);
    else if (this.#held.length < HELD_MAX) this.#held.push(bytes);
  }

  /** What to send to a terminal that is left. */
  undo(): Uint8Array {
    if (this.#filter === null && !this.#hasPushed) return new Uint8Array(0);
    const own = this.#hasPushed && this.#options.input === true ? [POP_KEYBOARD, POP_TITLE] : [POP_TITLE];
    return Buffer.concat([this.#filter?.close() ?? new Uint8Array(0), ...own]);
  }
}
