import type { Requests, SessionInfo, SessionState } from '@spool/protocol';
import { expect, test } from 'vitest';
import { listPage } from './listing.ts';
import type { KeeperSession } from './session.ts';

type ListAnswer = Requests['list']['answer'];

/** Sessions that count their serializations. */
class Many {
  readonly #count = { described: 0 };
  readonly all: KeeperSession[];

  constructor(count: number, stateOf: (at: number) => SessionState = () => 'exited', commandBytes = 10) {
    const counted = this.#count;
    this.all = Array.from({ length: count }, (_, at) => {
      const session = {
        id: `s${at}`,
        name: `name-${at}`,
        state: stateOf(at),
        labels: { half: String(at % 2) },
        isTask: at % 10 === 0,
        get info() {
          counted.described++;
          return { id: session.id, command: ['x'.repeat(commandBytes)] } as unknown as SessionInfo;
        },
      };
      return session as unknown as KeeperSession;
    });
  }

  get described(): number {
    return this.#count.described;
  }

  page(ask: Requests['list']['ask'] = {}): { ids: string[]; next: string | null; matching: number | undefined } {
    const { sessions, next, matching } = JSON.parse(listPage(this.all, ask)) as ListAnswer;
    return { ids: sessions.map(({ id }) => id), next, matching };
  }
}

test('[LIST-1] only what is answered is put into words, however many sessions there are', () => {
  const many = new Many(20_000, (at) => (at % 1000 === 0 ? 'running' : 'exited'));
  expect(many.page({ states: ['running'] }).ids).toHaveLength(20);
  expect(many.described).toBe(20);
  many.page({ states: ['exited'], order: 'newest', limit: 10 });
  expect(many.described).toBe(30);
  many.page({ name: 'name-77' });
  expect(many.described).toBe(31);
});

test('[LIST-1] a page is small, by number and by bytes, and all pages together are all sessions', () => {
  const many = new Many(1000);
  const ids: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const before = many.described;
    const page = many.page(after === undefined ? {} : { after });
    expect(many.described - before).toBeLessThanOrEqual(125);
    ids.push(...page.ids);
    after = page.next;
  }
  expect(ids).toEqual(many.all.map(({ id }) => id));
  const wide = new Many(100, () => 'exited', 16 * 1024);
  expect(wide.page().ids.length).toBeLessThan(20);
});

test('[LIST-1] filters hold all at once; the newest come first if asked; what matches is counted', () => {
  const many = new Many(100);
  expect(many.page({ labels: { half: '1' }, limit: 2 })).toEqual({ ids: ['s1', 's3'], next: null, matching: 50 });
  expect(many.page({ labels: { half: '1', other: 'x' } }).ids).toEqual([]);
  expect(many.page({ isTask: true, labels: { half: '0' } }).matching).toBe(10);
  expect(many.page({ order: 'newest', limit: 2, after: 's50' }).ids).toEqual(['s49', 's48']);
});

test('[LIST-1] a client of before, which only knows `after`, gets all; a page after a removed session begins again', () => {
  const many = new Many(130);
  const first = many.page({});
  expect([first.ids.length, first.next]).toEqual([125, 's124']);
  expect(many.page({ after: first.next! })).toMatchObject({
    ids: ['s125', 's126', 's127', 's128', 's129'],
    next: null,
  });
  expect(many.page({ after: 'gone' }).ids[0]).toBe('s0');
});
