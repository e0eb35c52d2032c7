import { expect, test } from 'vitest';
import { FileBudget } from './file-budget.ts';

test('[LIFE-8] clients do not take the last files, however few of them there are: sessions need those', () => {
  for (const limit of [256, 1024, 65_536]) {
    let used = 0;
    const budget = new FileBudget(() => ({ limit, used }));
    expect(budget.mayConnect(0)).toBe(true);
    used = limit - 8; // sessions and their logs use the other files
    expect(budget.mayConnect(0)).toBe(false);
    while (!budget.mayConnect(0)) used--;
    expect(limit - used).toBeGreaterThanOrEqual(16);
  }
});
