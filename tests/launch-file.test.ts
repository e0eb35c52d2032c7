/**
 * Tests that `spool web` opens a browser without a code in the arguments of a process, which other users of the machine can read.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestDaemon, until } from '@spool/testkit';
import { closeBrowser, NO_BROWSER, openProfile } from '@spool/testkit/browser';
import { testNeeding } from '@spool/testkit/needs';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

afterAll(closeBrowser);

let root = '';
beforeEach(() => {
  root = mkdtempSync(`${tmpdir()}/spool-launch-test-`);
  for (const name of ['bin', 'run']) mkdirSync(join(root, name), { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Returns the environment with a slow browser: it records its arguments, and runs until the file `end` exists. */
function fakeOpener(): Record<string, string> {
  const program = join(root, 'bin', 'xdg-open');
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${root}/arguments.new; mv ${root}/arguments.new ${root}/arguments\nwhile [ ! -e ${root}/end ]; do sleep 0.05; done\n`,
  );
  // So that the half minute passes at once, when the test decides.
  writeFileSync(
    join(root, 'bin', 'sleep'),
    `#!/bin/sh\n[ "$1" = 30 ] || exec /bin/sleep "$@"\nwhile [ ! -e ${root}/late ]; do /bin/sleep 0.05; done\n`,
  );
  for (const name of ['xdg-open', 'sleep']) chmodSync(join(root, 'bin', name), 0o755);
  return { PATH: `${join(root, 'bin')}:${process.env.PATH}`, DISPLAY: ':99', XDG_RUNTIME_DIR: join(root, 'run') };
}

/** Returns the arguments and environments of all processes that can be read. */
function publicWords(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return ''; // it has ended, or may not be read
    }
  };
  return pids.flatMap((pid) => ['cmdline', 'environ'].map((name) => read(`/proc/${pid}/${name}`))).join('\n');
}

test('[DOOR-28] while a browser is opened, no argument and no environment holds the code; its file is private and removed', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const { stdout } = await daemon.spool(['web'], { env: fakeOpener() });
  const code = new URL(stdout.trim()).hash.slice('#code='.length);
  expect(code).toMatch(/^spool_/);
  await until('the browser is opened', () => existsSync(join(root, 'arguments')));
  const words = publicWords();
  expect([words.includes('xdg-open'), words.includes(code)]).toEqual([true, false]);

  const [address = '', ...more] = readFileSync(join(root, 'arguments'), 'utf8').trim().split('\n');
  expect(more).toEqual([]);
  const file = fileURLToPath(address);
  expect(readFileSync(file, 'utf8')).toContain(`url=${stdout.trim()}"`);
  const modes = [file, dirname(file)].map((path) => (statSync(path).mode & 0o777).toString(8));
  expect([modes, statSync(file).uid]).toEqual([['600', '700'], process.getuid!()]);

  await gateway.login(code);
  await expect(gateway.login(code)).rejects.toThrow(/401/);
  writeFileSync(join(root, 'end'), '');
  writeFileSync(join(root, 'late'), '');
  await until('the file is removed', () => !existsSync(dirname(file)));
});

testNeeding(NO_BROWSER)('[DOOR-28] the file leads a real browser in', async () => {
  await using daemon = new TestDaemon();
  await TestGateway.start(daemon);
  const { stdout } = await daemon.spool(['web'], { env: fakeOpener() });
  await until('the browser is opened', () => existsSync(join(root, 'arguments')));
  const browser = await openProfile(join(root, 'profile'));
  try {
    const page = await browser.newPage();
    await page.goto(readFileSync(join(root, 'arguments'), 'utf8').trim());
    await page.getByRole('heading', { name: 'Nothing running yet' }).waitFor({ timeout: 60_000 });
    expect(page.url()).toBe(`${new URL(stdout.trim()).origin}/`);
  } finally {
    await browser.close();
    for (const name of ['end', 'late']) writeFileSync(join(root, name), '');
  }
});
