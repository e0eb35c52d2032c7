/**
 * Writes the driver's lines for an agent in a terminal: each is an answer to a hook that waits (`native/hook`). An answer is one
 * file that appears complete and is never replaced, so a line that is written twice still gives one answer. Keeps CHAN-5, and
 * CHAN-6: no key is pressed.
 * Keeps CHAN-45.
 */
import { link, rm, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHANNEL_ANSWERS } from '@spool/protocol';
import type { BatchWriter, BatchWrites } from '../wire-writer.ts';

/** The ids of hooks: an answer to anything else is not written. */
const HOOK_ID = /^[0-9a-f]{16}$/;
/** An answer that a full disk refuses is tried again, for a minute; then only the agent's own dialog is left. */
const ATTEMPTS_MAX = 60;
const AGAIN_MS = 1000;

export class AnswerWriter implements BatchWriter {
  readonly #folder: string;
  readonly #open = new Set<number>();
  #last: Promise<void> = Promise.resolve();

  readonly #againMs: number;

  /** Takes the folder of the side channel. `againMs` is for tests. */
  constructor(folder: string, againMs = AGAIN_MS) {
    this.#folder = `${folder}/${CHANNEL_ANSWERS}`;
    this.#againMs = againMs;
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
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      try {
        return await this.#place(answer, output);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // without its folder, no hook waits
        await sleep(this.#againMs);
      }
    }
  }

  async #place(answer: string, output: string): Promise<void> {
    const partial = `${this.#folder}/.${answer}.${process.pid}`;
    await rm(partial, { force: true }); // whatever it is: a link would lead elsewhere
    await writeFile(partial, output, { mode: 0o600, flag: 'wx' });
    await link(partial, `${this.#folder}/${answer}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(partial);
  }
}
