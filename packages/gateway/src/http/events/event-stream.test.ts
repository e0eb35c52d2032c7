import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Principal } from '../../auth/principal.ts';
import { type RingEntry, EventRing } from './event-ring.ts';
import { EventStream } from './event-stream.ts';
import { toldTo } from './event-streams.ts';

/** A client that reads when the test lets it. */
class Reader extends EventEmitter {
  readonly written: string[] = [];
  isReading = true;
  isDestroyed = false;

  write(text: string): boolean {
    this.written.push(text);
    return this.isReading;
  }

  end(): void {}

  destroy(): void {
    this.isDestroyed = true;
  }

  get ids(): string[] {
    return this.written.map((text) => /id: (\S+)/.exec(text)![1]!);
  }
}

function follow(ring: EventRing, lastId?: string): { reader: Reader; stream: EventStream } {
  const reader = new Reader();
  const response = reader as unknown as ServerResponse;
  return { reader, stream: new EventStream({ ring, response, told: ({ json }) => json, lastId }) };
}

function fill(ring: EventRing, count: number): void {
  for (let at = 0; at < count; at++)
    ring.push({ type: 'session-removed', at, id: `s${at}` }, { id: `s${at}`, labels: {} });
}

test('[API-2] an id is continued after while the ring has what follows, and only in the gateway that gave it', () => {
  const ring = new EventRing('g1', { entriesMax: 3, charsMax: 10_000 });
  fill(ring, 5); // the events 3, 4 and 5 are left
  expect(
    ['g1-1', 'g1-2', 'g1-5', 'g1-6', 'g2-4', 'g1-', 'x', '', 'g1--3', 'g1-1e1'].map((id) => ring.after(id)),
  ).toEqual([null, 3, 6, null, null, null, null, null, null, null]);
});

test('[API-2] the ring is bounded by its text too', () => {
  const ring = new EventRing('g1', { entriesMax: 1000, charsMax: 1000 });
  ring.push({ type: 'missed', at: 0, reason: 'x'.repeat(2000) as never }, null);
  fill(ring, 100);
  let chars = 0;
  for (let number = ring.first; number < ring.end; number++) chars += ring.get(number)!.json.length;
  expect([chars > 800, chars <= 1000]).toEqual([true, true]);
});

test('[API-2] a client that does not read gets nothing more, then what it has not seen, or that it missed something', () => {
  const ring = new EventRing('g1', { entriesMax: 10, charsMax: 10_000 });
  const { reader, stream } = follow(ring);
  reader.isReading = false;
  for (let round = 0; round < 5; round++) {
    fill(ring, 1);
    stream.flush();
  }
  expect(reader.ids).toEqual(['g1-0', 'g1-1']);
  reader.isReading = true;
  reader.emit('drain');
  expect(reader.ids).toEqual(['g1-0', 'g1-1', 'g1-2', 'g1-3', 'g1-4', 'g1-5']);
  reader.isReading = false;
  fill(ring, 1);
  stream.flush();
  fill(ring, 100);
  stream.flush();
  reader.isReading = true;
  reader.emit('drain');
  expect(reader.written.slice(7)).toEqual([expect.stringMatching(/^event: missed\nid: g1-106\ndata: .*slow-reader/)]);
});

test('[API-2] a heartbeat moves the id on, and a client that never reads is cut off', () => {
  const ring = new EventRing('g1');
  const reader = new Reader();
  const stream = new EventStream({
    ring,
    response: reader as unknown as ServerResponse,
    told: () => null,
    lastId: undefined,
  });
  fill(ring, 7);
  stream.flush();
  stream.beat();
  expect(reader.written.slice(1)).toEqual([': heartbeat\nid: g1-7\n\n']);
  reader.isReading = false;
  for (let beat = 0; beat < 10; beat++) stream.beat();
  expect([reader.written.length, reader.isDestroyed]).toEqual([3, true]);
});

test('[DOOR-49] a link from now on is told no event from before', () => {
  const principal = { role: 'viewer', scope: { sessions: ['s'], from: 100 } } as unknown as Principal;
  const entry = (at: number, id = 's'): RingEntry => {
    const event = { type: 'session-removed', at, id } as const;
    return { event, json: JSON.stringify(event), about: { id, labels: {} } };
  };
  const wanted = { sessions: null, types: null };
  expect([entry(99), entry(100), entry(100, 'other')].map((one) => toldTo(principal, wanted, one) !== null)).toEqual([
    false,
    true,
    false,
  ]);
});
