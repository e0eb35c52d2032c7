import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paragraphs, twoColumns, wrapped } from './wrapped-text.ts';

test('text is wrapped at spaces, with a hanging indent; a long word stays whole', () => {
  expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapped('one two three', 9, { indent: 2, hanging: 4 })).toEqual(['  one two', '    three']);
  expect(wrapped('a /very/long/path b', 6)).toEqual(['a', '/very/long/path', 'b']);
});

test('no word is lost, and no line with several words is too wide', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 60 }), (all, width) => {
      const lines = wrapped(all.join(' '), width);
      expect(lines.join(' ').split(' ')).toEqual(all);
      expect(lines.filter((line) => line.length > width && line.includes(' '))).toEqual([]);
    }),
  );
});

test('a sentence that goes on in the next line is one paragraph, a finished one is its own', () => {
  expect(paragraphs('One goes\non here.\nTwo.\nThree:\nfour')).toEqual(['One goes on here.', 'Two.', 'Three:', 'four']);
});

test('the second column stands beside the first where there is room, and below it where there is not', () => {
  const rows = [
    ['--name NAME', 'the name of the session, which must not be taken'],
    ['-d', 'in the background'],
  ] as const;
  expect(twoColumns(rows, 50)).toEqual([
    '  --name NAME  the name of the session, which must',
    '               not be taken',
    '  -d           in the background',
  ]);
  expect(twoColumns(rows, 30)).toEqual([
    '  --name NAME',
    '      the name of the session,',
    '      which must not be taken',
    '  -d',
    '      in the background',
  ]);
});
