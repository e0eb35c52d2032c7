/**
 * Tests the required rates of the status on the sets of recordings that were frozen before the rules were tried on them
 * (docs/state.md has their first figures). `first-set.sha256` and the other four have the hashes of the files at the time of the
 * measurement.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { markedRecordings, marksOf, reworded, RULES_FOR_ANY } from './testing/marks.ts';
import { SCREEN_ALONE } from './testing/measurement.ts';

vi.setConfig({ testTimeout: 240_000 });

const FOLDER = new URL('../../../tests/fixtures/marks/', import.meta.url);
const unseen = markedRecordings().filter(({ name }) => /-[pqrsu]\d$/.test(name));
const results = unseen.map((recording) => marksOf(recording));
const marks = results.flatMap((result) => result.marks);

test.each([
  ['first-set', /-p\d\.(?:json|pty)\.gz$/],
  ['second-set', /-q\d\.(?:json|pty)\.gz$/],
  ['third-set', /-r\d\.(?:json|pty)\.gz$/],
  ['fourth-set', /-s\d\.(?:json|pty)\.gz$/],
  ['fifth-set', /-u\d\.(?:json|pty)\.gz$/],
])('the recordings of the %s are those that were frozen', (set, files) => {
  const sum = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(new URL(file, FOLDER)))
      .digest('hex');
  const found = readdirSync(FOLDER).filter((file) => files.test(file));
  const frozen = readFileSync(new URL(`${set}.sha256`, FOLDER), 'utf8');
  expect(
    found
      .sort()
      .map((file) => `${sum(file)}  ${file}\n`)
      .join(''),
  ).toBe(frozen);
});

test('[STATE-1] [STATE-22] at least 99 % of the marks are right, and no dialog that is up reads idle', () => {
  const wrong = marks.filter(({ truth, found }) => truth !== found);
  expect(marks.length).toBeGreaterThan(400);
  expect(1 - wrong.length / marks.length, JSON.stringify(wrong, null, 1)).toBeGreaterThanOrEqual(0.99);
  expect(results.flatMap(({ idleInDialog }) => idleInDialog)).toEqual([]);
});

test('[STATE-8] each dialog is shown in its own words, and with the command or file that it is about', () => {
  expect(marks.filter(({ words }) => words !== '')).toEqual([]);
});

test('[STATE-1] with hints reworded and spinners changed, at least 95 % of the work is still seen', () => {
  const working = unseen
    .flatMap((recording) => marksOf(reworded(recording)).marks)
    .filter(({ truth }) => truth === 'working');
  const wrong = working.filter(({ found }) => found !== 'working');
  expect(1 - wrong.length / working.length, JSON.stringify(wrong, null, 1)).toBeGreaterThanOrEqual(0.95);
});

test('[STATE-1] of agents without rules of their own, no dialog reads idle', () => {
  const unknown = unseen.map((recording) => marksOf(recording, SCREEN_ALONE, RULES_FOR_ANY));
  expect(unknown.flatMap(({ idleInDialog }) => idleInDialog)).toEqual([]);
});
