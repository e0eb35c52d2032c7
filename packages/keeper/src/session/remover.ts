/**
 * Takes the folders of removed sessions away: out of sight at once, by a new name, and from the disk bit by bit. A folder may
 * hold thousands of files, and nobody should wait for them. What a killed keeper left is taken up by the next.
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { removeFolder } from '@spool/core';

/** No id of a session begins so. */
const PREFIX = '.removed-';

export class Remover {
  readonly #sessions: string;
  readonly #warn: (sentence: string) => void;
  readonly #waiting: string[] = [];
  #isWorking = false;

  /** `sessions`: the folder of all sessions. */
  constructor(sessions: string, warn: (sentence: string) => void) {
    this.#sessions = sessions;
    this.#warn = warn;
  }

  /** The folder is gone when this returns, for whoever looks for it. Throws when it cannot be moved. */
  take(folder: string): void {
    const removed = `${this.#sessions}/${PREFIX}${basename(folder)}-${randomBytes(4).toString('hex')}`;
    try {
      renameSync(folder, removed);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    this.#waiting.push(removed);
    void this.#work();
  }

  /** Goes on with what a keeper before us had begun. */
  async resume(): Promise<void> {
    const names = await readdir(this.#sessions).catch(() => []); // then there is nothing to go on with
    for (const name of names) if (name.startsWith(PREFIX)) this.#waiting.push(`${this.#sessions}/${name}`);
    await this.#work();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let folder = this.#waiting.shift(); folder !== undefined; folder = this.#waiting.shift()) {
      try {
        await removeFolder(folder);
      } catch (error) {
        this.#warn(`${folder} could not be removed whole: ${(error as Error).message}`);
      }
    }
    this.#isWorking = false;
  }
}
