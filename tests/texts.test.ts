/** `npm run texts` lists every sentence that the command line and the MCP server can print. */
import { ERROR_CODES } from '@spool/protocol';
import { expect, test } from 'vitest';
import { unclearIn, unclearSentences } from '../scripts/comments.ts';
import { allTexts, textsIn, unclearTexts } from '../scripts/texts.ts';

/** All texts, read once for all tests. */
const TEXTS = allTexts();

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
  const errors = new Set(TEXTS.filter(({ place }) => place.startsWith('error ')).map(({ text }) => text));
  expect(Object.values(ERROR_CODES).filter((sentence) => !errors.has(sentence) && sentence.includes(' '))).toEqual([]);
  const places = new Set(TEXTS.map(({ place }) => place));
  for (const place of ['summary', 'about', 'notice', 'UsageError', 'confirm', 'description', 'describe', 'CallError'])
    expect([place, places.has(place)]).toEqual([place, true]);
});

/** Signs of a text that was not revised. */
const CLUMSY: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an exclamation', /\w!(\s|$)/],
  ['please, sorry, oops', /\b(please|sorry|oops)\b/i],
  ['latin', /\b(e\.g\.|i\.e\.|etc\.)/],
  ['a word of the runtime', /^[^{]*\b(NaN|null pointer|stack trace)\b/],
  ['a failure that says nothing', /\b(something went wrong|unexpected error|unknown error)\b/i],
  ['a contraction', /\b(can't|won't|doesn't|isn't|don't|didn't|couldn't)\b/],
];

test('no sentence is clumsy in a way that a pattern can find', () => {
  const offences = TEXTS.flatMap(({ file, line, text }) =>
    CLUMSY.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${file}:${line}: ${what}: ${text}`),
  );
  expect(offences).toEqual([]);
});

test('no text has a sentence of a shape that must be read twice', () => {
  const planted = textsIn('packages/cli/src/planted.ts', "notice(`${nobody} planted`); notice('nobody is told');");
  expect(unclearTexts(planted).map(({ line, shape }) => [line, shape])).toEqual([
    [1, 'tell: report, notify, say, return'],
    [1, 'nobody, somebody: no one, or the passive'],
  ]);
  expect(unclearTexts(TEXTS).map(({ file, line, shape, text }) => `${file}:${line}: ${shape}: ${text}`)).toEqual([]);
});

test('no comment and no page has a sentence of a shape that must be read twice', () => {
  const offences = unclearSentences().map(({ file, line, shape, text }) => `${file}:${line}: ${shape}: ${text}`);
  expect(offences).toEqual([]);
});

test.each([
  ['/** What was installed is compared. */', ['a sentence that begins with "What is"', 'an opening without its noun']],
  ['/** By a child that is being started. */', ['an opening without its noun']],
  ['// With a size, the child gets a terminal.', []],
  [
    '/** Returns what was read. Nobody is told. */',
    [
      'tell: report, notify, say, return',
      'nobody, somebody: no one, or the passive',
      'what is, whoever: name the thing or the person',
    ],
  ],
  ['/** Where the dialog begins. */', ['an opening without its noun']],
  ['/** As the program wrote it. */', ['an opening without its noun']],
  ['// Where no rule matches, the last reading is kept.', []],
  ['/** Lists what changed. */', []],
  ['/** Says "it goes on" and `is no`. */', []],
  ['// a line that\n// goes on', ['go on: continue']],
  ['// It is refused, and the error says so.', ['says so: name what is reported']],
  ['/** The limit; null: there is none. */', ['null: X: null means X, null if X']],
  ['/** The limit; null if there is none; `null: 1` is code. */', []],
  ['// the input is /dev/null: it has ended', []],
  ['// It is made anew, and taken for the old one.', ['anew: again, from the start', 'taken for: mistaken for']],
  ['/** Is no longer needed. */', []],
  ['const text = "nobody is told";', []],
])('%s: %j', (source, shapes) => {
  expect(
    unclearIn('planted.ts', source)
      .map(({ shape }) => shape)
      .toSorted(),
  ).toEqual(shapes.toSorted());
});

test('comments in C and paragraphs of Markdown are read too, code in them is not', () => {
  expect(unclearIn('a.c', 'char *x = "/* goes on */"; /* goes on */ // goes on').length).toBe(2);
  expect(unclearIn('a.md', 'It goes on.\n```\nit goes on\n```\n').map(({ line }) => line)).toEqual([1]);
});

test.each([
  ['a shape across a line break', 'The session goes\non.', [1]],
  ['a paragraph, an item and what continues it', 'It goes\n\non.\n\n- It goes\n- on and\n  it goes\n  on.', [6]],
  ['cells of a table, each alone', '| it goes | on |\n|---|---|\n| one | What was read is kept. |', [3]],
  ['a heading and the line after it', '# It goes\non.\n\n## It goes on', [4]],
  ['code inside an item', '- one:\n  ```\n  it goes on\n  ```\n  two', []],
])('Markdown is read by paragraph: %s', (_what, source, lines) => {
  expect(unclearIn('a.md', source).map(({ line }) => line)).toEqual(lines);
});
