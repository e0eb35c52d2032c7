import { expect, test } from 'vitest';
import { FileBudget } from './file-budget.ts';

/** Counts the clients and sessions that fit one after the other, at this number of files each. */
function fill(limit: number, base: number): { connections: number; sessions: number; left: number } {
  let used = base;
  const budget = new FileBudget(() => ({ limit, used }));
  let connections = 0;
  for (; budget.mayConnect(connections); connections++) used += 1;
  let sessions = 0;
  for (; budget.mayRun({ running: sessions, starting: 0 }, connections); sessions++) used += 4;
  return { connections, sessions, left: limit - used };
}

test('[LIFE-8] however many clients come, sessions find room, and files are left for their logs', () => {
  expect(fill(256, 32)).toEqual({ connections: 64, sessions: 14, left: 104 });
  expect(fill(1024, 32)).toEqual({ connections: 256, sessions: 78, left: 424 });
  expect(fill(1_048_576, 32)).toMatchObject({ connections: 4000, left: expect.any(Number) as number });
});

test('[LIFE-8] however many sessions there are, a few clients can still come', () => {
  let used = 32;
  const budget = new FileBudget(() => ({ limit: 256, used }));
  for (let running = 0; budget.mayRun({ running, starting: 0 }, 0); running++) used += 4;
  let connections = 0;
  for (; budget.mayConnect(connections); connections++) used += 1;
  expect(connections).toBeGreaterThanOrEqual(16);
});

test('[LIFE-8] sessions that are only being started count', () => {
  const budget = new FileBudget(() => ({ limit: 256, used: 32 }));
  expect([0, 10, 20, 30].map((starting) => budget.mayRun({ running: 0, starting }, 16))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('[LIFE-8] when all sessions work at once, each can open its log and its journal, and a few files are left', () => {
  for (const [limit, base] of [
    [160, 40],
    [256, 40],
    [1024, 40],
    [4096, 48],
  ] as const) {
    const { connections, sessions } = fill(limit, base);
    expect(base + connections + sessions * 9 + 16, `limit ${limit}`).toBeLessThanOrEqual(limit);
    expect(sessions).toBeGreaterThan(0);
  }
});
