/** Tests that text from an untrusted source can be shown. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { say, visible, visibleTitle, type VisibleText } from './visible-text.ts';

/** Characters without a shape, with an effect on a terminal or page, or with the look of a plain blank. */
const UNSEEN: readonly (readonly [name: string, character: string])[] = [
  ['escape', '\u001b'],
  ['bell', '\u0007'],
  ['line feed', '\n'],
  ['carriage return', '\r'],
  ['tab', '\t'],
  ['delete', '\u007f'],
  ['C1 control', '\u009b'],
  ['next line', '\u0085'],
  ['soft hyphen', '\u00ad'],
  ['no-break space', '\u00a0'],
  ['grapheme joiner', '\u034f'],
  ['Arabic letter mark', '\u061c'],
  ['Hangul choseong filler', '\u115f'],
  ['Hangul jungseong filler', '\u1160'],
  ['Khmer inherent vowel', '\u17b4'],
  ['Mongolian vowel separator', '\u180e'],
  ['en quad', '\u2000'],
  ['zero width space', '\u200b'],
  ['left-to-right mark', '\u200e'],
  ['line separator', '\u2028'],
  ['right-to-left override', '\u202e'],
  ['word joiner', '\u2060'],
  ['invisible times', '\u2062'],
  ['isolate', '\u2066'],
  ['Braille blank', '\u2800'],
  ['ideographic space', '\u3000'],
  ['Hangul filler', '\u3164'],
  ['halfwidth Hangul filler', '\uffa0'],
  ['byte order mark', '\ufeff'],
  ['interlinear anchor', '\ufff9'],
  ['private use', '\ue000'],
  ['half of a character', '\ud800'],
  ['tag', '\u{e0041}'],
  ['variation selector 17', '\u{e0100}'],
  ['musical begin beam', '\u{1d173}'],
  ['unassigned', '\u{1fffe}'],
];

test.each(UNSEEN)('[REQ-2] %s is spelled out', (_, character) => {
  const shown = visible(`a${character}b`);
  expect(shown).not.toContain(character);
  expect(shown).toMatch(/^a\\([nrte]|x[0-9a-f]{2}|u\{[0-9a-f]+\})b$/);
});

test.each([
  ['plain', 'git commit -m "x" && echo $?'],
  ['umlauts and accents', 'Größe, déjà vu, e\u0301'],
  ['CJK', '連接失敗 한국어 かな'],
  ['emoji with joiners', '👩‍💻 ❤️ 👍🏽 🏳️‍🌈'],
  ['Persian with a joiner', 'می\u200cخواهم'],
  ['Hindi with a joiner', 'क्\u200dष'],
])('[REQ-2] writing stays as it is: %s', (_, text) => {
  expect(visible(text)).toBe(text);
});

test('[REQ-2] a joiner between letters that do not join is spelled out, as are marks without end and marks without a letter', () => {
  expect(visible('r\u200dm')).toBe('r\\u{200d}m');
  expect(visible('ab\ufe0f')).toBe('ab\\u{fe0f}');
  expect(visible(`a${'\u0301'.repeat(8)}`)).toBe(`a${'\u0301'.repeat(4)}${'\\u{301}'.repeat(4)}`);
  expect(visible('\u0301a')).toBe('\\u{301}a');
});

test('[REQ-2] whatever comes in, every character that comes out can be seen', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(text, (given) => {
      const shown = visible(given);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u);
      expect(shown).not.toMatch(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]/);
    }),
    { numRuns: 2000 },
  );
});

test('[REQ-2] a line break in a title never reads as a blank, and what is left out is counted', () => {
  expect(visibleTitle('ls\nrm -rf ~', 100)).toBe('ls ⏎ rm -rf ~');
  expect(visibleTitle('ls\r\nrm\u2028x', 100)).toBe('ls ⏎ rm ⏎ x');
  expect(visibleTitle(`${'x'.repeat(100)}yz`, 100)).toBe(`${'x'.repeat(100)}… (+2 characters)`);
  expect(visibleTitle(`${'x'.repeat(9)}😀y`, 10)).toBe(`${'x'.repeat(9)}… (+3 characters)`);
});

test('[REQ-2] only visible texts can be put together', () => {
  const name: string = '\u001b[2J';
  expect(say`Allow ${visible(name)}?`).toBe('Allow \\e[2J?');
  // @ts-expect-error -- a plain string could hold anything
  const wrong: VisibleText = name;
  // @ts-expect-error -- a plain string could hold anything
  expect(() => say`Allow ${name}?`).not.toThrow();
  expect(wrong).toBe(name);
});
