/** Finds where the last lines of a session's bytes begin, by reading from further and further back. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';

const CREDIT_BYTES = 4 * 1024 * 1024;

/** The first guess of the length of a line; if it is too short, four times as much is read. */
const LINE_BYTES_GUESS = 200;

/** The offset where the last `lines` lines begin, as newlines end them. */
export async function lastLines(
  client: Client,
  { id, offset, firstOffset }: SessionInfo,
  lines: number,
): Promise<number> {
  if (lines === 0) return offset;
  for (let bytes = Math.max(64 * 1024, lines * LINE_BYTES_GUESS); ; bytes *= 4) {
    const from = Math.max(firstOffset, offset - bytes);
    const begins = new LastBegins(lines + 1);
    const seen = new NewlineBegins(from, begins);
    for await (const item of client.watch(id, { from, creditBytes: CREDIT_BYTES })) {
      if (item.type === 'output') seen.push(item.offset, item.bytes.subarray(0, Math.max(0, offset - item.offset)));
      if (item.type === 'synced' || (item.type === 'output' && item.offset + item.bytes.length >= offset)) break;
    }
    // The first line may have begun before `from`.
    const isEnough = begins.count > lines || from === firstOffset;
    if (isEnough) return begins.count >= lines ? begins.last(lines) : from;
  }
}

class LastBegins {
  readonly #most: number;
  readonly #offsets: number[] = [];
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(offset: number): void {
    this.count++;
    this.#offsets.push(offset);
    if (this.#offsets.length > this.#most * 2 + 1024) this.#offsets.splice(0, this.#offsets.length - this.#most);
  }

  last(lines: number): number {
    return this.#offsets.at(-lines)!;
  }
}

class NewlineBegins {
  readonly #begins: LastBegins;
  /** Where the next line begins, if any output follows. */
  #open: number | null;

  constructor(from: number, begins: LastBegins) {
    this.#open = from;
    this.#begins = begins;
  }

  push(offset: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#open !== null) this.#begins.add(this.#open);
      this.#open = null;
      const newline = bytes.indexOf(0x0a, at);
      if (newline === -1) return;
      at = newline + 1;
      this.#open = offset + at;
    }
  }
}
