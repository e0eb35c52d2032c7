/** Tests the links of the pages: each leads to a file that exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/sources.ts';

const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...(readdirSync(join(ROOT, 'docs'), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

function brokenLinks(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/```.*?```/gs, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(resolve(ROOT, dirname(page), target.replace(/#.*/, ''))))
    .map((target) => `${page}: ${target}`);
}

test('every link of every page leads somewhere', () => {
  expect(PAGES.length).toBeGreaterThan(20);
  expect(PAGES.flatMap(brokenLinks)).toEqual([]);
});
