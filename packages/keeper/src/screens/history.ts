/**
 * What a session has been through: states, milestones, commands, a line of JSON each, beside its log. Derived from the log,
 * so it may be missing; but it tells at once what reading the log again would take minutes to find.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { HistoryItem } from '@spool/protocol';

/** Past this, the older half goes. */
const BYTES_MAX = 512 * 1024;

export class History {
  readonly #path: string;
  #bytes = -1;

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/history.ndjson`;
  }

  /** Oldest first; what cannot be read is passed over. */
  read(): HistoryItem[] {
    return this.#text().split('\n').flatMap(parsed);
  }

  add(item: HistoryItem): void {
    if (this.#bytes < 0) this.#bytes = Buffer.byteLength(this.#text());
    const line = `${JSON.stringify(item)}\n`;
    try {
      if (this.#bytes + line.length > BYTES_MAX) this.#shorten();
      appendFileSync(this.#path, line, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(line);
    } catch {
      // A full disk, or the session was removed meanwhile: the log is what counts
    }
  }

  #shorten(): void {
    const text = this.#text();
    const kept = text.slice(text.indexOf('\n', text.length / 2) + 1);
    writeFileSync(`${this.#path}.tmp`, kept, { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
    this.#bytes = Buffer.byteLength(kept);
  }

  #text(): string {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch {
      return ''; // nothing has happened yet
    }
  }
}

function parsed(line: string): HistoryItem[] {
  try {
    return [JSON.parse(line) as HistoryItem];
  } catch {
    return []; // the end of the text, or a line that a full disk cut
  }
}
