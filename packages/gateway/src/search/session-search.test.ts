import type { Watch, WatchItem, WatchOptions } from '@spool/client';
import { expect, test } from 'vitest';
import { SearchSemaphore } from './search-semaphore.ts';
import { searchSession } from './session-search.ts';

const PIECE = Buffer.alloc(1024, 'hay\n');

/** A session of a gigabyte that counts the bytes that were read. */
class FakeLog {
  readonly session = { id: 'a', offset: 2 ** 30, firstOffset: 0 };
  pieces = 0;
  open = 0;
  onPiece: () => void = () => {};

  watch(_id: string, { from, signal }: WatchOptions = {}): Watch {
    return this.#read(Number(from), signal as AbortSignal) as unknown as Watch;
  }

  async *#read(from: number, signal: AbortSignal): AsyncGenerator<WatchItem> {
    this.open++;
    try {
      for (let offset = from; ; offset += PIECE.length) {
        this.pieces++;
        this.onPiece();
        signal?.throwIfAborted();
        yield { type: 'output', offset, bytes: PIECE, stream: 'stdout' };
      }
    } finally {
      this.open--;
    }
  }
}

test('[PAGE-38] a search whose client has left reads nothing more, in the middle of a window too', async () => {
  const log = new FakeLog();
  const leaving = new AbortController();
  log.onPiece = () => {
    if (log.pieces === 10) leaving.abort();
  };
  await expect(searchSession(log, log.session, { text: 'needle' }, leaving.signal)).rejects.toThrow('aborted');
  expect([log.pieces, log.open]).toEqual([10, 0]);
});

test('[PAGE-38] one that waits for its turn gives it up, and its place with it', async () => {
  const turns = new SearchSemaphore();
  const running = Promise.withResolvers<void>();
  const first = [turns.take('a', new AbortController().signal, () => running.promise)];
  first.push(turns.take('a', new AbortController().signal, () => running.promise));
  const leaving = new AbortController();
  let begun = 0;
  const search = async (): Promise<void> => void begun++;
  const waiting = [turns.take('a', leaving.signal, search), turns.take('a', leaving.signal, search)];
  await expect(turns.take('a', new AbortController().signal, search)).rejects.toMatchObject({
    code: 'TOO_MANY_VISITS',
  });
  leaving.abort();
  for (const each of waiting) await expect(each).rejects.toThrow('aborted');
  const next = turns.take('a', new AbortController().signal, search);
  running.resolve();
  await Promise.all([...first, next]);
  expect(begun).toBe(1);
});
