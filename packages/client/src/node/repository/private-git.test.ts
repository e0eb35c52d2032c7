import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PrivateGit } from './private-git.ts';

let root = '';
let folder = '';
beforeEach(() => {
  root = mkdtempSync(`${tmpdir()}/spool-private-`);
  folder = join(root, 'repository');
  mkdirSync(folder);
  mkdirSync(join(root, 'tmp'));
  execFileSync('git', ['init', '-q', folder]);
  vi.stubEnv('TMPDIR', join(root, 'tmp'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const OTHERS = ['ls-files', '--others', '--exclude-standard', '--', '.'];

test('[FILE-4] a repository that makes git wait is given up in time, and nothing of ours is left', async () => {
  execFileSync('mkfifo', [join(folder, '.gitignore')]);
  {
    await using git = await PrivateGit.open(folder, { withinMs: 200, outputBytesMax: 1000 });
    await expect(git!.run(...OTHERS)).rejects.toMatchObject({ killed: true, signal: 'SIGKILL' });
    expect(readdirSync(join(root, 'tmp'))).toHaveLength(1);
  }
  expect(readdirSync(join(root, 'tmp'))).toEqual([]);
});

test('[FILE-4] what git says is cut at its limit', async () => {
  for (let file = 0; file < 100; file++) writeFileSync(join(folder, `file ${file}`), 'x');
  await using git = await PrivateGit.open(folder, { withinMs: 60_000, outputBytesMax: 300 });
  const { text, isCut } = await git!.run(...OTHERS);
  expect([text.length, isCut]).toEqual([300, true]);
});

test("[FILE-4] the user's own patterns count, and no other setting of the user: those can name programs too", async () => {
  const home = join(root, 'home');
  mkdirSync(home);
  const ran = join(root, 'ran');
  writeFileSync(join(home, 'patterns'), 'mine*\n');
  writeFileSync(join(home, '.gitconfig'), `[core]\n\texcludesFile = ~/patterns\n\tfsmonitor = "touch ${ran}"\n`);
  writeFileSync(join(folder, 'mine'), 'x');
  writeFileSync(join(folder, 'other'), 'x');
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', '');
  await using git = await PrivateGit.open(folder, { withinMs: 60_000, outputBytesMax: 300 });
  expect([(await git!.run(...OTHERS)).text, readdirSync(root).includes('ran')]).toEqual(['other\n', false]);
});

test('a folder in no repository, in `.git` or with refs that we cannot read has no working tree', async () => {
  const limits = { withinMs: 60_000, outputBytesMax: 300 };
  expect(await PrivateGit.open(root, limits)).toBe(null);
  expect(await PrivateGit.open(join(root, 'gone'), limits)).toBe(null);
  expect(await PrivateGit.open(join(folder, '.git', 'objects'), limits)).toBe(null);
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/.invalid\n'); // a reftable
  expect(await PrivateGit.open(folder, limits)).toBe(null);
});

test('[FILE-4] a name is a name: no pattern, and no word of git for another place', async () => {
  for (const name of ['*', 'other', ':(top)x']) writeFileSync(join(folder, name), 'x');
  await using git = await PrivateGit.open(folder, { withinMs: 60_000, outputBytesMax: 300 });
  const others = async (name: string): Promise<string> =>
    (await git!.run('ls-files', '-z', '--others', '--', name)).text;
  expect([await others('*'), await others(':(top)x')]).toEqual(['*\0', ':(top)x\0']);
});

test('[FILE-4] an object that the repository replaces by another is compared as it was committed', async () => {
  const run = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();
  writeFileSync(join(folder, 'file'), 'committed\n');
  run('add', '.');
  run('commit', '-q', '-m', 'first');
  writeFileSync(join(folder, 'file'), 'changed\n');
  run('replace', run('rev-parse', 'HEAD:file'), run('hash-object', '-w', 'file'));
  await using git = await PrivateGit.open(folder, { withinMs: 60_000, outputBytesMax: 1000 });
  const changes = async (): Promise<string> => (await git!.run('diff', git!.base, '--', '.')).text;
  expect(await changes()).toContain('-committed\n+changed\n');
  // Its refs are not ours, and if they were, none would be followed.
  const [own] = readdirSync(join(root, 'tmp'));
  cpSync(join(folder, '.git', 'refs', 'replace'), join(root, 'tmp', own!, 'refs', 'replace'), { recursive: true });
  expect(await changes()).toContain('-committed\n+changed\n');
});
