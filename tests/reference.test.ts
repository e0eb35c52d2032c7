import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from '../scripts/reference.ts';
import { read, ROOT } from './support/sources.ts';

test.each(Object.entries(pages()))('%s is what `npm run docs` writes', (path, page) => expect(read(path)).toBe(page));

test.each([
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'docs/reference/README.md',
  'docs/reference/configuration.md',
  'docs/reference/environment.md',
  'docs/reference/files.md',
  'docs/reference/wire.md',
  'docs/state.md',
  'docs/mcp.md',
  'docs/notifications.md',
])('every link in %s leads to a file', (page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!);
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
});
