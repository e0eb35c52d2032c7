/**
 * Stores when each token was last used, for `spool token ls`. The file is written at most twice a minute, and not at all without
 * requests.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const WRITE_AFTER_MS = 30_000;

export class LastUsed {
  readonly #path: string;
  readonly #times: Record<string, number>;
  #timer: NodeJS.Timeout | null = null;

  constructor(folder: string) {
    this.#path = `${folder}/last-used.json`;
    this.#times = read(this.#path);
  }

  note(id: string): void {
    const isNew = this.#times[id] === undefined;
    this.#times[id] = Date.now();
    if (isNew) return this.#write(); // the first use matters most to a user
    this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS).unref();
  }

  /** Forgets tokens that no longer exist. */
  forget(isKnown: (id: string) => boolean): void {
    for (const id of Object.keys(this.#times)) if (!isKnown(id)) delete this.#times[id];
  }

  #write(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    try {
      writeFileSync(`${this.#path}.tmp`, JSON.stringify(this.#times), { mode: 0o600 });
      renameSync(`${this.#path}.tmp`, this.#path);
    } catch {
      // The disk is full: the list of tokens will be slightly out of date.
    }
  }
}

function read(path: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
  } catch {
    return {}; // this is the first gateway, or the file was cut short
  }
}
