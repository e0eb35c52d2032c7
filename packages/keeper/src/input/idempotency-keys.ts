/**
 * The keys of input that has been typed: what comes with one of them again is not typed again, also by the next keeper. A line
 * each in the session's folder; the newest thousand are remembered.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const KEYS_MAX = 1000;
const DIGITS = 24;

export class IdempotencyKeys {
  readonly #path: string;
  #known: Set<string> | null = null;
  /** In the file, those that no longer count included. */
  #lines = 0;

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/keys`;
  }

  has(key: string): boolean {
    return this.#load().has(digest(key));
  }

  /** The name under which the journal knows how much of it is typed, while that is not all. */
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
      // A full disk: this keeper knows it all the same
    }
  }

  #load(): Set<string> {
    if (this.#known) return this.#known;
    let text = '';
    try {
      text = readFileSync(this.#path, 'latin1');
    } catch {
      // none yet
    }
    const lines = text.split('\n').filter((line) => line.length === DIGITS);
    this.#lines = lines.length;
    return (this.#known = new Set(lines.slice(-KEYS_MAX)));
  }
}

/** A key may be as long as its owner likes. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, DIGITS);
}
