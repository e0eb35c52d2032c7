import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HERE_MS, hereMessage, Presence } from './presence.ts';

const KEY = `U${'A'.repeat(55)}`;

let presence: Presence;
let gone: number;
let now: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  presence = new Presence();
  gone = 0;
  presence.onGone = () => gone++;
});

afterEach(() => {
  presence.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function pass(ms: number): void {
  for (let at = 0; at < ms; at += 500) {
    now += 500;
    vi.advanceTimersByTime(500);
  }
}

test('[NODE-54] a node that is silent is away within 5 s; one that says that it is there stays', () => {
  for (let said = 0; said < 5; said++) {
    presence.note(KEY, hereMessage('build1', 'a'));
    pass(HERE_MS);
  }
  expect([presence.has(KEY), gone]).toEqual([true, 0]);
  pass(5000 - HERE_MS);
  expect([presence.has(KEY), gone]).toEqual([false, 1]);
});

test('[NODE-54] a node that has reconnected, or says that it leaves, is noticed at once', async () => {
  const waiting = presence.of(KEY);
  presence.note(KEY, hereMessage('build1', 'a'));
  await waiting;
  presence.note(KEY, hereMessage('build1', 'a'));
  expect(gone).toBe(0);
  presence.note(KEY, hereMessage('build1', 'b'));
  expect([presence.has(KEY), gone]).toEqual([true, 1]);
  presence.gone(KEY);
  presence.gone(KEY);
  expect([presence.has(KEY), gone]).toEqual([false, 2]);
});

test('[NODE-54] a pause of this process, such as the sleep of a laptop, makes no node away', () => {
  presence.note(KEY, hereMessage('build1', 'a'));
  now += 60_000;
  vi.advanceTimersByTime(500);
  expect([presence.has(KEY), gone]).toEqual([true, 0]);
});

test('[NODE-54] a message that is none is ignored', () => {
  for (const text of ['', '{', '{}', '{"name":"../x","run":"a","spool":"0.1.0"}'])
    expect(presence.note(KEY, Buffer.from(text))).toBeNull();
  expect(presence.keys).toEqual([]);
});
