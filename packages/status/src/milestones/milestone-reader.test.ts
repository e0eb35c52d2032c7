import { expect, test } from 'vitest';
import { type EntryData, readCatalogue } from './catalogue.ts';
import { KEYS_MAX, LINE_CHARACTERS_MAX, MilestoneReader } from './milestone-reader.ts';
import { TITLE_CHARACTERS_MAX } from './title.ts';

const OWN = readCatalogue().catalogue;

function readerOf(milestones: readonly EntryData[], start?: string): MilestoneReader {
  const text = JSON.stringify({ tool: 'mine', start, milestones });
  const { catalogue, errors } = readCatalogue([{ file: 'mine.json', text }]);
  expect(errors).toEqual([]);
  return new MilestoneReader(catalogue);
}

/** Returns the titles that these lines produce. */
const titles = (reader: MilestoneReader, lines: readonly string[]): string[] =>
  lines.flatMap((line, at) => reader.line(line, at).map(({ title }) => title));

const PROGRESS: EntryData = { name: 'copy', match: '^copying (?<percent>\\d+)%', title: '{percent}', progress: true };

test('[TASK-5] progress is told in steps, to the end, and again when it begins again', () => {
  const reader = readerOf([PROGRESS]);
  const lines = [...Array(101).keys(), 100, 100, 0, 30, 33, 20, 35, 400, 97, 100].map(
    (percent) => `copying ${percent}%`,
  );
  expect(titles(reader, lines).map(Number)).toEqual([
    ...Array.from({ length: 20 }, (_, at) => 5 * at + 5),
    30,
    35,
    97,
    100,
  ]);
});

test('[TASK-5] of done and total a percentage is made, for each key', () => {
  const match = 'copying (?<key>\\w+) (?<done>[\\d.]+)/(?<total>[\\d.]+)$';
  const reader = readerOf([{ ...PROGRESS, match, title: '{key}' }]);
  const lines = ['a 1/8', 'b 0.5/2.0', 'a 8/8', 'b 2.1/2.0', 'c 1/0', 'd ./.'];
  expect(
    lines.flatMap((line, at) => reader.line(`copying ${line}`, at).map((one) => [one.title, one.percent])),
  ).toEqual([
    ['a', 12],
    ['b', 25],
    ['a', 100],
    ['b', 100],
  ]);
});

test('[TASK-5] an unfinished line tells progress and nothing else, and the finished one does not tell it again', () => {
  const reader = readerOf([PROGRESS, { name: 'copied', match: '^copied (?<what>\\w+)', title: '{what}' }]);
  expect(reader.openLine('copying 50%', 11)).toEqual([{ name: 'copy', title: '50', percent: 50, offset: 11 }]);
  expect(reader.openLine('copying 50%', 12)).toEqual([]);
  expect(reader.line('copying 50%', 13)).toEqual([]);
  expect(reader.openLine('copied fi', 22)).toEqual([]);
  expect(reader.line('copied files', 26)).toEqual([{ name: 'copied', title: 'files', offset: 26 }]);
});

test('[TASK-5] a `once` entry is reported again after a start, after an outcome, and after a restart', () => {
  const once: EntryData = { name: 'ready', match: '^ready at (?<url>\\S+)', title: '{url}', outcome: 'ok', once: true };
  const end: EntryData = { name: 'ended', match: '^ended$', title: 'ended', outcome: 'failed' };
  const reader = readerOf([once, end], '^starting');
  expect(
    titles(reader, ['ready at a', 'ready at b', 'starting', 'ready at c', 'ended', 'ready at d', 'ready at e']),
  ).toEqual(['a', 'c', 'ended', 'd']);
  reader.restart();
  expect(reader.line('ready at http://localhost:1/', 7)).toEqual([
    { name: 'ready', title: 'http://localhost:1/', url: 'http://localhost:1/', outcome: 'ok', offset: 7 },
  ]);
});

test('[TASK-5] entries of one name share what was told, and keys have a limit', () => {
  const first: EntryData = { name: 'seen', match: '^first (?<key>\\w+)', title: '{key}', once: true };
  const reader = readerOf([first, { ...first, match: '^second (?<key>\\w+)' }]);
  expect(titles(reader, ['first a', 'second a', 'second b', 'first b'])).toEqual(['a', 'b']);
  expect(
    titles(
      reader,
      Array.from({ length: 2 * KEYS_MAX }, (_, at) => `first key${at}`),
    ),
  ).toHaveLength(KEYS_MAX - 2);
});

test('[TASK-5] a line that must come after another does, at most so many lines later', () => {
  const entry: EntryData = {
    name: 'up',
    after: '^at (?<url>\\S+) or so',
    within: 2,
    match: '^now up',
    title: 'up at {url}',
  };
  expect(titles(readerOf([entry]), ['now up', 'at x or so', '', 'now up', 'now up'])).toEqual(['up at x']);
});

test('[TASK-5] a line that is not finished comes before nothing', () => {
  const reader = readerOf([{ ...PROGRESS, after: '^of (?<what>\\w+) files', title: '{what}' }]);
  expect([...reader.openLine('of my files', 1), ...reader.openLine('copying 50%', 2)]).toEqual([]);
  expect(titles(reader, ['of all files', 'copying 50%'])).toEqual(['all']);
});

