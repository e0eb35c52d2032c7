/** Set-up of a clone: `./spool` brings `dist` up to date before it starts. The tree is a copy, with its installed packages linked. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Terminal, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TreeCopy } from '../packages/testkit/defences/tree-copy.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test('a changed C program is built again by the next `./spool`, and an unchanged tree is left alone', async () => {
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
  rmSync(`${tree.root}/dist/stamp`); // as in a new clone
  using terminal = new Terminal([`${tree.root}/spool`, 'version'], process.env);
  await until('it is set up', () => terminal.printed.includes('install makes'), 120_000);
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
  const lines = terminal.printed.split('\r\n').map((line) => Buffer.from(line, 'latin1').toString());
  expect(lines).toEqual([
    expect.stringMatching(/^spool: set-up: the first start .* takes 10 s to 2 min, once$/),
    expect.stringMatching(/^spool: set-up: native addon …(\r.*)+… \d+\.\d s$/),
    expect.stringMatching(/^spool: set-up: bundle …(\r.*… \d+ s)+\r.*… \d+\.\d s$/),
    `spool: set-up: done. ${tree.root}/spool install makes it the command \`spool\` in every folder`,
    expect.stringMatching(/^spool \d/),
    '',
  ]);
  expect(built.map((path) => /changed (?:fd-store|beside|hook|tied)/.exec(readFileSync(path, 'latin1'))?.[0])).toEqual([
    'changed fd-store',
    'changed beside',
    'changed hook',
    'changed tied',
  ]);
});
