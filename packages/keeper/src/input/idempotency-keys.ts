/**
 * The idempotency keys of typed input: input with a known key is not typed again, not even by the next keeper. The file in the
 * session's folder has one line per key; the newest thousand count. Keeps IN-43.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const KEYS_MAX = 1000;
const DIGITS = 24;

export class IdempotencyKeys {
  readonly #path: string;
  #known: Set<string> | null = null;
  /** The number of lines in the file, including expired keys. */
  #lines = 0;

  constructor(sessionFolder: string, file = 'keys') {
    this.#path = `${sessionFolder}/${file}`;
  }

  has(key: string): boolean {
    return this.#load().has(digest(key));
  }

  /** Returns the name of the journal's stream for this key, which records how much of the input is typed until it is complete. */
  streamOf(key: string): string {
    return digest(key);
  }

  add(key: string): void {
    const known = this.#load();
    const line = digest(key);
    known.add(line);
    if (known.size > KEYS_MAX) known.delete(known.values().next().value!);
    try {
      if (++this.#lines <= 2 * KEYS_MAX) return appendFileSync(this.#path, `${line}\n`, { mode: 0o600 });
      writeFileSync(`${this.#path}.tmp`, `${[...known].join('\n')}\n`, { mode: 0o600 });
      renameSync(`${this.#path}.tmp`, this.#path);
      this.#lines = known.size;
    } catch {
      // The disk is full: only this keeper knows the key.
    }
  }

  #load(): Set<string> {
    if (this.#known) return this.#known;
    let text = '';
    try {
      text = readFileSync(this.#path, 'latin1');
    } catch {
      // the file does not exist yet
    }
    const lines = text.split('\n').filter((line) => line.length === DIGITS);
    this.#lines = lines.length;
    return (this.#known = new Set(lines.slice(-KEYS_MAX)));
  }
}

/** Returns a digest, because keys can be of any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, DIGITS);
}
