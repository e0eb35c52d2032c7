import { expect, test } from 'vitest';
import { FileBudget } from './file-budget.ts';

/** How many clients and sessions fit one after the other, at this number of files each. */
function fill(limit: number, base: number): { connections: number; sessions: number; left: number } {
  let used = base;
  const budget = new FileBudget(() => ({ limit, used }));
  let connections = 0;
  for (; budget.mayConnect(connections); connections++) used += 1;
  let sessions = 0;
  for (; budget.mayRun(0, connections); sessions++) used += 4;
  return { connections, sessions, left: limit - used };
}

test('[LIFE-8] however many clients come, sessions find room, and files are left for their logs', () => {
  expect(fill(256, 32)).toEqual({ connections: 64, sessions: 23, left: 68 });
  expect(fill(1024, 32)).toEqual({ connections: 256, sessions: 143, left: 164 });
  expect(fill(1_048_576, 32)).toMatchObject({ connections: 4000, left: expect.any(Number) as number });
});

test('[LIFE-8] however many sessions there are, a few clients can still come', () => {
  let used = 32;
  const budget = new FileBudget(() => ({ limit: 256, used }));
  while (budget.mayRun(0, 0)) used += 4;
  let connections = 0;
  for (; budget.mayConnect(connections); connections++) used += 1;
  expect(connections).toBeGreaterThanOrEqual(16);
});

test('[LIFE-8] sessions that are only being started count', () => {
  const budget = new FileBudget(() => ({ limit: 256, used: 32 }));
  expect([0, 10, 20, 30].map((starting) => budget.mayRun(starting, 16))).toEqual([true, true, true, false]);
});
