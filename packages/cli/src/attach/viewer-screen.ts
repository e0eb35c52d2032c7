/**
 * The user's terminal as a session may use it: all output passes a filter, which knows what to undo when the session is left.
 */
import { POP_KEYBOARD, POP_TITLE, PUSH_KEYBOARD, PUSH_TITLE, ViewerFilter, type ViewerFilterOptions } from '@spool/vt';

const HELD_MAX = 8;

export class ViewerScreen {
  readonly #options: ViewerFilterOptions;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  #filter: ViewerFilter | null = null;
  /** Whether the user's terminal state is saved. */
  #hasPushed = false;
  /** The output that is held back until an image has been sent completely. */
  #held: Uint8Array[] = [];
  /** Whether lines above the next snapshot are on the screen, the last of which is unfinished. */
  #hasAbove = false;
  #isAboveOpen = false;

  constructor(options: ViewerFilterOptions, write: (bytes: Uint8Array) => Promise<void>) {
    this.#options = options;
    this.#write = write;
  }

  /**
   * Clears the screen and moves its content into the scrollback. From row k, `rows` newlines scroll out exactly k lines,
   * wherever the cursor was, so nothing is lost and no blank lines are added.
   */
  async begin(rows: number): Promise<void> {
    this.#filter = new ViewerFilter(this.#options);
    const own = this.#options.input === true ? [PUSH_TITLE, PUSH_KEYBOARD] : [PUSH_TITLE];
    this.#hasPushed = true;
    await this.#write(Buffer.concat([...own, Buffer.from(`\r${'\n'.repeat(rows)}\x1b[H`)]));
  }

  /**
   * Undoes the previous state first, because a snapshot sets everything that it needs. Lines that were painted above go into the
   * scrollback: from row k, `rows` - 1 newlines scroll out the k rows before it.
   */
  async paintSnapshot(bytes: Uint8Array, rows = 1): Promise<void> {
    const undone = this.#filter?.close() ?? new Uint8Array(0);
    const pushed = Buffer.from(this.#hasAbove ? `\r${'\n'.repeat(rows - (this.#isAboveOpen ? 0 : 1))}` : '');
    this.#hasAbove = false;
    this.#filter = new ViewerFilter(this.#options);
    await this.#write(Buffer.concat([undone, ...this.#held.splice(0), pushed, this.#filter.feed(bytes)]));
  }

  /** Prints lines above the screen of the next snapshot, one below the other; they do not change the session's state. */
  async paintAbove(bytes: Uint8Array): Promise<void> {
    const undone = this.#filter?.close() ?? new Uint8Array(0);
    this.#filter = new ViewerFilter(this.#options);
    const start = Buffer.from(this.#hasAbove ? '' : '\x1b[m\x1b[H\x1b[2J');
    this.#hasAbove = true;
    this.#isAboveOpen = bytes.at(-1) !== 0x0a;
    await this.#write(Buffer.concat([undone, start, this.#filter.feed(bytes)]));
  }

  /** Whether the terminal was restored and left. */
  forget(): void {
    this.#filter = null;
    this.#hasPushed = false;
    this.#hasAbove = false;
    this.#held = [];
  }

  /** Pauses while another view uses this terminal; the next snapshot restores the session. */
  async pause(): Promise<void> {
    const undone = this.#filter?.close();
    this.#filter = null;
    this.#held = [];
    if (undone) await this.#write(undone);
  }

  /** Returns the filter if the next plain output would be written unchanged; otherwise null. */
  get filterAtRest(): ViewerFilter | null {
    return this.#filter?.isAtRest === true && this.#held.length === 0 ? this.#filter : null;
  }

  async paint(bytes: Uint8Array): Promise<void> {
    this.#filter ??= new ViewerFilter(this.#options);
    const shown = this.#filter.feed(bytes);
    if (shown.length > 0) await this.#write(shown);
    if (this.#held.length > 0 && !this.#filter.isInSequence) await this.#write(Buffer.concat(this.#held.splice(0)));
  }

  /**
   * Writes a sequence of Spool between the session's bytes. The output of the filter ends between two sequences, except inside an
   * image that is too long to buffer; this waits for its end.
   */
  async interject(bytes: Uint8Array): Promise<void> {
    if (this.#filter?.isInSequence !== true) await this.#write(bytes);
    else if (this.#held.length < HELD_MAX) this.#held.push(bytes);
  }

  /** Returns the bytes that restore the terminal. */
  undo(): Uint8Array {
    if (this.#filter === null && !this.#hasPushed) return new Uint8Array(0);
    const own = this.#hasPushed && this.#options.input === true ? [POP_KEYBOARD, POP_TITLE] : [POP_TITLE];
    return Buffer.concat([this.#filter?.close() ?? new Uint8Array(0), ...own]);
  }
}
