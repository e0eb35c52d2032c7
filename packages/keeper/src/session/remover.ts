/**
 * Deletes the folders of removed sessions: renames them at once, which hides them, and deletes the files bit by bit. A
 * folder may hold thousands of files, and no request should wait for them. The next keeper finishes what a killed one
 * left. A folder that is a link is not ours to empty: the user has put it there, and only the link goes. Keeps LOG-11, LOG-13.
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { removeFolder } from '@spool/core';

/** No session id starts like this. */
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

  /** When this returns, the folder is gone under its old name. Throws when it cannot be moved. */
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

  /** Continues what an earlier keeper had started. */
  async resume(): Promise<void> {
    const names = await readdir(this.#sessions).catch(() => []); // then there is nothing to continue
    for (const name of names) if (name.startsWith(PREFIX)) this.#waiting.push(`${this.#sessions}/${name}`);
    await this.#work();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let folder = this.#waiting.shift(); folder !== undefined; folder = this.#waiting.shift()) {
      try {
        const found = await lstat(folder).catch(() => null); // gone: nothing is left to do
        if (found?.isSymbolicLink()) await unlink(folder);
        else await removeFolder(folder);
      } catch (error) {
        this.#warn(`${folder} could not be removed completely: ${(error as Error).message}`);
      }
    }
    this.#isWorking = false;
  }
}
