/**
 * Deletes the folders of removed sessions: renames them at once, which hides them, and deletes the files bit by bit. A folder may
 * hold thousands of files, and no request should wait for them. The next keeper finishes the work of a killed one. If a folder is a
 * link, only the link is removed: the user has created it, so its target is left alone. Keeps LOG-11, LOG-13.
 */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { removeFolder } from '@spool/store';

/** The prefix of removed folders, with which no session id starts. */
const PREFIX = '.removed-';

export class Remover {
  readonly #sessions: string;
  readonly #warn: (sentence: string) => void;
  readonly #waiting: string[] = [];
  #isWorking = false;

  /** Takes the folder of all sessions. */
  constructor(sessions: string, warn: (sentence: string) => void) {
    this.#sessions = sessions;
    this.#warn = warn;
  }

  /** Renames the folder and starts to delete it. Throws if it cannot be renamed. */
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

  /** Continues the deletions that an earlier keeper had started. */
  async resume(): Promise<void> {
    const names = await readdir(this.#sessions).catch(() => []); // there are no folders to delete
    for (const name of names) if (name.startsWith(PREFIX)) this.#waiting.push(`${this.#sessions}/${name}`);
    await this.#work();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let folder = this.#waiting.shift(); folder !== undefined; folder = this.#waiting.shift()) {
      try {
        const found = await lstat(folder).catch(() => null); // the folder is gone: the work is done
        if (found?.isSymbolicLink()) await unlink(folder);
        else await removeFolder(folder);
      } catch (error) {
        this.#warn(`${folder} could not be removed completely: ${(error as Error).message}`);
      }
    }
    this.#isWorking = false;
  }
}
