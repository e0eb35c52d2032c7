import { EventEmitter } from 'node:events';
import type { Http2Session } from 'node:http2';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchHealth } from './link-health.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched(): { duplex: PassThrough; end: () => void; pings: () => number; isDead: () => boolean } {
  const duplex = new PassThrough();
  const destroy = vi.fn();
  const ping = vi.fn();
  const session = Object.assign(new EventEmitter(), { destroyed: false, destroy, ping });
  watchHealth(session as unknown as Http2Session, duplex);
  const end = (): boolean => session.emit('close');
  return { duplex, end, pings: () => ping.mock.calls.length, isDead: () => destroy.mock.calls.length > 0 };
}

test('[NODE-25] a silent link is pinged every 2 s, and given up after 4 s, with the stream below it', () => {
  const { duplex, end, pings, isDead } = watched();
  vi.advanceTimersByTime(3000);
  expect([pings(), isDead(), duplex.destroyed]).toEqual([1, false, false]);
  vi.advanceTimersByTime(1000);
  expect([isDead(), duplex.destroyed]).toEqual([true, true]);
  end();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([true, false])(
  '[NODE-25] after a sleep of the machine an answer is due within 2 s (answers: %s)',
  (answers) => {
    const { duplex, end, pings, isDead } = watched();
    vi.advanceTimersByTime(1000);
    vi.setSystemTime(Date.now() + 600_000); // the clock of timers stands still meanwhile
    vi.advanceTimersByTime(1000);
    expect([pings(), isDead()]).toEqual([1, false]);
    if (answers) duplex.emit('data', Buffer.from('pong'));
    vi.advanceTimersByTime(1000);
    expect(isDead()).toBe(!answers);
    end();
  },
);
