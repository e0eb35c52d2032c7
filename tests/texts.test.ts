/** `npm run texts` lists every sentence that the command line and the MCP server can print. */
import { ERROR_CODES } from '@spool/protocol';
import { expect, test } from 'vitest';
import { allTexts, textsIn } from '../scripts/texts.ts';

const PLANTED = `
import { x } from './no such file.ts';
type Word = 'never a sentence';
const pattern = /not a sentence/;
export function act(name: string): string {
  notice('The planted notice stands here.');
  if (name === '') throw new UsageError(\`the planted \${name} is wrong; use another\`, 'run');
  const hint = isGood ? 'use the planted hint' : \`\${name} planted\`;
  return [tool({ description: 'The planted description' }), confirm(\`Delete \${count(name)} planted things?\`)];
}
const one = 'word';
`;

test('planted sentences are found, with line and place; words, types, patterns and imports are not', () => {
  const found = textsIn('packages/cli/src/planted.ts', PLANTED).map(({ line, place, text }) => [line, place, text]);
  expect(found).toEqual([
    [6, 'notice', 'The planted notice stands here.'],
    [7, 'UsageError', 'the planted {name} is wrong; use another'],
    [8, 'text', 'use the planted hint'],
    [8, 'text', '{name} planted'],
    [9, 'description', 'The planted description'],
    [9, 'confirm', 'Delete {count(name)} planted things?'],
  ]);
});

test('below the command line only what an error says is listed', () => {
  const source = `log('this is for the log'); throw new SpoolError('INTERNAL', { reason: 'a planted reason' });`;
  expect(textsIn('packages/keeper/src/planted.ts', source).map(({ text }) => text)).toEqual(['a planted reason']);
});

test('the list has the sentence of every error code, and texts of help, notices, questions and tools', () => {
  const all = allTexts();
  const errors = new Set(all.filter(({ place }) => place.startsWith('error ')).map(({ text }) => text));
  expect(Object.values(ERROR_CODES).filter((sentence) => !errors.has(sentence) && sentence.includes(' '))).toEqual([]);
  const places = new Set(all.map(({ place }) => place));
  for (const place of ['summary', 'about', 'notice', 'UsageError', 'confirm', 'description', 'describe', 'CallError'])
    expect([place, places.has(place)]).toEqual([place, true]);
});

/** How a text reads when it was not read twice. */
const CLUMSY: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an exclamation', /\w!(\s|$)/],
  ['please, sorry, oops', /\b(please|sorry|oops)\b/i],
  ['latin', /\b(e\.g\.|i\.e\.|etc\.)/],
  ['a word of the runtime', /^[^{]*\b(NaN|null pointer|stack trace)\b/],
  ['a failure that says nothing', /\b(something went wrong|unexpected error|unknown error)\b/i],
  ['a contraction', /\b(can't|won't|doesn't|isn't|don't|didn't|couldn't)\b/],
];

test('no sentence is clumsy in a way that a pattern can find', () => {
  const offences = allTexts().flatMap(({ file, line, text }) =>
    CLUMSY.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${file}:${line}: ${what}: ${text}`),
  );
  expect(offences).toEqual([]);
});
