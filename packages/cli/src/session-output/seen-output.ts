/**
 * Reads a session's output as a person saw it, from one offset in its log to another, or without end. Keeps PAST-1 to PAST-3.
 *
 * The work is done here, in the client: the daemon only sends bytes, at the speed of this reader. A read from the middle begins
 * with the screen at that offset, so that later output is painted on the right screen.
 */
import type { Client } from '@spool/client';
import { type SeenItem, SeenReader, type SeenReaderOptions, SETTLE_MS } from '@spool/screen';
import type { SessionInfo } from '@spool/protocol';
import { PlainReader } from './plain-reader.ts';
import { timedOutput } from './timed-output.ts';

export interface SeenOptions extends SeenReaderOptions {
  /** The offset to begin at. */
  readonly from: number;
  /** The offset to end at. */
  readonly until?: number | undefined;
  readonly isFollowing?: boolean | undefined;
  readonly stream?: 'stdout' | 'stderr' | undefined;
}

export interface SeenListener {
  /** Resolves when there is room for more. */
  take(items: readonly SeenItem[]): Promise<void>;
  /** Shows the unfinished line after a pause, if it follows. */
  showOpen?(text: string, at: number): Promise<void>;
  /** Called when everything up to now was read, if it follows. */
  onLive?(): Promise<void>;
  onGap(from: number, to: number): void;
  onRemoved?(): void;
}

/** The time without new output after which an unfinished line is shown. */
const OPEN_MS = 200;

export async function readSeen(
  client: Client,
  session: SessionInfo,
  options: SeenOptions,
  listener: SeenListener,
): Promise<void> {
  const items: SeenItem[] = [];
  const start = await seenStart(client, session, options.from);
  using reader =
    session.size === null
      ? new PlainReader((item) => items.push(item))
      : new SeenReader(start.size, (item) => items.push(item), options);
  if (start.snapshot !== undefined && reader instanceof SeenReader) reader.begin(start.snapshot, start.at);
  const drain = async (): Promise<void> => {
    if (items.length > 0) await listener.take(items.splice(0));
  };
  using pauses = new Pauses(reader, drain, listener);
  const { until = Infinity, isFollowing = false, stream } = options;

  for await (const item of timedOutput(client, session, { offset: start.offset, at: start.at }, { isFollowing })) {
    if (item.type === 'output') {
      if (item.offset >= until) break;
      const bytes = item.bytes.subarray(0, until - item.offset);
      if (stream === undefined || item.stream === stream) reader.write(bytes, item.at, item.stream);
      pauses.heard(item.at);
    } else if (item.type === 'resize') {
      if ('offset' in item && item.offset > until) break;
      reader.resize(item.cols, item.rows, item.at);
    } else if (item.type === 'live') {
      reader.goLive();
      await drain();
      await listener.onLive?.();
      pauses.isLive = true;
      pauses.heard(Date.now());
    } else if (item.type === 'gap') {
      listener.onGap(item.from, item.to);
    } else if (item.type === 'removed') {
      listener.onRemoved?.();
    }
    await drain();
  }
  pauses.stop();
  reader.end();
  await drain();
}

/** If it follows, shows the unfinished line when output pauses, and repainted lines when they no longer change. */
class Pauses implements Disposable {
  readonly #reader: SeenReader | PlainReader;
  readonly #drain: () => Promise<void>;
  readonly #listener: SeenListener;
  isLive = false;
  #timer: NodeJS.Timeout | undefined;
  #at = 0;

  constructor(reader: SeenReader | PlainReader, drain: () => Promise<void>, listener: SeenListener) {
    this.#reader = reader;
    this.#drain = drain;
    this.#listener = listener;
  }

  heard(at: number): void {
    this.#at = at;
    this.stop();
    if (this.isLive) this.#timer = setTimeout(() => void this.#showOpen(), OPEN_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  async #showOpen(): Promise<void> {
    if (this.#reader.isMoving) {
      this.#timer = setTimeout(() => void this.#settle(), SETTLE_MS - OPEN_MS);
      return;
    }
    const { open } = this.#reader;
    if (open !== '') await this.#listener.showOpen?.(open, this.#at);
  }

  async #settle(): Promise<void> {
    this.#reader.settle();
    await this.#drain();
    await this.#showOpen();
  }
}

/** The offset where a read begins, and the screen there. */
export interface SeenStart {
  readonly offset: number;
  readonly at: number;
  readonly size: { readonly cols: number; readonly rows: number };
  readonly snapshot?: Uint8Array;
}

export async function seenStart(client: Client, session: SessionInfo, from: number): Promise<SeenStart> {
  const { firstOffset, startedAt } = session;
  const size = { cols: 80, rows: 24 };
  if (session.size === null) return { offset: from, at: startedAt, size };
  // Output that is no longer stored is reported as a gap, after which the screen is known from the first keyframe on.
  const then = await client.screen(session.id, { at: { offset: Math.max(from, firstOffset) }, format: 'snapshot' });
  const isMiddle = from > firstOffset;
  return {
    offset: isMiddle ? then.offset : from,
    at: isMiddle ? then.at || startedAt : startedAt,
    size: then,
    ...((isMiddle || firstOffset > 0) && { snapshot: Buffer.from(then.content, 'base64') }),
  };
}
