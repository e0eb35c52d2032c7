/** A clone sets itself up again when its sources have changed, and only then. The set-up here is a small script that says it ran. */
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { TestDaemon } from '@spool/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Installation } from './support/installation.ts';

let clone: Installation;
let daemon: TestDaemon;

/** `then`: what set-up does after it has said so; its folder is `at`. */
function setUpThat(then: string): void {
  const code = `import { writeFileSync, utimesSync } from 'node:fs';
const at = ${JSON.stringify(clone.folder)};
process.stdout.write('set up\\n');
${then}`;
  writeFileSync(`${clone.folder}/scripts/setup.mjs`, code);
  stampNow();
}

function stampNow(): void {
  nextTick();
  writeFileSync(`${clone.folder}/dist/stamp`, 'first');
  nextTick();
}

/** Files are dated by a coarse clock: returns when a file that is written now is younger than those before. */
function nextTick(): void {
  const probe = `${clone.folder}/probe`;
  writeFileSync(probe, '');
  const before = statSync(probe).ctimeMs;
  while (statSync(probe).ctimeMs === before) writeFileSync(probe, '');
}

beforeEach(() => {
  clone = new Installation();
  daemon = new TestDaemon();
  for (const folder of ['scripts', 'packages/cli/src/verbs', 'packages/native'])
    mkdirSync(`${clone.folder}/${folder}`, { recursive: true });
  for (const file of ['package-lock.json', 'packages/cli/src/verbs/ls.ts', 'packages/cli/src/verbs/ls.test.ts'])
    writeFileSync(`${clone.folder}/${file}`, '');
  setUpThat('');
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  clone[Symbol.dispose]();
});

const stderrOf = async (): Promise<string> => {
  const { code, stdout, stderr } = await clone.spool(daemon, 'version');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^spool /)]);
  return stderr;
};

test('[SPEED-2] nothing has changed: set-up does not run', async () => {
  expect(await stderrOf()).toBe('');
});

test.each([
  ['a source in a folder below', () => writeFileSync(`${clone.folder}/packages/cli/src/verbs/ls.ts`, 'x')],
  ['a new folder', () => mkdirSync(`${clone.folder}/packages/cli/src/other`)],
  ['a removed source', () => rmSync(`${clone.folder}/packages/cli/src/verbs/ls.ts`)],
  ['the lockfile', () => writeFileSync(`${clone.folder}/package-lock.json`, 'x')],
  ['a script', () => writeFileSync(`${clone.folder}/scripts/bundle.mjs`, 'x')],
  ['a link in the place of a source', () => symlinkSync('/', `${clone.folder}/packages/native/link`)],
  ['the stamp is gone', () => rmSync(`${clone.folder}/dist/stamp`)],
  ['a damaged addon', () => writeFileSync(`${clone.folder}/dist/spool_native.node`, 'garbage')],
])('[SPEED-2] %s: set-up runs, and the command after it', async (_what, change) => {
  change();
  expect(await stderrOf()).toBe('set up\n');
});

test('[SPEED-2] a changed test alone is no reason', async () => {
  writeFileSync(`${clone.folder}/packages/cli/src/verbs/ls.test.ts`, 'x');
  expect(await stderrOf()).toBe('');
});

test('[SPEED-2] what set-up has built runs the command', async () => {
  setUpThat(`writeFileSync(at + '/dist/spool.cjs', 'console.log("new", ...process.argv.slice(2))');
writeFileSync(at + '/dist/stamp', 'second');`);
  writeFileSync(`${clone.folder}/packages/native/new.c`, '');
  expect(await clone.spool(daemon, 'ls', '-a', 'x y')).toEqual({
    code: 0,
    stdout: 'new ls -a x y\n',
    stderr: 'set up\n',
  });
});

test('[SPEED-2] a bundle that cannot be loaded is set up again too', async () => {
  setUpThat(
    `writeFileSync(at + '/dist/spool.cjs', 'console.log("mended")'); writeFileSync(at + '/dist/stamp', 'second');`,
  );
  const entry = readFileSync(`${clone.folder}/dist/spool.cjs`, 'utf8');
  clone.edit('spool.cjs', () => entry.replaceAll(/core-[\w-]+\.cjs/g, 'core-missing.cjs'));
  writeFileSync(`${clone.folder}/packages/native/new.c`, '');
  expect(await clone.spool(daemon, 'ls')).toEqual({ code: 0, stdout: 'mended\n', stderr: 'set up\n' });
});

test('[SPEED-2] a set-up that fails ends the command before it does anything', async () => {
  setUpThat('process.exit(1)');
  writeFileSync(`${clone.folder}/package-lock.json`, 'x');
  expect(await clone.spool(daemon, 'run', '--', 'true')).toEqual({ code: 125, stdout: '', stderr: 'set up\n' });
});

test('[SPEED-2] an installation without its sources never looks', async () => {
  clone.delete('scripts');
  clone.delete('dist/stamp');
  expect(await stderrOf()).toBe('');
});
