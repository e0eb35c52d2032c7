/** Tests the rows of changes, their words, and output with colours. */
import type { Diff } from '@spool/protocol/agent';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeRows } from './change-rows.ts';
import { changedWords } from './changed-words.ts';
import { outputLines } from './colour-spans.ts';

const marked = (diff: Partial<Diff>): string[] =>
  changeRows({ path: 'a', change: 'modify', ...diff }).map(({ mark, text }) => mark + text);

test('the rows of hunks, of a unified change and of two texts are the same', () => {
  const hunk = { oldStart: 2, oldLines: 2, newStart: 2, newLines: 2, lines: [' b', '-c', '+C'] };
  expect(marked({ hunks: [hunk] })).toEqual(['@@@ 2 → 2', ' b', '-c', '+C']);
  expect(marked({ unified: '--- a\n+++ a\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n' })).toEqual([
    '@@@ -2,2 +2,2 @@',
    ' b',
    '-c',
    '+C',
  ]);
  expect(marked({ oldText: 'a\nb\nc\n', newText: 'a\nb\nC\n' })).toEqual([' b', '-c', '+C']);
  expect(marked({ change: 'delete', oldText: 'a\nb' })).toEqual(['-a', '-b']);
});

test('rows have the numbers of their lines, before and after', () => {
  const rows = changeRows({ path: 'a', change: 'modify', unified: '@@ -3,2 +5,3 @@\n a\n-b\n+c\n+d\n' });
  expect(rows.slice(1).map(({ oldLine, newLine }) => [oldLine, newLine])).toEqual([
    [3, 5],
    [4, undefined],
    [undefined, 6],
    [undefined, 7],
  ]);
});

test('lines that replace each other have their changed words; lines with nothing in common have none', () => {
  const rows = changeRows({ path: 'a', change: 'modify', oldText: 'return a - b;', newText: 'return a + b;' });
  const words = changedWords(rows);
  const changed = [...words.values()].map((parts) =>
    parts.filter(({ isChanged }) => isChanged).map(({ text }) => text),
  );
  expect(changed).toEqual([['-'], ['+']]);
  expect(changedWords(changeRows({ path: 'a', change: 'modify', oldText: 'abc', newText: 'xyz' })).size).toBe(0);
});

test('the words of a row are its text', () => {
  const line = fc
    .array(fc.constantFrom('a', 'b', ' ', '(', 'ä', '\t'), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }), (before, after) => {
      const rows = changeRows({ path: 'a', change: 'modify', oldText: before.join('\n'), newText: after.join('\n') });
      for (const [at, parts] of changedWords(rows)) expect(parts.map(({ text }) => text).join('')).toBe(rows[at]!.text);
    }),
  );
});

test('colours have names, other escapes no effect, and a line that was written over is in its last state', () => {
  const lines = outputLines(
    '\u001b[1;31mred\u001b[0m plain\n10 %\r100 %\n\u001b[2J\u001b]0;title\u0007\u001b[38;5;40mgreen\u001b[m\n\n',
  );
  expect(lines).toEqual([
    [{ text: 'red', isBold: true, colour: 'red' }, { text: ' plain' }],
    [{ text: '100 %' }],
    [{ text: 'green', colour: 'green' }],
  ]);
  expect(outputLines('\u001b[38;2;90;90;250mblue')[0]).toEqual([{ text: 'blue', colour: 'blue' }]);
});

test('[SHOW-1] whatever a program prints, no control character is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const shown = outputLines(`\u001b[3${text}`)
        .flat()
        .map((part) => part.text)
        .join('');
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }),
  );
});

test('a very long line is cut with the number of characters that are missing', () => {
  const [line] = outputLines('x'.repeat(1_000_000));
  expect(line!.at(-1)!.text).toBe('… 980000 more characters');
});
