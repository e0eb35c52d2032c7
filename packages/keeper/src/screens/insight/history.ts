/**
 * The history of a session: states, milestones, commands, who typed, one line of JSON each, beside its log. Most of it
 * is derived from the log, so it may be missing; but reading the log again would take minutes.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { HistoryItem } from '@spool/protocol';

/** Past this size, the older half is dropped. */
const BYTES_MAX = 512 * 1024;

export class History {
  readonly #path: string;
  #bytes = -1;
  /** Not on the disk yet. */
  #unsaved = '';

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/history.ndjson`;
  }

  /** Oldest first; unreadable lines are skipped. */
  read(): HistoryItem[] {
    this.save();
    return this.#text().split('\n').flatMap(parsed);
  }

  add(item: HistoryItem): void {
    this.#unsaved += `${JSON.stringify(item)}\n`;
  }

  /** Saving many items at once costs no more than one. */
  save(): void {
    if (this.#unsaved === '') return;
    const lines = this.#unsaved;
    this.#unsaved = '';
    if (this.#bytes < 0) this.#bytes = Buffer.byteLength(this.#text());
    try {
      if (this.#bytes + lines.length > BYTES_MAX) this.#shorten();
      appendFileSync(this.#path, lines, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(lines);
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
    return []; // the end of the text, or a line that a full disk truncated
  }
}
