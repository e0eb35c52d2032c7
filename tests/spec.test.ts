/**
 * Tests SPEC.md, which contains the promises, one a line: `- **LOG-1** byte-exact: …`. A test proves one by naming it in its
 * title: `test('[LOG-1] …')`, several as `[LOG-1, LOG-2]`. The file that keeps one names it in its header: `Keeps LOG-1.` This
 * test compares the three.
 */
import { expect, test } from 'vitest';
import { unprovedPromises } from '../scripts/promises-reporter.mjs';
import { isNode, read, type SyntaxNode, syntaxNodes, typeScriptFiles } from './support/sources.ts';

const TITLED: ReadonlySet<string> = new Set(['test', 'testNeeding', 'it', 'describe']);
/** Kinds of tests that are not run, and prove nothing. */
const NOT_RUN: ReadonlySet<string> = new Set(['skip', 'todo']);

/** Scripts in plain JavaScript that keep promises: they run before anything is built. */
const KEEPING_SCRIPTS = ['packages/native/cross-build.mjs', 'scripts/release/main.mjs', 'scripts/release/packages.mjs'];

const promised = [...read('SPEC.md').matchAll(/^\s*- \*\*([A-Z]+-\d+)\*\*/gm)].map(([, id]) => id!);

test('every promise has a test, and every test names promises that exist', () => {
  const files = [...typeScriptFiles('packages').filter(mayHoldTests), ...typeScriptFiles('tests')];
  const named = files.flatMap((file) => idsIn(read(file)).map((id) => ({ id, file })));

  const tested = new Set(named.map(({ id }) => id));
  const known = new Set(promised);
  expect({
    hasPromises: promised.length > 0,
    promisedTwice: promised.filter((id, at) => promised.indexOf(id) !== at),
    withoutTest: promised.filter((id) => !tested.has(id)),
    withoutPromise: named.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${id} in ${file}`),
  }).toEqual({ hasPromises: true, promisedTwice: [], withoutTest: [], withoutPromise: [] });
});

test('every promise is in the header of a file that keeps it, and headers name promises that exist', () => {
  const areas = new Set(promised.map((id) => id.split('-')[0]));
  const isKeeper = (file: string): boolean => !mayHoldTests(file) && !file.includes('/testing/');
  const named = [...typeScriptFiles('packages').filter(isKeeper), ...KEEPING_SCRIPTS]
    .flatMap((file) => headerIds(read(file)).map((id) => ({ id, file })))
    .filter(({ id }) => areas.has(id.split('-')[0])); // not UTF-8, SGR-1006, …
  const kept = new Set(named.map(({ id }) => id));
  const known = new Set(promised);
  expect({
    keptNowhere: promised.filter((id) => !kept.has(id)),
    withoutPromise: named.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${id} in ${file}`),
  }).toEqual({ keptNowhere: [], withoutPromise: [] });
});

test('ids are read from the first comment of a file, and from nowhere else', () => {
  expect(headerIds('/**\n * A part. Keeps AA-1 and\n * AA-2.\n */\nimport x;\n/** Keeps BB-1. */')).toEqual([
    'AA-1',
    'AA-2',
  ]);
  expect(headerIds('// Keeps AA-1: so.\n// And AA-2.\nimport x; // BB-1')).toEqual(['AA-1', 'AA-2']);
  expect(headerIds('import x;\n/** Keeps BB-1. */')).toEqual([]);
});

test('ids are read from the titles of tests that run, and from nowhere else', () => {
  const source = `
    test('[AA-1] plain', () => {}); it.each([1])(\`[AA-2, AA-3] \${x}\`, () => {}); describe("[AA-4]", () => {});
    testNeeding(NOT_ROOT)('[AA-5] on some machines', () => {}); test.skip('[BB-1] not run', () => {}); test.todo('[BB-2]');
    // [BB-3]
    const text = '[BB-4]'; other('[BB-5]');`;
  expect(idsIn(source)).toEqual(['AA-1', 'AA-2', 'AA-3', 'AA-4', 'AA-5']);
});

test('what was skipped proves nothing, and a promise without proof says why', () => {
  const spec = '- **AA-1** one\n- **AA-2** two\n- **AA-3** three\n- **AA-4** four\n';
  const tests = [
    { title: '[AA-1] here', state: 'skipped', note: 'It runs as root.' },
    { title: 'elsewhere > [AA-1, AA-2] there', state: 'passed' },
    { title: '[AA-3] one way', state: 'skipped', note: 'It runs where vim is installed.' },
    { title: '[AA-3] another way', state: 'failed' },
  ];
  expect(unprovedPromises(spec, tests)).toEqual([
    { id: 'AA-3', reasons: ['It runs where vim is installed.'] },
    { id: 'AA-4', reasons: [] },
  ]);
});

test('no test is skipped without a sentence: what a test needs is said with `testNeeding` or `skip`', () => {
  const silent = ['skipIf', 'runIf'];
  const files = [...typeScriptFiles('packages'), ...typeScriptFiles('tests')].filter(mayHoldTests);
  // A file without these words has no call of them, and need not be parsed.
  const suspects = files.filter((file) => silent.some((word) => read(file).includes(word)));
  const offences = suspects.flatMap((file) =>
    [...syntaxNodes(read(file), file)]
      .filter(({ type, callee }) => type === 'CallExpression' && silent.includes(wordsOf(callee).at(-1)!))
      .map((node) => `${file}: ${wordsOf(node['callee']).join('.')}`),
  );
  expect(offences).toEqual([]);
});

/** Returns whether a file may contain tests: contract suites, which several tests run, are in the testkit. */
function mayHoldTests(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('packages/testkit/src/');
}

function idsIn(source: string): string[] {
  const ids: string[] = [];
  for (const node of syntaxNodes(source)) {
    if (node.type !== 'CallExpression') continue;
    const words = wordsOf(node['callee']);
    if (!TITLED.has(words[0]!) || words.some((word) => NOT_RUN.has(word))) continue;
    const [title] = node['arguments'] as SyntaxNode[];
    if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') continue;
    const text = source.slice(title['start'] as number, title['end'] as number);
    for (const [, list] of text.matchAll(/\[([A-Z]+-\d+(?:, *[A-Z]+-\d+)*)\]/g)) ids.push(...list!.split(/, */));
  }
  return ids;
}

function headerIds(source: string): string[] {
  const [header = ''] = /^(?:\/\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(source) ?? [];
  return [...header.matchAll(/\b[A-Z]+-\d+\b/g)].map(([id]) => id);
}

/** Returns the words of `test.each(x)`: test, each. */
function wordsOf(callee: unknown): string[] {
  if (!isNode(callee)) return [];
  if (callee.type === 'Identifier') return [callee['name'] as string];
  if (callee.type === 'MemberExpression') return [...wordsOf(callee['object']), ...wordsOf(callee['property'])];
  if (callee.type === 'CallExpression') return wordsOf(callee['callee']);
  return callee.type === 'TaggedTemplateExpression' ? wordsOf(callee['tag']) : [];
}
