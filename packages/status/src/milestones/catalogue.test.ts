import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { ENTRIES_MAX, FILE_CHARACTERS_MAX, FILES_MAX, readCatalogue } from './catalogue.ts';
import { MilestoneReader } from './milestone-reader.ts';

const ENTRY = { name: 'done', match: 'finished (?<what>\\w+)', title: '{what} is done' };
const read = (...files: unknown[]) =>
  readCatalogue(
    files.map((data, at) => ({ file: `${at}.json`, text: typeof data === 'string' ? data : JSON.stringify(data) })),
  );
const namesOf = ({ catalogue }: ReturnType<typeof read>, tool: string): string[] | undefined =>
  catalogue.tools.find(({ name }) => name === tool)?.entries.map(({ name }) => name);

test('[TASK-5] our own catalogue is without a mistake', () => {
  const { catalogue, errors } = readCatalogue();
  expect(errors).toEqual([]);
  expect(catalogue.tools.every(({ entries }) => entries.length > 0)).toBe(true);
});

test("[TASK-5] a user's milestones are found, before ours", () => {
  const result = read({
    tool: 'mine',
    milestones: [ENTRY, { ...ENTRY, name: 'my-install', match: '^added (?<what>.*) packages in' }],
  });
  const reader = new MilestoneReader(result.catalogue);
  expect(result.errors).toEqual([]);
  expect(reader.line('finished lunch', 14)).toEqual([{ name: 'done', title: 'lunch is done', offset: 14 }]);
  expect(reader.line('added 3 packages in 2s', 37)).toMatchObject([{ name: 'my-install' }]);
});

test("[TASK-5] a user's file about a tool of ours takes its place, and a second one does not", () => {
  const result = read({ tool: 'npm', milestones: [ENTRY] }, { tool: 'npm', milestones: [] });
  expect(namesOf(result, 'npm')).toEqual(['done']);
  expect(result.errors).toEqual(['1.json: another file is about "npm" too; this one is not used']);
});

test.each<[unknown, RegExp]>([
  [7, /^0\.json: milestone 1: must be an object$/],
  [{ ...ENTRY, name: 'Done!' }, /^0\.json: milestone 1 \(Done!\): "name" must be a word/],
  [{ ...ENTRY, match: undefined }, /"match" must be text/],
  [{ ...ENTRY, match: 'abc(?=d)' }, /\(done\): "match" looks ahead/],
  [{ ...ENTRY, after: '(abc)\\1' }, /"after" refers back/],
  [{ ...ENTRY, title: '{whom} is done' }, /"title" asks for \{whom\}/],
  [{ ...ENTRY, title: 'x'.repeat(201) }, /"title" must be text of at most/],
  [{ ...ENTRY, outcome: 'maybe' }, /"outcome" must be "ok" or "failed"/],
  [{ ...ENTRY, once: 1 }, /"once" and "progress" must be true or false/],
  [{ ...ENTRY, within: 0 }, /"within" must be a number/],
  [{ ...ENTRY, progress: true }, /a progress needs a group/],
  [{ ...ENTRY, pattern: 'x' }, /"pattern" is unknown/],
])('[TASK-5] a bad entry is a sentence, and the others count: %j', (bad, sentence) => {
  const result = read({ tool: 'mine', milestones: [bad, { ...ENTRY, name: 'good' }] });
  expect(result.errors).toHaveLength(1);
  expect(result.errors[0]).toMatch(sentence);
  expect(namesOf(result, 'mine')).toEqual(['good']);
});

test.each<[unknown, RegExp, string[] | undefined]>([
  ['{', /^0\.json: is not JSON/, undefined],
  ['x'.repeat(FILE_CHARACTERS_MAX + 1), /is longer than/, undefined],
  ['[]', /must hold an object/, undefined],
  [{ tool: 'My Tool', milestones: [] }, /"tool" must be a word/, undefined],
  [{ tool: 'mine' }, /"milestones" must be a list/, undefined],
  [{ tool: 'mine', start: '^', milestones: [ENTRY] }, /"start" has no fixed text/, ['done']],
  [{ tool: 'mine', extra: 1, milestones: [ENTRY] }, /"extra" is unknown/, ['done']],
])('[TASK-5] a bad file is a sentence: %.40j', (file, sentence, names) => {
  const result = read(file);
  expect(result.errors).toHaveLength(1);
  expect(result.errors[0]).toMatch(sentence);
  expect(namesOf(result, 'mine')).toEqual(names);
});

test('[TASK-5] files, entries and all together have limits', () => {
  const tool = (at: number, length: number, match = 'abc') => ({
    tool: `t${at}`,
    milestones: Array.from({ length }, () => ({ name: 'x', match, title: '' })),
  });
  const many = read(tool(0, ENTRIES_MAX + 1));
  expect([namesOf(many, 't0')?.length, many.errors.length]).toEqual([ENTRIES_MAX, 1]);
  const files = read(...Array.from({ length: FILES_MAX + 1 }, (_, at) => tool(at, 1)));
  expect([namesOf(files, `t${FILES_MAX - 1}`), namesOf(files, `t${FILES_MAX}`), files.errors.length]).toEqual([
    ['x'],
    undefined,
    1,
  ]);
  const long = read(...[0, 1, 2, 3, 4].map((at) => tool(at, ENTRIES_MAX, 'x'.repeat(400))));
  expect([namesOf(long, 't3')?.length, long.errors]).toEqual([
    ENTRIES_MAX,
    ['4.json: there are too many milestones; this file is not used'],
  ]);
});

test('[TASK-5] a pattern that backtracks without end holds nobody up', () => {
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks'); // the same flag as in the screen thread
  const { catalogue, errors } = read({
    tool: 'mine',
    milestones: [
      { ...ENTRY, match: '^aaa(?<what>(?:a+)+)!$' },
      { ...ENTRY, match: 'aaa(?<what>a*a*a*a*)!' },
    ],
  });
  const reader = new MilestoneReader(catalogue);
  const begin = process.cpuUsage();
  expect([errors, reader.line('a'.repeat(1_000_000), 1)]).toEqual([[], []]);
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(2000); // backtracking: would never finish
});
