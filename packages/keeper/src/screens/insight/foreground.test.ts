import { expect, test } from 'vitest';
import { ForegroundWatch } from './foreground.ts';

function watched() {
  const seen = { asks: 0, command: null as readonly string[] | null };
  const watch = new ForegroundWatch(1, () => {
    seen.asks++;
    return seen.command;
  });
  /** Returns how many times the kernel is asked in four seconds with a look every 100 ms. */
  const asksFrom = (from: number): number => {
    seen.asks = 0;
    for (let at = from; at < from + 4000; at += 100) watch.look(at);
    return seen.asks;
  };
  return { seen, watch, asksFrom };
}

test('[SCR-3] [STATE-1] the kernel is asked twice a second, and less often while neither input nor a change comes', () => {
  const { seen, watch, asksFrom } = watched();
  expect(asksFrom(20_000)).toBe(8);
  expect(asksFrom(30_000)).toBe(2);
  watch.typed(40_000);
  expect(asksFrom(40_000)).toBe(8);
  expect(asksFrom(50_000)).toBe(2);
  seen.command = ['make'];
  expect(asksFrom(60_000)).toBe(8);
});

test('[STATE-1] after the last look it is asked once more, and at once after input', () => {
  const { seen, watch } = watched();
  expect(watch.look(20_000)).toBeNull();
  expect([watch.look(20_100), watch.dueAt]).toEqual([undefined, 20_500]);
  seen.command = ['vim', 'file'];
  watch.typed(20_200);
  expect(watch.look(20_200)).toEqual(['vim', 'file']);
  expect([watch.look(20_650), watch.dueAt]).toEqual([undefined, 20_700]);
  expect([watch.look(20_700), watch.dueAt]).toEqual([['vim', 'file'], Infinity]);
});
