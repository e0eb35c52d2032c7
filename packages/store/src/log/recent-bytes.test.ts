import { expect, test } from 'vitest';
import { RecentBytes } from './recent-bytes.ts';

test('keeps the most recently used, by owner, offset and length', () => {
  const recent = new RecentBytes(2);
  const [one, two] = [{}, {}];
  const [a, b, c] = [new Uint8Array(1), new Uint8Array(2), new Uint8Array(3)];
  recent.keep(one, 0, 1, a);
  recent.keep(two, 0, 1, b);
  expect([recent.find(one, 0, 1), recent.find(two, 0, 1)]).toEqual([a, b]);
  expect([recent.find(one, 1, 1), recent.find(one, 0, 2), recent.find({}, 0, 1)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(recent.find(one, 0, 1)).toBe(a); // used again, so the other one is evicted
  recent.keep(one, 5, 3, c);
  expect([recent.find(one, 0, 1), recent.find(two, 0, 1), recent.find(one, 5, 3)]).toEqual([a, undefined, c]);
});

test('forgets all of an owner, and nothing else', () => {
  const recent = new RecentBytes(4);
  const [one, two] = [{}, {}];
  for (const owner of [one, two, one]) recent.keep(owner, recent.size, 1, new Uint8Array(1));
  recent.forget(one);
  expect([recent.size, recent.find(two, 1, 1)]).toEqual([1, new Uint8Array(1)]);
});
