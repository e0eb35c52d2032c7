/**
 * The checkpoint of a driver: one file beside the logs, replaced as a whole. Only the driver interprets its content. The keeper
 * adds a digest, so that a torn or damaged file counts as missing, and the driver then reads its logs from the start. Keeps EVT-11
 * for files.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';

const DIGEST_CHARACTERS = 64;

export class CheckpointFile {
  readonly #path: string;
  /** The last write. Writes run one after the other: two at once would share the temporary file. */
  #last: Promise<void> = Promise.resolve();

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/checkpoint`;
  }

  /** Rejects if the file cannot be written; the previous checkpoint then remains. */
  write(base64: string): Promise<void> {
    const written = this.#last.then(async () => {
      await writeFile(`${this.#path}.tmp`, `${digest(base64)}${base64}`, { mode: 0o600 });
      await rename(`${this.#path}.tmp`, this.#path);
    });
    this.#last = written.catch(() => {});
    return written;
  }

  /** Returns null if there is no checkpoint, or it is damaged. */
  async read(): Promise<string | null> {
    await this.#last;
    const text = await readFile(this.#path, 'latin1').catch(() => '');
    const base64 = text.slice(DIGEST_CHARACTERS);
    return base64 !== '' && text.startsWith(digest(base64)) ? base64 : null;
  }

  /** Removes the checkpoint of a session that has ended: no driver needs it any more. */
  remove(): void {
    void this.#last.then(() => rmSync(this.#path, { force: true }));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
