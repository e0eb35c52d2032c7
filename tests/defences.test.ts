/**
 * Tests that the table of `npm run defences` matches the table of SECURITY.md. The command itself shows that a defence's test
 * fails without it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DEFENCES, ROWS_WITHOUT } from '../packages/testkit/defences/all-defences.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

/** Returns the first cells of the table of attacks. */
function rows(): string[] {
  const [, table = ''] = read('SECURITY.md').split('\n| attack | defence | test |\n|---|---|---|\n');
  const [lines = ''] = table.split('\n\n');
  return lines.split('\n').map((line) => line.split(' | ')[0]!.replace(/^\| /, ''));
}

test('every row of SECURITY.md has a defence that is taken out, or a reason why none can be; and no defence has another row', () => {
  expect(rows().length).toBeGreaterThan(25);
  const named = new Set(DEFENCES.flatMap(({ row }) => (row === undefined ? [] : [row])));
  expect(new Set([...named, ...Object.keys(ROWS_WITHOUT)])).toEqual(new Set(rows()));
  expect(Object.keys(ROWS_WITHOUT).filter((row) => named.has(row))).toEqual([]);
});

test('every defence is in its file, once, and its test has the title that is named', () => {
  const wrong = DEFENCES.flatMap(({ attack, file, find, without, test: { file: test, title } }) => {
    const times = read(file).split(find).length - 1;
    const isThere = existsSync(`${ROOT}${test}`) && (title === undefined || read(test).includes(title));
    return times === 1 && find !== without && isThere ? [] : [`${attack}: ${times} times in ${file}, test: ${isThere}`];
  });
  expect(wrong).toEqual([]);
});
