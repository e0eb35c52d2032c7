/** Tests the text of a request in two lines. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askedQuestion, permissionQuestion, requestSubject } from './headline.ts';

const OPTIONS = [{ id: 'once', label: 'Allow once', kind: 'allow_once' }] as const;

test('[REQ-1, REQ-41] the headline of a request has the tool and its input, never the title of the agent', () => {
  const input = { description: 'List the files of the project', script: 'rm -rf ~' };
  const request = { name: 'mcp__shell__run', title: 'List the files', input, options: OPTIONS };
  expect(permissionQuestion(request)).toEqual({
    text: 'Allow mcp__shell__run?',
    subject: 'script: rm -rf ~ · description: List the files of the project',
    options: [{ key: null, label: 'Allow once' }],
  });
});

test.each([
  [{ command: 'npm test', description: 'Run it' }, 'npm test · description: Run it'],
  [{ file_path: '.env', command: 'ls' }, 'ls · file_path: .env'],
  [{ command: ['rm', '-rf', 'a b'] }, '["rm","-rf","a b"]'],
  [{ command: 'ls\nrm -rf ~' }, 'ls ⏎ rm -rf ~'],
  [{ 'a\u001b[2Jb': 1 }, 'a\\e[2Jb: 1'],
  ['plain text', 'plain text'],
  [undefined, ''],
])('[REQ-1] the input %j reads %j', (input, subject) => {
  expect(requestSubject({ input })).toBe(subject);
});

test('[REQ-1] a call that says otherwise and the changed files are in the headline', () => {
  const diffs = [{ path: 'a.ts', change: 'modify' }] as const;
  expect(requestSubject({ input: {}, call: { plan: 'delete all' }, diffs })).toBe('plan: delete all · modify a.ts');
});

test('[REQ-40] the headline has every character of the input, or says how many are left out', () => {
  const value = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.integer(), fc.boolean());
  const input = fc.dictionary(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), value);
  fc.assert(
    fc.property(input, fc.integer({ min: 20, max: 400 }), (given, most) => {
      const shown = requestSubject({ input: given }, most);
      const left = /… \(\+(\d+) characters\)$/.exec(shown);
      const whole = requestSubject({ input: given }, 1e9);
      if (left === null) expect(shown).toBe(whole);
      else expect(shown.length - left[0].length + Number(left[1])).toBe(whole.length);
    }),
  );
});

test('[REQ-40] of several questions, the first is shown and the others are counted', () => {
  const question = (text: string) => ({ id: text, text, options: [{ id: 'a', label: 'A\u001b[2J' }] });
  expect(askedQuestion([question('Which?'), question('Why?')])).toEqual({
    text: 'Which? (+1 more)',
    options: [{ key: null, label: 'A\\e[2J' }],
  });
});
