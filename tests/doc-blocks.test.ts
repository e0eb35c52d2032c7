/**
 * Tests the code blocks and the commands of the pages. The word after the fence chooses the check:
 *
 * - `sh`: the shell accepts it, and the command line understands every `spool` in it.
 * - `console`: a transcript. Its lines after `$ ` are checked as `sh`.
 * - `json`: it can be parsed.
 * - `ts`: it compiles. `readme.test.ts` also runs the programs of the README.
 * - `toml`, `text`: output, or a file of another program.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { COMMON_FLAGS, parseArguments, type Verb } from '../packages/cli/src/command-line/arguments.ts';
import { isVerb, VERBS } from '../packages/cli/src/command-line/verb-table.ts';
import { splitHostFlags } from '../packages/cli/src/remote/host.ts';
import { read, ROOT } from './support/sources.ts';

const run = promisify(execFile);

interface Block {
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md', 'packages/client/README.md'],
  ...['docs', 'docs/reference'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
const BLOCKS = PAGES.flatMap(blocksOf);
const LANGUAGES = ['sh', 'console', 'json', 'ts', 'toml', 'text'];

/** The names that programs of the pages use without saying where they come from. */
const AMBIENT = `
declare const client: import('@spool/client').Client;
declare const token: string;
`;

test('every code block of the pages says what it is', () => {
  expect(BLOCKS.length).toBeGreaterThan(30);
  expect(BLOCKS.filter(({ language }) => !LANGUAGES.includes(language)).map(({ place }) => place)).toEqual([]);
});

test('every block of shell is accepted by the shell, and its `spool` commands by the command line', async () => {
  const scripts = BLOCKS.flatMap((block) => ({ ...block, text: shellOf(block) })).filter(({ text }) => text !== '');
  const wrong = scripts.flatMap(({ place, text }) => commandsOf(text).flatMap((words) => faultOf(words, place)));
  expect(wrong).toEqual([]);
  const joined = scripts.map(({ place, text }) => `# ${place}\n${text}`).join('\n');
  await run('bash', ['-n', '-c', joined]);
  expect(scripts.flatMap(({ text }) => commandsOf(text)).length).toBeGreaterThan(40);
});

test('every `spool` command in a sentence has a verb and flags that exist', () => {
  const spans = PAGES.flatMap((place) =>
    [...read(place).matchAll(/`(?:\.\/)?spool ([a-z-][^`]*)`/g)].map(([, text]) => ({ place, text: text! })),
  );
  expect(spans.length).toBeGreaterThan(100);
  expect(spans.flatMap(({ place, text }) => unknownWords(text).map((word) => `${place}: ${text}: ${word}`))).toEqual(
    [],
  );
});

test('every block of JSON is JSON', () => {
  for (const { place, text } of BLOCKS.filter(({ language }) => language === 'json'))
    expect(() => JSON.parse(text) as unknown, place).not.toThrow();
});

test('every program of the pages compiles', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-test-programs-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const programs = BLOCKS.filter(({ language }) => language === 'ts');
  for (const [index, { place, text }] of programs.entries())
    writeFileSync(join(folder, `${index}-${place.replaceAll(/\W/g, '-')}.mts`), `${text}\nexport {};\n`);
  writeFileSync(join(folder, 'ambient.d.ts'), AMBIENT);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.base.json'),
      compilerOptions: { lib: ['ES2024', 'ESNext.Disposable'], types: ['node'], noUnusedLocals: false },
    }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

function blocksOf(page: string): Block[] {
  return [...read(page).matchAll(/^( *)```(.*)\n((?:.*\n)*?) *```$/gm)].map(({ 2: language, 3: text, index }) => ({
    place: `${page}:${read(page).slice(0, index).split('\n').length}`,
    language: language!,
    text: text!,
  }));
}

/** Returns the shell commands of a block; in a transcript, the lines that a user types. */
function shellOf({ language, text }: Block): string {
  if (language === 'sh') return text;
  if (language !== 'console') return '';
  return [...text.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line).join('\n');
}

/** Returns the words after each `spool` that a script runs. */
function commandsOf(script: string): string[][] {
  const plain = script.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, '');
  return [...plain.matchAll(/(?:^|[|;&(])\s*(?:\.\/)?spool +((?:"[^"\n]*"|'[^'\n]*'|[^\n|;&)<>"'])*)/gm)].map(
    ([, words]) => [...words!.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!),
  );
}

function faultOf(words: readonly string[], place: string): string[] {
  const [verb = '', ...rest] = splitHostFlags(words).rest;
  if (!isVerb(verb)) return [`${place}: there is no verb ${verb}`];
  try {
    parseArguments(verb, VERBS[verb], rest);
    return [];
  } catch (error) {
    return [`${place}: ${words.join(' ')}: ${(error as Error).message}`];
  }
}

/** Returns the words of a command in a sentence, which may be a part of one, that the command line does not know. */
function unknownWords(text: string): string[] {
  const [verb = '', ...words] = splitHostFlags(text.split(/\s+/)).rest;
  if (['help', '--version', '--help'].includes(verb)) return [];
  const name = verb.replace(/[^a-z-].*$/s, '');
  if (!isVerb(name)) return [verb];
  const table: Verb = VERBS[name];
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const flags = own.flatMap((word) => /--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
  return flags.filter((flag) => !Object.hasOwn(table.flags, flag) && !Object.hasOwn(COMMON_FLAGS, flag));
}
