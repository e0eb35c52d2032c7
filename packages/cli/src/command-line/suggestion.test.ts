import { expect, test } from 'vitest';
import { editDistance, nearest } from './suggestion.ts';
import { VERBS } from './verb-table.ts';

test.each<[string, string | undefined]>([
  ['lss', 'ls'],
  ['atach', 'attach'],
  ['attahc', 'attach'],
  ['log', 'logs'],
  ['comp', 'completions'],
  ['isnpect', 'inspect'],
  ['statsu', undefined],
  ['vim', undefined],
  ['x', undefined],
])('%j was probably meant as %j', (typed, meant) => expect(nearest(typed, Object.keys(VERBS))).toBe(meant));

test.each([
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['abc', 'acb', 1],
  ['kitten', 'sitting', 3],
])('from %j to %j it is %s steps', (a, b, steps) => expect(editDistance(a, b)).toBe(steps));
