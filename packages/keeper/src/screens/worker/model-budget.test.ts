import { expect, test } from 'vitest';
import { BUSY_MS, IDLE_BYTES_MAX, MODELS_BYTES_LIMIT, MODELS_BYTES_MAX, surplusModels } from './model-budget.ts';

const NOW = 1_000_000;
const MIB = 1024 * 1024;
const model = (readAt: number, modelBytes = MIB, isBehind = false) => ({ readAt, modelBytes, isBehind });
const modelsMax = MODELS_BYTES_MAX / MIB;
const idleMax = IDLE_BYTES_MAX / MIB;

test('[SCR-3] within the budget every model stays', () => {
  const idle = Array.from({ length: idleMax }, () => model(0));
  const busy = Array.from({ length: modelsMax - idleMax }, () => model(NOW));
  expect(surplusModels([...idle, ...busy], NOW)).toEqual([]);
});

test('[SCR-3] of too many, the longest unused go, and only as many as must', () => {
  const idle = Array.from({ length: idleMax + 3 }, (_, n) => model(n));
  expect(surplusModels(idle.toReversed(), NOW)).toEqual(idle.slice(0, 3));
});

test('[SCR-3] busy sessions never push each other out', () => {
  const busy = Array.from({ length: 3 * modelsMax }, (_, n) => model(NOW - (n % BUSY_MS)));
  expect(surplusModels(busy, NOW)).toEqual([]);
  const idle = model(NOW - BUSY_MS);
  expect(surplusModels([...busy, idle], NOW)).toEqual([idle]);
});

test('[SCR-3] even busy ones stay below a last limit; one that is reading keeps its model', () => {
  const count = MODELS_BYTES_LIMIT / MIB + 2;
  const busy = Array.from({ length: count }, (_, n) => model(NOW - count + n, MIB, n === 0));
  expect(surplusModels(busy, NOW)).toEqual(busy.slice(1, 3));
});
