/**
 * Writes the driver's lines for an agent in a terminal: each is an answer to a hook that waits (`native/hook`). An answer is one
 * file that appears complete and is never replaced, so a line that is written twice still gives one answer. Keeps CHAN-5, and
 * CHAN-6: no key is pressed.
 */
import { link, unlink, writeFile } from 'node:fs/promises';
import { CHANNEL_ANSWERS } from '@spool/protocol';
import type { BatchWriter, BatchWrites } from '../wire-writer.ts';

/** The ids of hooks: an answer to anything else is not written. */
const HOOK_ID = /^[0-9a-f]{16}$/;

export class AnswerWriter implements BatchWriter {
  readonly #folder: string;
  readonly #open = new Set<number>();
  #last: Promise<void> = Promise.resolve();

  /** Takes the folder of the side channel. */
  constructor(folder: string) {
    this.#folder = `${folder}/${CHANNEL_ANSWERS}`;
  }

  writtenBefore(end: number): number {
    return Math.min(end, ...this.#open);
  }

  write({ offset, lines }: BatchWrites): void {
    this.#open.add(offset);
    this.#last = this.#last.then(async () => {
      for (const line of lines) await this.#answer(JSON.parse(line) as { answer: string; output: string });
      this.#open.delete(offset);
    });
  }

  noteClosed(): void {}

  settled(): Promise<void> {
    return this.#last;
  }

  async #answer({ answer, output }: { answer: string; output: string }): Promise<void> {
    if (!HOOK_ID.test(answer)) return;
    const partial = `${this.#folder}/.${answer}.${process.pid}`;
    await writeFile(partial, output, { mode: 0o600 });
    await link(partial, `${this.#folder}/${answer}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(partial);
  }
}
