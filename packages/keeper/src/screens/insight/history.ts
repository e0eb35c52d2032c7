/**
 * The history of a session: states, milestones, commands and clients that typed, one line of JSON each, beside its log. Most of
 * it is derived from the log, so it may be missing; but reading the log again would take minutes.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { HistoryItem } from '@spool/protocol';

/** The maximum size; above it, the older half is dropped. */
const BYTES_MAX = 512 * 1024;

export class History {
  readonly #path: string;
  #bytes = -1;
  /** The lines that are not on the disk yet. */
  #unsaved = '';

  constructor(sessionFolder: string) {
    this.#path = `${sessionFolder}/history.ndjson`;
  }

  /** Returns the items, oldest first; unreadable lines are skipped. */
  read(): HistoryItem[] {
    this.save();
    return this.#text().split('\n').flatMap(parsed);
  }

  add(item: HistoryItem): void {
    this.#unsaved += `${JSON.stringify(item)}\n`;
  }

  /** Writes all new items at once, which costs no more than one. */
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
      // The disk is full, or the session was removed meanwhile: only the log is essential.
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
      return ''; // the file does not exist yet
    }
  }
}

function parsed(line: string): HistoryItem[] {
  try {
    return [JSON.parse(line) as HistoryItem];
  } catch {
    return []; // the end of the text, or a line that a full disk has truncated
  }
}
