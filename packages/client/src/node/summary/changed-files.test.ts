import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedFiles, parseStatus } from './changed-files.ts';
import { parseLog } from './commit-log.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(`${tmpdir()}/spool-changed-`)));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const from = (since: number) => ({ since, until: Number.POSITIVE_INFINITY });
const EVER = from(0);
const LONG_AGO = '2020-01-01T00:00:00Z';

function git(...args: string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { stdio: 'ignore' });
}

function write(path: string, text: string): void {
  mkdirSync(`${folder}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
  writeFileSync(`${folder}/${path}`, text);
}

/** Creates a repository with a few files, all of them old. */
function repository(): void {
  git('init', '-q');
  for (const path of ['kept', 'edited', 'moved', 'dropped', 'sub/inner']) write(path, `${path}\n`.repeat(20));
  git('add', '.');
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'old'], {
    env: { ...process.env, GIT_AUTHOR_DATE: LONG_AGO, GIT_COMMITTER_DATE: LONG_AGO },
  });
}

test('[STATE-7] files that differ and were touched since, and those of commits made since; odd names as they are', async () => {
  repository();
  write('untouched since', 'x');
  const before = Date.now() + 1;
  while (Date.now() <= before) await new Promise((resolve) => setTimeout(resolve, 2));
  // Times of files are those of the kernel's last tick, a few milliseconds ago.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const since = Date.now() - 10;
  write('edited', 'other');
  write('new "ü"\n漢', 'x');
  write('sub/also new', 'x');
  renameSync(`${folder}/moved`, `${folder}/moved away`);
  git('add', '-A', 'moved', 'moved away');
  rmSync(`${folder}/dropped`);
  write('committed', 'x');
  git('add', 'committed');
  git('commit', '-qm', 'new', '--', 'committed');

  expect(await changedFiles(folder, from(since))).toEqual([
    { path: 'committed', change: 'added', isCommitted: true },
    { path: 'dropped', change: 'deleted', isCommitted: false },
    { path: 'edited', change: 'modified', isCommitted: false },
    { path: 'moved away', change: 'renamed', from: 'moved', isCommitted: false },
    { path: 'new "ü"\n漢', change: 'added', isCommitted: false },
    { path: 'sub/also new', change: 'added', isCommitted: false },
  ]);
  expect(await changedFiles(`${folder}/sub`, from(since))).toEqual([
    { path: 'also new', change: 'added', isCommitted: false },
  ]);
});

test('[STATE-7] a repository without a commit has files too; no repository and no folder have none', async () => {
  expect(await changedFiles(folder, EVER)).toBe(null);
  expect(await changedFiles(`${folder}/gone`, EVER)).toBe(null);
  git('init', '-q');
  write('first', 'x');
  expect(await changedFiles(folder, EVER)).toEqual([{ path: 'first', change: 'added', isCommitted: false }]);
});

test('[STATE-7] looking runs nothing that the repository names, and leaves its index as it is', async () => {
  repository();
  const trap = `${folder}/.git/trap`;
  writeFileSync(trap, `#!/bin/sh\ntouch ${folder}/.git/sprung\n`);
  chmodSync(trap, 0o755);
  for (const name of ['core.fsmonitor', 'core.pager', 'diff.external', 'gpg.program']) git('config', name, trap);
  git('config', 'log.showSignature', 'true');
  mkdirSync(`${folder}/.git/hooks`, { recursive: true });
  writeFileSync(`${folder}/.git/hooks/post-index-change`, `#!/bin/sh\ntouch ${folder}/.git/sprung\n`, { mode: 0o755 });
  utimesSync(`${folder}/kept`, new Date(), new Date()); // the index is out of date: git would like to write it again
  const index = execFileSync('sha256sum', [`${folder}/.git/index`], { encoding: 'utf8' });
  expect(await changedFiles(folder, EVER)).not.toBe(null);
  expect(existsSync(`${folder}/.git/sprung`)).toBe(false);
  expect(execFileSync('sha256sum', [`${folder}/.git/index`], { encoding: 'utf8' })).toBe(index);
});

const setTrap = (name: string): string => `touch ${folder}/.git/sprung-${name}; cat`;

function sprung(): string[] {
  return readdirSync(`${folder}/.git`).filter((name) => name.startsWith('sprung'));
}

