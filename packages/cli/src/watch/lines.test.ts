import type { Client } from '@spool/client/node';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionWith } from './fixture.ts';
import { WatchLines } from './lines.ts';
import { type Row, WatchList } from './list.ts';

beforeEach(() => void vi.useFakeTimers());
function rowsOf(...ids: string[]): readonly Row[] {
  const list = new WatchList();
  list.replace(ids.map((id) => sessionWith(id, id.startsWith('ended') ? { state: 'exited', endedAt: 1 } : {})));
  return list.all;
}

/** Makes sessions of which some print all the time, and the others nothing; it counts the requests. */
function daemon(isPrinting: (id: string) => boolean): {
  client: Client;
  looks: Map<string, number>;
  waits: Set<string>;
} {
  const looks = new Map<string, number>();
  const waits = new Set<string>();
  const client = {
    async screen(id: string) {
      looks.set(id, (looks.get(id) ?? 0) + 1);
      return { content: `look ${looks.get(id)} at ${id}\n──────\n\n`, offset: looks.get(id)! };
    },
    waitUntil: (id: string, _until: string, { signal }: { signal: AbortSignal }) =>
      isPrinting(id)
        ? Promise.resolve({ reason: 'output' })
        : new Promise((_, reject) => {
            waits.add(id);
            signal.addEventListener('abort', () => {
              waits.delete(id);
              reject(signal.reason as Error);
            });
          }),
  };
  return { client: client as unknown as Client, looks, waits };
}

test('[STATE-4] what prints without end is looked at twice a second, what is silent once, what has ended once', async () => {
  const { client, looks, waits } = daemon((id) => id === 'busy');
  let told = 0;
  using lines = new WatchLines(client, () => told++);
  lines.follow(rowsOf('busy', 'silent', 'ended'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks.get('busy')).toBeLessThanOrEqual(21);
  expect(looks.get('busy')).toBeGreaterThanOrEqual(19);
  expect([looks.get('silent'), looks.get('ended'), [...waits]]).toEqual([1, 1, ['silent']]);
  expect(lines.all.get('silent')).toBe('look 1 at silent');
  expect(told).toBe(looks.get('busy')! + 2);
});

test('[STATE-4] what is scrolled past is not looked at, and what is out of view no longer', async () => {
  const { client, looks, waits } = daemon(() => false);
  using lines = new WatchLines(client, () => {});
  for (let page = 0; page < 20; page++) {
    lines.follow(rowsOf(`p${page}`));
    await vi.advanceTimersByTimeAsync(30);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect([...looks.keys()]).toEqual(['p19']);
  lines.follow([]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([waits.size, looks.get('p19'), vi.getTimerCount()]).toEqual([0, 1, 0]);
});