test('[TASK-5] a title leaves out groups that did not match, counts nouns, and has a limit', () => {
  const match = '^tests: (?<failed>\\d+ )?(?<passed>\\d+) (?<rest>.*)';
  const reader = readerOf([{ name: 'tests', match, title: '[{failed} failed, ]{passed|test|tests} passed {rest}' }]);
  const [one, two, long] = titles(reader, ['tests: 1 a', 'tests: 3 2 b', `tests: 1 ${'😀'.repeat(150)}`]);
  expect([one, two]).toEqual(['1 test passed a', '3 failed, 2 tests passed b']);
  expect(long!.length).toBeLessThanOrEqual(TITLE_CHARACTERS_MAX);
  expect(long).toMatch(/😀…$/u);
});

test('[TASK-5] only the beginning of a long line is looked at', () => {
  const reader = readerOf([{ name: 'far', match: 'far away$', title: 'far' }]);
  expect(
    titles(reader, [
      `${' '.repeat(LINE_CHARACTERS_MAX - 8)}far away`,
      `${' '.repeat(LINE_CHARACTERS_MAX - 7)}far away`,
    ]),
  ).toEqual(['far']);
});

/** Lines that only quote the output of tools: logs, sources, manuals. */
test.each([
  'The dev server prints `➜  Local:   http://localhost:5173/` when it is ready.',
  "console.log('  ➜  Local:   http://localhost:5173/');",
  '- Local:         http://localhost:3000',
  '✓ Ready in the morning',
  '// added 69 packages in 9s',
  'added 3 packages in total',
  'I added 12 packages in 3 days',
  'up to date in principle',
  '#8 3.105 added 69 packages in 2s',
  'npm error code paths are tested elsewhere',
  'Done in 1.2s',
  'Done. Now run:',
  'Success! Created by hand at noon',
  "  done   That's it!",
  'Liftoff confirmed. Explore your project!',
  '✔ Template copied',
  'Found 2 errors in your reasoning',
  '  expect(screen).toContain("Found 0 errors. Watching for file changes.");',
  'Tests: 2 passed, 2 total',
  ' Tests  2 passed (2)',
  '      Tests 2 passed (2)',
  'Ran all test suites.',
  '2 passed exams in 3 years',
  '5 failed attempts in 20s',
  'test result: ok',
  '    Finished the `dev` profile in 2 days',
  'ok then, example.com/demo 0.003s',
  'main.go:12: listen on port 8080',
  '{"level":"info","msg":"Receiving objects: 42% (1/2)"}',
  'fatal: everything is lost',
  ' * [new branch]      main -> main',
  'error: this is a log line about src/a.c:1:2',
  'make: it so',
  '[ 42%] of users agree',
  '[1/3] Linking people together',
  '#12 is an issue [2/4] RUN away',
  'RUN npm ci',
  'naming to docker.io/library/demo done',
  'Successfully built a house',
  'Progress: 42%',
  'E: this is the key of the song',
  '0 upgraded, 0 newly installed',
  'INFO request failed, 3 passed on to the next in 2s',
  'Please visit the server running on http://localhost:3000 and tell us',
  'The server is now up, and is running at http://example.com/',
  'see https://example.com/Listening on http://localhost',
])('[TASK-5] this is no milestone: %s', (line) => {
  expect(new MilestoneReader(OWN).line(line, 1)).toEqual([]);
  expect(new MilestoneReader(OWN).openLine(line, 1)).toEqual([]);
});

/** Lines as the programs print them, without their colours. */
test.each<[string, string[], string[]]>([
  [
    'create-astro',
    [
      ' astro   Launch sequence initiated.',
      '      ◼  dir Using ./my-app as project directory',
      '         ✔ Template copied',
      '         ■ Template copied',
      '         ■ Dependencies installed',
      '  next   Liftoff confirmed. Explore your project!',
    ],
    ['Template copied', 'Dependencies installed', 'project created in ./my-app'],
  ],
  ['create-astro, asked', ['  next   Liftoff confirmed. Explore your project!'], ['project created']],
  ['create-astro, offline', [' astro  Launch sequence aborted.'], ['the project was not created']],
  ['create-react-router', ['         create-react-router v7.18.4', "  done   That's it!"], ['project created']],
  [
    'create-nuxt',
    ['└  ✨ Nuxt project has been created with the minimal template.'],
    ['project created with the template minimal'],
  ],
  ['create-expo', ['✅ Your project is ready!'], ['project created']],
  ['nest new', ['🚀  Successfully created project api'], ['api created']],
  ['nest new .', ['🚀  Successfully created a new project'], ['created']],
  ['create-solid', ['◇  Project created 🎉'], ['project created']],
])('[TASK-5] a scaffold tells its steps and its end: %s', (_name, lines, expected) => {
  expect(titles(new MilestoneReader(OWN), lines)).toEqual(expected);
});

test.each([
  ['Server listening on http://localhost:3000', 'server-ready', 'http://localhost:3000'],
  ['* Listening on http://127.0.0.1:3000', 'server-ready', 'http://127.0.0.1:3000'],
  ['Example app running at http://[::1]:8080/x', 'server-ready', 'http://[::1]:8080/x'],
  ['web:dev:   ➜  Local:   http://localhost:5173/', 'vite-ready', 'http://localhost:5173/'],
  ['[0]   ➜  Local:   https://localhost:5173/', 'vite-ready', 'https://localhost:5173/'],
])('[TASK-5] a server, of its own kind or run by another: %s', (line, name, url) =>
  expect(new MilestoneReader(OWN).line(line, 1)).toMatchObject([{ name, url }]),
);
