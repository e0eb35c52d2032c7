/** Set-up of a clone: `./spool` brings `dist` up to date before it starts. The tree is a copy, with its installed packages linked. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TreeCopy } from '../packages/testkit/defences/tree-copy.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test('a changed C program is built again by the next `./spool`, and an unchanged tree is left alone', () => {
  using tree = new TreeCopy(ROOT);
  const start = (): string => execFileSync(`${tree.root}/spool`, ['version'], { encoding: 'utf8', stdio: 'pipe' });
  const built = ['spool-fd-store', 'spool-beside', 'spool-hook', 'spool-tied'].map(
    (name) => `${tree.root}/dist/${name}`,
  );
  start();
  const before = built.map((path) => statSync(path).ino);
  start();
  expect(built.map((path) => statSync(path).ino)).toEqual(before);
  for (const name of ['fd-store', 'beside', 'hook', 'tied'])
    appendFileSync(
      `${tree.root}/packages/native/${name}/${name}.c`,
      `\n__attribute__((used)) static const char changed[] = "changed ${name}";\n`,
    );
  start();
  expect(built.map((path) => /changed (?:fd-store|beside|hook|tied)/.exec(readFileSync(path, 'latin1'))?.[0])).toEqual([
    'changed fd-store',
    'changed beside',
    'changed hook',
    'changed tied',
  ]);
});
