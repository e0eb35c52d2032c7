import { expect, test } from 'vitest';
import { Growth, GrowthNotices, TELL_AFTER_MS } from './growth-notices.ts';

/** Writes every `everyMs` for `seconds` while the thread keeps up. Returns the delays of the notices. */
function write(notices: GrowthNotices, sessions: readonly Growth[], from: number, seconds: number, everyMs: number) {
  const delays = new Map<string, number[]>(sessions.map(({ id }) => [id, []]));
  const since = new Map<string, number>();
  let messages = 0;
  for (let now = from; now < from + seconds * 1000; now++) {
    sessions.forEach((growth, n) => {
      if ((now + n * 7) % everyMs !== 0) return;
      growth.end += 5000;
      if (!since.has(growth.id)) since.set(growth.id, now);
      notices.grown(growth, now);
    });
    if (now < notices.dueAt) continue;
    const due = notices.take(now);
    if (due.length > 0) messages++;
    for (const growth of due) {
      growth.reached = growth.toldEnd;
      delays.get(growth.id)!.push(now - (since.get(growth.id) ?? now)); // the growth may have waited since the last call
      since.delete(growth.id);
    }
  }
  return { delays, messages, all: [...delays.values()].flat() };
}

const several = (count: number): Growth[] => Array.from({ length: count }, (_, n) => new Growth(`s${n}`, 0, 0));

test('[QRY-1] a session that was quiet is told of at once: its program may have asked something', () => {
  const { all } = write(new GrowthNotices(), several(1), 0, 3, 400);
  expect(Math.max(...all)).toBe(TELL_AFTER_MS);
});

test('[SCR-40] sessions that write steadily are told of together, and none waits for more than 100 ms', () => {
  const notices = new GrowthNotices();
  const sixty = several(60);
  write(notices, sixty, 0, 2, 100);
  const { all, messages } = write(notices, sixty, 2000, 5, 100);
  expect(all.length).toBeGreaterThanOrEqual(60 * 48);
  expect(messages).toBeLessThan(5 * 50);
  expect(Math.max(...all)).toBeLessThanOrEqual(50);
  const many = several(200);
  write(notices, many, 10_000, 2, 50);
  const loggers = write(notices, many, 12_000, 5, 50);
  expect(loggers.messages).toBeLessThan(5 * 20);
  expect(Math.max(...loggers.all)).toBeLessThanOrEqual(100);
});

test('[QRY-1] a quiet session does not wait for those that write steadily', () => {
  const notices = new GrowthNotices();
  const busy = several(60);
  const quiet = new Growth('quiet', 0, 0);
  write(notices, busy, 0, 2, 100);
  const asks = write(notices, [...busy, quiet], 2000, 1, 100).delays.get('quiet')!;
  expect(asks[0]).toBe(TELL_AFTER_MS);
});

test('[QRY-1] a steady session whose queries are answered, or that somebody types to, is told of at once', () => {
  const notices = new GrowthNotices();
  const [growth] = several(1);
  write(notices, [growth!], 0, 2, 100);
  expect(Math.max(...write(notices, [growth!], 2000, 1, 100).all)).toBeGreaterThan(TELL_AFTER_MS);
  notices.asked(growth!);
  expect(write(notices, [growth!], 3000, 0.3, 100).all).toEqual([TELL_AFTER_MS, TELL_AFTER_MS, TELL_AFTER_MS]);
  write(notices, [growth!], 4000, 2, 100);
  notices.typed(growth!, 6000);
  expect(Math.max(...write(notices, [growth!], 6000, 0.9, 100).all)).toBe(TELL_AFTER_MS);
});

test('a key hastens what already waits for its tick', () => {
  const notices = new GrowthNotices();
  const busy = several(200);
  write(notices, busy, 0, 2, 50);
  const [growth] = busy;
  growth!.end += 1;
  notices.take(3000);
  notices.grown(growth!, 3001);
  notices.typed(growth!, 3002);
  expect(notices.dueAt).toBe(3002 + TELL_AFTER_MS);
});

test('one that the thread has not caught up with is not told of again, and a flood only now and then', () => {
  const notices = new GrowthNotices();
  const [growth] = several(1);
  growth!.end = 1_000_000;
  notices.grown(growth!, 0);
  expect(notices.take(TELL_AFTER_MS)).toEqual([growth]);
  growth!.end = 2_000_000;
  notices.grown(growth!, 10);
  expect(notices.take(1000)).toEqual([]);
  growth!.reached = growth!.toldEnd;
  notices.grown(growth!, 11);
  expect(notices.dueAt).toBe(TELL_AFTER_MS + 200);
});

test('[SCR-40] output rests in the terminals only where many sessions are steady, and what has rested is told of at once', () => {
  const notices = new GrowthNotices();
  const few = several(15);
  write(notices, few, 0, 5, 50);
  expect([few[0]!.isSteady, notices.restMs]).toEqual([true, 0]);
  const many = several(40);
  write(notices, many, 10_000, 5, 50);
  expect(notices.restMs).toBe(20 + 40 * 0.4);
  for (const growth of many) growth.isCalm = true;
  expect(Math.max(...write(notices, many, 15_000, 2, 50).all)).toBe(TELL_AFTER_MS);
  notices.typed(many[0]!, 17_000);
  notices.asked(many[1]!);
  expect(many.slice(0, 3).map(({ isSteady }) => isSteady)).toEqual([false, false, true]);
  notices.take(60_000);
  expect(notices.restMs).toBe(0);
});
