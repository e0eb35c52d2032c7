import type { AuditEntry } from '@spool/protocol';
import { expect, test } from 'vitest';
import { Auditor } from './auditor.ts';

test('[DOOR-52] lines that no keeper took are counted in the next one that is taken', async () => {
  const taken: AuditEntry[] = [];
  let isAway = true;
  let attempts = 0;
  const auditor = new Auditor(async (entries) => {
    attempts++;
    if (isAway) throw new Error('no keeper');
    taken.push(...entries);
  }, 0);
  for (const what of ['login', 'run', 'kill']) auditor.record(null, what);
  await expect.poll(() => attempts, { timeout: 20_000 }).toBe(40); // `login` alone, then the two entries that came meanwhile
  await new Promise((resolve) => setTimeout(resolve, 1)); // after the last pause
  isAway = false;
  auditor.record(null, 'logout');
  await expect
    .poll(() => taken.map(({ what, note }) => [what, note]))
    .toEqual([
      ['logout', undefined],
      ['dropped', '3 more like those before'],
    ]);
});
