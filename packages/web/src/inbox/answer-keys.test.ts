import { expect, test } from 'vitest';
import { answerKeys } from './answer-keys.ts';

test.each([
  [
    ['y Enter', 'n Enter'],
    ['y', 'n'],
  ],
  [
    ['1', '2', 'Esc'],
    ['1', '2', 'Escape'],
  ],
  [
    ['Enter', 'Down Enter', 'Down Down Enter'],
    ['1', '2', '3'],
  ],
  [
    ['Right Enter', '1', null],
    [null, '1', null],
  ],
  [
    ['Y', 'p', 'Escape'],
    ['y', 'p', 'Escape'],
  ],
])('[PAGE-71] the answers %j are chosen by %j', (keys, chosen) =>
  expect(answerKeys(keys.map((key) => ({ key, label: 'x' })))).toEqual(chosen),
);
