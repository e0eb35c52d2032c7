import { expect, test } from 'vitest';
import { cellsOf, cellsOfText, cutToCells, isContested } from './character-width.ts';

test.each([
  ['Latin, and what is beside it', 'aé─✳｡', [1, 1, 1, 1, 1]],
  ['East Asian, emoji', '漢한😀✅🤖', [2, 2, 2, 2, 2]],
  ['what joins', '\u0301\u200d\u302e', [0, 0, 0]],
  ['wide since Unicode 16 only', '☰☷⚊⚏\u{1d300}\u{1d356}\u{1d360}\u{1d376}', [1, 1, 1, 1, 1, 1, 1, 1]],
  ['beside those', '☯☸⚉⚐\u{1d2ff}\u{1d357}\u{1d35f}\u{1d377}', [1, 1, 1, 1, 1, 1, 1, 1]],
  ['signs before a number', '\u0600\u0605\u06dd\u070f\u0890\u08e2\u{110bd}\u{110cd}', [1, 1, 1, 1, 1, 1, 1, 1]],
])('%s: cells', (_, text, cells) => {
  expect([...text].map((character) => cellsOf(character.codePointAt(0)!))).toEqual(cells);
});

test('text is as wide as its characters together, and is cut between them', () => {
  expect(cellsOfText('☰ 漢é')).toBe(5);
  expect(cutToCells('☰漢é', 2)).toBe('☰');
});

test('contested is what terminals count differently', () => {
  const contested = [
    '✅',
    '❤\ufe0f',
    '👨\u200d👩',
    '🇩',
    '☰',
    '⚊',
    '\u{1d300}',
    '\u0600',
    '\u3248',
    'x\u302e',
    '\u{1171e}',
  ];
  const settled = ['a', 'é', 'e\u0301', '漢', '한', '─', 'ا', '☯', '\u3250'];
  expect(contested.filter((text) => !isContested(text))).toEqual([]);
  expect(settled.filter(isContested)).toEqual([]);
});