test('[STATE-7] looking hands no file to a filter of the repository', async () => {
  repository();
  const since = Date.now() + 1;
  git('config', 'filter.a b.c.clean', setTrap('clean'));
  git('config', 'filter.required.process', setTrap('process'));
  git('config', 'filter.required.required', 'true');
  writeFileSync(`${folder}/.git/info/attributes`, 'edited filter="a b.c"\nedited filter=required\n');
  write('.gitattributes', '* filter=required\n');
  while (Date.now() <= since + 20) await new Promise((resolve) => setTimeout(resolve, 2));
  for (const path of ['edited', 'kept']) write(path, path === 'kept' ? 'kept\n'.repeat(20) : 'other');
  const changed = [
    { path: '.gitattributes', change: 'added', isCommitted: false },
    { path: 'edited', change: 'modified', isCommitted: false },
  ];
  expect([await changedFiles(folder, from(since)), sprung()]).toEqual([changed, []]);
});

test.each([
  ['x=y', Buffer.from('x=y')],
  ['no UTF-8', Buffer.from([0xff])],
])('[STATE-7] a filter with an odd name (%s) is not run, and what has changed is known', async (_what, name) => {
  repository();
  const quoted = (before: string, after: string): Buffer =>
    Buffer.concat([Buffer.from(before), name, Buffer.from(after)]);
  appendFileSync(`${folder}/.git/config`, quoted('[filter "', `"]\n\tclean = "${setTrap('odd')}"\n`));
  writeFileSync(`${folder}/.gitattributes`, quoted('* filter=', '\n'));
  write('edited', 'other');
  const changed = await changedFiles(folder, EVER);
  expect([changed?.map(({ path }) => path), sprung()]).toEqual([
    expect.arrayContaining(['edited', '.gitattributes']),
    [],
  ]);
});

test('[STATE-7] looking fetches nothing that a repository left elsewhere', async () => {
  repository();
  renameSync(`${folder}/moved`, `${folder}/moved away`);
  appendFileSync(`${folder}/moved away`, 'more\n');
  git('add', '-A');
  const blob = execFileSync('git', ['-C', folder, 'rev-parse', 'HEAD:moved'], { encoding: 'utf8' }).trim();
  rmSync(`${folder}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', folder],
    ['remote.origin.uploadpack', setTrap('fetch')],
  ] as const)
    git('config', name, value);
  await changedFiles(folder, EVER);
  expect(sprung()).toEqual([]);
});

test('what git says is read word by word', () => {
  expect(parseStatus('R  new\0old\0 M a b\0?? -x\0AM both\0', '')).toEqual([
    { path: 'new', change: 'renamed', from: 'old', isCommitted: false },
    { path: 'a b', change: 'modified', isCommitted: false },
    { path: '-x', change: 'added', isCommitted: false },
    { path: 'both', change: 'added', isCommitted: false },
  ]);
  expect(parseStatus('', '')).toEqual([]);
  const [one, other] = ['a'.repeat(40), 'b'.repeat(64)];
  expect(parseLog(`${one} 17\0\nM\0a\0R100\0old\0new\0${other} 18\0\nD\0gone\0`)).toEqual([
    {
      hash: one,
      second: 17,
      files: [
        { path: 'a', change: 'modified', isCommitted: true },
        { path: 'new', change: 'renamed', from: 'old', isCommitted: true },
      ],
    },
    { hash: other, second: 18, files: [{ path: 'gone', change: 'deleted', isCommitted: true }] },
  ]);
});

const SECOND = Date.parse('2030-01-01T00:00:00Z');

function writeAt(path: string, at: number): void {
  write(path, 'x');
  utimesSync(`${folder}/${path}`, at / 1000, at / 1000);
}

/** Sets the times of both the commit and its file. */
function commitAt(at: number, ...paths: readonly string[]): void {
  git('add', ...paths);
  const date = `@${Math.floor(at / 1000)} +0000`;
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'x'], { env });
  const hash = execFileSync('git', ['-C', folder, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  utimesSync(`${folder}/.git/objects/${hash.slice(0, 2)}/${hash.slice(2)}`, at / 1000, at / 1000);
}

test('[STATE-7] what was written or committed before the start or after the end is not its own, in the same second neither', async () => {
  git('init', '-q');
  for (const at of [200, 400, 5500, 5700]) {
    writeAt(`old, committed ${at}`, SECOND - 9000);
    commitAt(SECOND + at, `old, committed ${at}`);
    writeAt(`written ${at}`, SECOND + at);
  }
  const changed = await changedFiles(folder, { since: SECOND + 300, until: SECOND + 5600 });
  expect(changed?.map(({ path }) => path)).toEqual([
    'old, committed 400',
    'old, committed 5500',
    'written 400',
    'written 5500',
  ]);
});

test('[STATE-7] what was written in time and committed by somebody later is its own', async () => {
  git('init', '-q');
  writeAt('mine', SECOND + 1000);
  writeAt('not mine', SECOND + 8000);
  commitAt(SECOND + 9000, 'mine', 'not mine');
  expect(await changedFiles(folder, { since: SECOND, until: SECOND + 3000 })).toEqual([
    { path: 'mine', change: 'added', isCommitted: true },
  ]);
});
