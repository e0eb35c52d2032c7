/**
 * The output of a session as lines, in the order in which they ended, with their place in the log. A line of stdout and one
 * of stderr may be mixed in the log; each is put together from its own stream.
 */
import type { WatchItem } from '@spool/client/driver';
import { type FramedLine, LineFraming } from '@spool/drivers';
import { Collector } from './collector.ts';

export type OutputItem =
  | {
      readonly type: 'line';
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
      readonly offset: number;
      readonly length: number;
      readonly isCut?: boolean;
      /** The offset after its last byte. */
      readonly end: number;
      /** No line of the other stream has begun before `end`: reading can go on from there. */
      readonly isClean: boolean;
    }
  | { readonly type: 'gap'; readonly from: number; readonly to: number }
  | { readonly type: 'exited'; readonly exitCode: number | null; readonly signal: string | null };

const NEWLINE = 0x0a;

class StreamLines {
  readonly #stream: 'stdout' | 'stderr';
  readonly #other: () => StreamLines;
  #framing = new LineFraming();
  #startedAt: number | null = null;

  constructor(stream: 'stdout' | 'stderr', other: () => StreamLines) {
    this.#stream = stream;
    this.#other = other;
  }

  get isOpen(): boolean {
    return this.#startedAt !== null;
  }

  *push(offset: number, bytes: Uint8Array): Generator<OutputItem> {
    for (let from = 0; from < bytes.length;) {
      this.#startedAt ??= offset + from;
      const newline = bytes.indexOf(NEWLINE, from);
      const to = newline === -1 ? bytes.length : newline + 1;
      yield* this.#lines(this.#framing.push(bytes.subarray(from, to)), offset + to);
      from = to;
    }
  }

  *end(offset: number): Generator<OutputItem> {
    yield* this.#lines(this.#framing.end(), offset);
  }

  /** What was begun has lost its end. */
  drop(): void {
    this.#framing = new LineFraming();
    this.#startedAt = null;
  }

  *#lines(lines: readonly FramedLine[], end: number): Generator<OutputItem> {
    for (const { text, length, isCut } of lines) {
      const offset = this.#startedAt ?? end - length;
      this.#startedAt = null;
      const isClean = !this.#other().isOpen;
      yield { type: 'line', stream: this.#stream, text, offset, length, end, isClean, ...(isCut && { isCut }) };
    }
  }
}

export async function* outputLines(items: AsyncIterable<WatchItem>): AsyncGenerator<OutputItem, undefined> {
  const stdout: StreamLines = new StreamLines('stdout', () => stderr);
  const stderr: StreamLines = new StreamLines('stderr', () => stdout);
  const collector = new Collector();
  for await (const item of items) {
    if (item.type === 'output') collector.note(item.bytes.length);
    if (item.type === 'output') yield* (item.stream === 'stderr' ? stderr : stdout).push(item.offset, item.bytes);
    else if (item.type === 'gap') {
      stdout.drop();
      stderr.drop();
      yield { type: 'gap', from: item.from, to: item.to };
    } else if (item.type === 'exit') {
      yield* stdout.end(item.offset);
      yield* stderr.end(item.offset);
      yield { type: 'exited', exitCode: item.exitCode, signal: item.signal };
    }
  }
  return undefined;
}
