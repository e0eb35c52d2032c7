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
import { changedFiles, parseLog, parseStatus } from './changed-files.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(`${tmpdir()}/spool-changed-`)));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LONG_AGO = '2020-01-01T00:00:00Z';

function git(...args: string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { stdio: 'ignore' });
}

function write(path: string, text: string): void {
  mkdirSync(`${folder}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
  writeFileSync(`${folder}/${path}`, text);
}

/** A repository with a few files, all of them old. */
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

  expect(await changedFiles(folder, since)).toEqual([
    { path: 'committed', change: 'added', isCommitted: true },
    { path: 'dropped', change: 'deleted', isCommitted: false },
    { path: 'edited', change: 'modified', isCommitted: false },
    { path: 'moved away', change: 'renamed', from: 'moved', isCommitted: false },
    { path: 'new "ü"\n漢', change: 'added', isCommitted: false },
    { path: 'sub/also new', change: 'added', isCommitted: false },
  ]);
  expect(await changedFiles(`${folder}/sub`, since)).toEqual([
    { path: 'also new', change: 'added', isCommitted: false },
  ]);
});

test('[STATE-7] a repository without a commit has files too; no repository and no folder have none', async () => {
  expect(await changedFiles(folder, 0)).toBe(null);
  expect(await changedFiles(`${folder}/gone`, 0)).toBe(null);
  git('init', '-q');
  write('first', 'x');
  expect(await changedFiles(folder, 0)).toEqual([{ path: 'first', change: 'added', isCommitted: false }]);
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
  utimesSync(`${folder}/kept`, new Date(), new Date()); // the index is out of date: git would like to write it anew
  const index = execFileSync('sha256sum', [`${folder}/.git/index`], { encoding: 'utf8' });
  expect(await changedFiles(folder, 0)).not.toBe(null);
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
  expect([await changedFiles(folder, since), sprung()]).toEqual([changed, []]);
});

test.each([
  ['x=y', Buffer.from('x=y')],
  ['no UTF-8', Buffer.from([0xff])],
])('[STATE-7] where a filter cannot be switched off (%s), nothing is looked at', async (_what, name) => {
  repository();
  const quoted = (before: string, after: string): Buffer =>
    Buffer.concat([Buffer.from(before), name, Buffer.from(after)]);
  appendFileSync(`${folder}/.git/config`, quoted('[filter "', `"]\n\tclean = "${setTrap('odd')}"\n`));
  writeFileSync(`${folder}/.gitattributes`, quoted('* filter=', '\n'));
  write('edited', 'other');
  expect([await changedFiles(folder, 0), sprung()]).toEqual([null, []]);
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
  await changedFiles(folder, 0);
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
  expect(parseLog('M\0a\0R100\0old\0new\0\nD\0gone\0')).toEqual([
    { path: 'a', change: 'modified', isCommitted: true },
    { path: 'new', change: 'renamed', from: 'old', isCommitted: true },
    { path: 'gone', change: 'deleted', isCommitted: true },
  ]);
});
