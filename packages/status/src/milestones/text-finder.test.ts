import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextFinder } from './text-finder.ts';

const owners = (texts: readonly string[], line: string): readonly string[] =>
  [...new TextFinder(texts.map((text) => [text, text] as const)).ownersIn(line)].sort();

test.each([
  ['', []],
  ['abc', []],
  ['abce', ['bce']],
  ['aabcde', ['abcd', 'bcd']],
  ['xyx', []],
  ['xxx➜ ok abcabcabce', ['bce', 'xx', '➜ ok']],
])('in %j are %j, also where one has begun within another', (line, found) =>
  expect(owners(['abcd', 'bce', 'bcd', 'xx', '➜ ok'], line)).toEqual(found),
);

test('it agrees with a plain search', () => {
  const word = (maxLength: number, minLength = 0) =>
    fc.string({ unit: fc.constantFrom(...'abc➜'), minLength, maxLength });
  fc.assert(
    fc.property(fc.uniqueArray(word(4, 1), { maxLength: 6 }), word(12), (texts, line) => {
      expect(owners(texts, line)).toEqual(texts.filter((text) => line.includes(text)).sort());
    }),
    { numRuns: 2000 },
  );
});
