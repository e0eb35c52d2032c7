import type { EventItem } from '@spool/client';
import { expect, test } from 'vitest';
import { EventFeed } from './event-feed.ts';
import { EventRing } from './event-ring.ts';

/** Returns a subscription with some events that ends like `end`. */
function subscription(events: readonly EventItem[], end: Promise<void>): AsyncIterable<EventItem> & { close(): void } {
  return {
    async *[Symbol.asyncIterator]() {
      yield* events;
      await end;
    },
    close: () => {},
  };
}

const removed = (id: string): EventItem => ({ type: 'session-removed', at: 1, id });

test.each(['fails', 'ends'])(
  '[API-2] when the source of events %s, readers are told that they missed some',
  async (how) => {
    const first = Promise.withResolvers<void>();
    const subscriptions = [
      subscription([removed('a')], first.promise),
      subscription([removed('b')], new Promise(() => {})),
    ];
    const ring = new EventRing('test');
    const feed = new EventFeed({ events: () => subscriptions.shift()!, list: async () => [] } as never, ring);
    const begin = ring.end;
    await feed.start();
    const types = (): string[] => Array.from({ length: ring.end - begin }, (_, at) => ring.get(begin + at)!.event.type);
    await expect.poll(types).toEqual(['session-removed']);
    if (how === 'fails') first.reject(new Error('no keeper for longer than a client waits'));
    else first.resolve();
    await expect.poll(types, { timeout: 20_000 }).toEqual(['session-removed', 'missed', 'session-removed']);
  },
);
