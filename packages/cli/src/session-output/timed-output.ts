/** A session's output with times: joins the output with its time marks and resizes. */
import type { Client, LogMarkInfo } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { ownSession } from '../output/own-session.ts';

export type TimedItem =
  | {
      readonly type: 'output';
      readonly at: number;
      readonly offset: number;
      readonly bytes: Uint8Array;
      readonly stream: 'stdout' | 'stderr';
    }
  | {
      readonly type: 'resize';
      readonly at: number;
      readonly offset: number;
      readonly cols: number;
      readonly rows: number;
    }
  | { readonly type: 'gap'; readonly at: number; readonly from: number; readonly to: number }
  | { readonly type: 'exit'; readonly at: number; readonly exitCode: number | null; readonly signal: string | null }
  /** The mark that everything up to now was read, if it follows. */
  | { readonly type: 'live'; readonly at: number }
  | { readonly type: 'removed'; readonly at: number };

const CREDIT_BYTES = 4 * 1024 * 1024;

/** The offset to begin at, and the time of the output before it, which also applies up to the next mark. */
export interface StartPoint {
  readonly offset: number;
  readonly at: number;
}

/**
 * Yields all output from there up to now, and the exit if there was one. If it follows, it continues to the end of the session; new
 * output has its time of arrival. Times are in milliseconds since 1970.
 */
export async function* timedOutput(
  client: Client,
  session: SessionInfo,
  { offset: from, at }: StartPoint,
  { isFollowing = false } = {},
): AsyncGenerator<TimedItem> {
  const marks = new MarkReader(client.marks(session.id, { from }), at);
  let isLive = false;
  for await (const item of client.watch(session.id, {
    from,
    creditBytes: CREDIT_BYTES,
    inside: isFollowing ? ownSession() : undefined,
  })) {
    if (isLive) marks.at = Math.max(marks.at, Date.now());
    switch (item.type) {
      case 'output':
        if (isLive) yield { ...item, at: marks.at };
        else yield* cut(item, marks);
        break;
      case 'gap':
        yield { type: 'gap', at: marks.at, from: item.from, to: item.to };
        break;
      case 'resized':
        if (isLive) yield { type: 'resize', at: marks.at, offset: item.offset, cols: item.cols, rows: item.rows };
        break;
      case 'removed':
        yield { type: 'removed', at: marks.at };
        return;
      case 'synced':
        if (isLive) break;
        yield* marks.resizesBefore(item.offset + 1);
        if (isFollowing) yield { type: 'live', at: marks.at };
        else if (session.state === 'running') return;
        isLive = isFollowing;
        break;
      case 'exit':
        yield* marks.resizesBefore(Infinity);
        yield { type: 'exit', at: session.endedAt ?? marks.at, exitCode: item.exitCode, signal: item.signal };
        return;
    }
  }
}

type Output = Extract<TimedItem, { type: 'output' }>;

/** Cuts output into one piece per time. */
async function* cut({ offset, bytes, stream }: Omit<Output, 'at'>, marks: MarkReader): AsyncGenerator<TimedItem> {
  const end = offset + bytes.length;
  for (let at = offset; at < end;) {
    yield* marks.resizesBefore(at + 1);
    const next = Math.min(end, await marks.nextOffset());
    yield { type: 'output', at: marks.at, offset: at, bytes: bytes.subarray(at - offset, next - offset), stream };
    at = next;
  }
}

/** The time marks, read on demand. */
class MarkReader {
  readonly #marks: AsyncIterator<LogMarkInfo>;
  #next: LogMarkInfo | null | undefined;
  /** Returns the current time. It never goes back. */
  at: number;

  constructor(marks: AsyncIterable<LogMarkInfo>, at: number) {
    this.#marks = marks[Symbol.asyncIterator]();
    this.at = at;
  }

  async nextOffset(): Promise<number> {
    return (await this.#peek())?.offset ?? Infinity;
  }

  /** Consumes the marks before `offset` and returns the resizes among them. */
  async *resizesBefore(offset: number): AsyncGenerator<TimedItem> {
    for (let mark = await this.#peek(); mark !== null && mark.offset < offset; mark = await this.#peek()) {
      this.#next = undefined;
      this.at = Math.max(this.at, mark.at);
      if (mark.type !== 'resize') continue;
      yield { type: 'resize', at: this.at, offset: mark.offset, cols: mark.cols, rows: mark.rows };
    }
  }

  async #peek(): Promise<LogMarkInfo | null> {
    if (this.#next === undefined) {
      const { done, value } = await this.#marks.next();
      this.#next = done === true ? null : value;
    }
    return this.#next;
  }
}
