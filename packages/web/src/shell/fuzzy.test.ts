import { expect, test } from 'vitest';
import { fuzzyScore } from './fuzzy.ts';

const best = (search: string, ...texts: readonly string[]): string | undefined =>
  texts
    .map((text) => ({ text, score: fuzzyScore(search, text) }))
    .filter(({ score }) => score !== null)
    .sort((a, b) => b.score! - a.score!)[0]?.text;

test('[PAGE-72] a few letters find what is meant: words before parts of words, and parts before scattered letters', () => {
  expect(best('dpl', 'display', 'deploy')).toBe('deploy');
  expect(best('wf', 'wall of fame', 'web front')).toBe('web front');
  expect(best('stop', 'nonstop', 'Stop…', 'set the option')).toBe('Stop…');
  expect(best('rev 2', 'reviewer', 'reviewer-2')).toBe('reviewer-2');
  expect(best('zzz', 'deploy', 'reviewer')).toBe(undefined);
  expect(best('xit', 'exit')).toBe('exit');
  expect(fuzzyScore('eit', 'edit')).not.toBe(null);
  expect(fuzzyScore('dit x', 'edit')).toBe(null);
  expect(fuzzyScore('', 'anything')).toBe(0);
});
