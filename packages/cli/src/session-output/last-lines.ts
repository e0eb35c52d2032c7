/** Finds where the last lines of a session's bytes begin, by reading further and further back. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { LineFraming } from '@spool/protocol/line-framing';

const CREDIT_BYTES = 4 * 1024 * 1024;

/** The first guess of the length of a line; if it is too short, four times as much is read. */
const LINE_BYTES_GUESS = 200;

/** Returns the offset where the last `lines` lines begin; newlines end lines. */
export async function lastLines(
  client: Client,
  { id, offset, firstOffset }: SessionInfo,
  lines: number,
): Promise<number> {
  if (lines === 0) return offset;
  for (let bytes = Math.max(64 * 1024, lines * LINE_BYTES_GUESS); ; bytes *= 4) {
    const from = Math.max(firstOffset, offset - bytes);
    const begins = new LastBegins(lines + 1);
    const framing = new LineFraming({ bytesMax: 0 }); // only the starts of lines count
    for await (const item of client.watch(id, { from, creditBytes: CREDIT_BYTES })) {
      if (item.type === 'output')
        for (const line of framing.push(item.bytes.subarray(0, Math.max(0, offset - item.offset)), item.offset))
          begins.add(line.offset);
      if (item.type === 'synced' || (item.type === 'output' && item.offset + item.bytes.length >= offset)) break;
    }
    for (const line of framing.end()) begins.add(line.offset);
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
