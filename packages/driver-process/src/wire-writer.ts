/**
 * Writes the driver's lines to the agent: in order, and each once. The events log contains a line's record before the line is
 * written, and the line's key is its position there, so no line is repeated when a driver or a keeper dies in between (decision
 * 013). Keeps EVT-6. Keeps EVT-13: an input that is closed or not read is reported.
 */
import type { Requester } from '@spool/client/driver';
import { type InputState, SpoolError } from '@spool/protocol';
import type { Pace } from './pace.ts';

/** The size of a piece, which a request carries in base64. */
const PIECE_BYTES = 256 * 1024;
const QUEUE_FULL_MS = 20;
/** The time after which an agent that takes no bytes counts as not reading its input. */
const STUCK_MS = 10_000;

export interface BatchWrites {
  /** The offset of its record. */
  readonly offset: number;
  readonly lines: readonly string[];
  readonly closes: boolean;
}

/** Writes the lines of batches, each once. */
export interface BatchWriter {
  writtenBefore(end: number): number;
  write(batch: BatchWrites): void;
  noteClosed(): void;
  settled(): Promise<void>;
}

export interface WireWriterOptions {
  readonly requester: Requester;
  readonly session: string;
  readonly pace: Pace;
  /** Called when the agent has closed its input, does not read it, or reads it again. */
  onInput(state: InputState): void;
  readonly stuckMs?: number;
}

export class WireWriter implements BatchWriter {
  readonly #options: WireWriterOptions;
  #last: Promise<void> = Promise.resolve();
  /** Batches that are not written yet, by offset. */
  readonly #open = new Set<number>();
  #isGone = false;
  /** Whether the driver closes the input itself: then a closed input is not reported. */
  #isClosing = false;

  constructor(options: WireWriterOptions) {
    this.#options = options;
  }

  /** Returns the offset before which all writes have arrived; `end` if no write is pending. */
  writtenBefore(end: number): number {
    return Math.min(end, ...this.#open);
  }

  write(batch: BatchWrites): void {
    this.#isClosing ||= batch.closes;
    this.#open.add(batch.offset);
    this.#last = this.#last.then(() => this.#write(batch));
  }

  /** Notes that an earlier driver has closed the input. */
  noteClosed(): void {
    this.#isClosing = true;
  }

  /** Resolves when all lines are written. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #write({ offset, lines, closes }: BatchWrites): Promise<void> {
    const { requester, session } = this.#options;
    for (const [at, line] of lines.entries()) {
      const bytes = Buffer.from(`${line}\n`);
      for (let from = 0; from < bytes.length; from += PIECE_BYTES)
        await this.#piece(`agent ${offset} ${at} ${from}`, bytes.subarray(from, from + PIECE_BYTES));
    }
    if (closes && !this.#isGone) await this.#tried(() => requester.once('closeInput', { session }));
    this.#open.delete(offset);
  }

  async #piece(key: string, bytes: Buffer): Promise<void> {
    const { requester, session, pace, onInput, stuckMs = STUCK_MS } = this.#options;
    const ask = { session, key, base64: bytes.toString('base64') };
    let isStuck = false;
    const cancel = pace.after(stuckMs, () => {
      isStuck = true;
      onInput('stuck');
    });
    try {
      while (!this.#isGone) if (await this.#tried(() => requester.once('type', ask))) break;
    } finally {
      cancel();
    }
    if (isStuck && !this.#isGone) onInput('open');
  }

  /** Returns false if the write must be tried again. Writes to an agent that is gone are dropped. */
  async #tried(write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      if (SpoolError.is(error, 'INPUT_QUEUE_FULL')) await this.#options.pace.sleep(QUEUE_FULL_MS);
      else if (SpoolError.is(error, 'SESSION_EXITED') || SpoolError.is(error, 'INPUT_CLOSED')) {
        if (SpoolError.is(error, 'INPUT_CLOSED') && !this.#isGone && !this.#isClosing) this.#options.onInput('closed');
        this.#isGone = true;
      } else throw error;
      return this.#isGone;
    }
  }
}
