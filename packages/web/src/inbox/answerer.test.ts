import type { Client, SessionInfo } from '@spool/client';
import { expect, test } from 'vitest';
import { answererOf } from './answerer.ts';

type Source = Pick<Client, 'get' | 'watchEvents'>;

const asked = (more: object): SessionInfo => ({ id: 'i', status: { since: 1000 }, ...more }) as unknown as SessionInfo;
const typing = (typed: object | null): Source => ({ get: async () => ({ typed }) }) as unknown as Source;

test('[PAGE-32] whoever typed before the question was asked has not answered it', async () => {
  expect(await answererOf(typing({ who: 'ann', at: 999 }), asked({}))).toBe(null);
  expect(await answererOf(typing({ who: 'ann', at: 1000 }), asked({}))).toBe('ann');
  expect(await answererOf(typing(null), asked({}))).toBe(null);
});

test('[PAGE-32] who decided a request of an agent is read from its record on, and of this request alone', async () => {
  const from: unknown[] = [];
  const resolved = (request: string, who: string): object => ({
    type: 'event',
    event: { kind: 'permission.resolved', request, who },
  });
  const source = (items: readonly object[]): Source =>
    ({
      watchEvents: (_id: string, options: { from: number }) => {
        from.push(options.from);
        return {
          async *[Symbol.asyncIterator]() {
            yield* items;
          },
          [Symbol.asyncDispose]: async () => {},
        };
      },
    }) as unknown as Source;
  const agent = asked({ driver: { offset: 1 }, status: { since: 1, requests: [{ request: 'r', offset: 4_000_000 }] } });
  const items = [
    resolved('other', 'bob'),
    { type: 'command', by: 'ann' },
    resolved('r', 'ann'),
    resolved('later', 'eve'),
    { type: 'synced' },
  ];
  expect(await answererOf(source(items), agent)).toBe('ann');
  expect(await answererOf(source([resolved('other', 'bob'), { type: 'synced' }, resolved('r', 'ann')]), agent)).toBe(
    null,
  );
  expect(from).toEqual([4_000_000, 4_000_000]);
  expect(await answererOf(source(items), asked({ driver: {}, size: null }))).toBe(null);
});
