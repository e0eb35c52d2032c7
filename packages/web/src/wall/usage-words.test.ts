import { expect, test } from 'vitest';
import { usageWords } from './usage-words.ts';

test.each([
  [undefined, ''],
  [{}, ''],
  [{ costUsd: 0 }, ''],
  [{ costUsd: 0.004 }, '< $0.01'],
  [{ costUsd: 1.256 }, '$1.26'],
  [{ costUsd: 0.42, context: { used: 76_000, size: 200_000 } }, '$0.42 · 38 % of context'],
  [{ context: { used: 9, size: 0 } }, ''],
  [{ context: { used: 300, size: 200 } }, '100 % of context'],
])('[PAGE-75] the usage %j reads %j', (usage, words) => expect(usageWords(usage)).toBe(words));
