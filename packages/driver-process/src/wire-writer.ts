/**
 * Writes the driver's lines to the agent: in order, and each once. The record that holds a line is in the events log before
 * the line is written, and the line's key is its place there, so a driver or a keeper that dies in between repeats nothing
 * (decision 013). Keeps EVT-6.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Requester } from '@spool/client/driver';
import { SpoolError } from '@spool/protocol';

/** A request holds it in base64. */
const PIECE_BYTES = 256 * 1024;
const QUEUE_FULL_MS = 20;

export interface BatchWrites {
  /** The place of its record. */
  readonly offset: number;
  readonly lines: readonly string[];
  readonly closes: boolean;
}

export class WireWriter {
  readonly #requester: Requester;
  readonly #session: string;
  #last: Promise<void> = Promise.resolve();
  /** Batches that are not written yet, by offset. */
  readonly #open = new Set<number>();
  #isGone = false;

  constructor(requester: Requester, session: string) {
    this.#requester = requester;
    this.#session = session;
  }

  /** All writes of the records before `end` that are not in the set have arrived. */
  writtenBefore(end: number): number {
    return Math.min(end, ...this.#open);
  }

  write(batch: BatchWrites): void {
    this.#open.add(batch.offset);
    this.#last = this.#last.then(() => this.#write(batch));
  }

  /** Resolves when everything is written. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #write({ offset, lines, closes }: BatchWrites): Promise<void> {
    for (const [at, line] of lines.entries()) {
      const bytes = Buffer.from(`${line}\n`);
      for (let from = 0; from < bytes.length; from += PIECE_BYTES)
        await this.#piece(`agent ${offset} ${at} ${from}`, bytes.subarray(from, from + PIECE_BYTES));
    }
    if (closes && !this.#isGone)
      await this.#tried(() => this.#requester.once('closeInput', { session: this.#session }));
    this.#open.delete(offset);
  }

  async #piece(key: string, bytes: Buffer): Promise<void> {
    const ask = { session: this.#session, key, base64: bytes.toString('base64') };
    while (!this.#isGone) if (await this.#tried(() => this.#requester.once('type', ask))) return;
  }

  /** False when it is to be tried again. An agent that is gone reads nothing. */
  async #tried(write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      if (SpoolError.is(error, 'INPUT_QUEUE_FULL')) await sleep(QUEUE_FULL_MS);
      else if (SpoolError.is(error, 'SESSION_EXITED') || SpoolError.is(error, 'INPUT_CLOSED')) this.#isGone = true;
      else throw error;
      return this.#isGone;
    }
  }
}
