import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE_PATTERN_CHARACTERS_MAX, type CataloguePattern, readCataloguePattern } from './linear-pattern.ts';

/** Lets V8 judge: with this flag, `l` is a flag of expressions and refuses patterns that are not linear. */
setFlagsFromString('--enable-experimental-regexp-engine');
const LINEAR = 'l';
const isLinear = (source: string): boolean => {
  try {
    return new RegExp(source, LINEAR).flags === LINEAR;
  } catch {
    return false;
  }
};

test.each([
  ['^added (?<count>\\d+) packages?', [' package'], ['count']],
  ['^\\s*➜\\s+Local:\\s+(?<url>https?://\\S+)$', ['Local:'], ['url']],
  ['^(?:ok|FAIL) then$', [' then'], []],
  ['^(?:Building|Linking) ', ['Building', 'Linking'], []],
  ['x(?:abcd(?:efgh)?)+y', ['abcd'], []],
  ['(?:abcdef)*xyz|uvw', ['xyz', 'uvw'], []],
  ['a{2}bcd', ['bcd'], []],
  ['(?:abcd){0,2}xyz', ['xyz'], []],
  ['(?:abcd){1,2}xyz', ['abcd'], []],
  ['\\[\\+\\] Building', ['[+] Building'], []],
  ['[\\]abc]def', ['def'], []],
])('[TASK-5] %s needs %j', (source, needs, groups) => {
  const { needs: found, groups: names } = readCataloguePattern(source) as CataloguePattern;
  expect([found, [...names]]).toEqual([needs, groups]);
});

test.each([
  ['abc(', /is not a regular expression/],
  ['abc(?=def)', /looks ahead/],
  ['abc(?!def)', /looks ahead/],
  ['(?i:abc)', /sets flags/],
  ['(?<=abc)def', /looks behind/],
  ['(?<!abc)def', /looks behind/],
  ['(abc)\\1', /refers back/],
  ['(?<n>abc)\\k<n>', /refers back/],
  ['abc\\d{17}', /more than 16 times/],
  ['abc(?:\\d{5}){5}', /more than 16 times/],
  ['abc(?:\\d{5}|x){4,}', /more than 16 times/],
  ['\\x41bcd', /by its number/],
  ['^\\d+ .*$', /no fixed text/],
  ['abc|\\d', /no fixed text/],
  ['(?:abc)?de', /no fixed text/],
  ['a'.repeat(CATALOGUE_PATTERN_CHARACTERS_MAX + 1), /longer than/],
])('[TASK-5] %s is refused', (source, why) => expect(readCataloguePattern(source)).toMatch(why));

const pieces = fc.constantFrom(
  'abc',
  'b',
  '.',
  '\\d',
  '\\b',
  '^',
  '$',
  '|',
  '(',
  '(?:',
  '(?<n>',
  ')',
  ')',
  '[a-c]',
  '[^\\]x]',
  '*',
  '+',
  '?',
  '*?',
  '{2}',
  '{3,}',
  '{1,9}',
  '{17}',
  '(?=a)',
  '(?<!a)',
  '\\1',
  '\\k<n>',
  '\\.',
  '{',
  ' ',
  'xyz',
);

test('[TASK-5] V8 matches every accepted pattern in linear time, and each match contains a required text', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.stringMatching(/^[abcxyz1. ]{0,12}$/), (parts, text) => {
      const source = parts.join('');
      const pattern = readCataloguePattern(source);
      if (typeof pattern === 'string') return;
      accepted++;
      expect(isLinear(source), source).toBe(true);
      if (pattern.expression.test(text))
        expect(
          pattern.needs.some((need) => text.includes(need)),
          source,
        ).toBe(true);
    }),
    { numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(300); // otherwise the generated patterns would prove little
});
