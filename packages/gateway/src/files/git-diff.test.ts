import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workingTree } from './git-diff.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(`${tmpdir()}/spool-diff-`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function repository(name: string): { folder: string; git: (...args: string[]) => void } {
  const folder = join(root, name);
  mkdirSync(join(folder, 'sub'), { recursive: true });
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  writeFileSync(join(folder, 'sub', 'b.txt'), 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  return { folder, git };
}

test('the changes of a working tree, and its new files', async () => {
  const { folder, git } = repository('plain');
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  writeFileSync(join(folder, 'sub', 'b.txt'), 'two\n');
  git('add', 'sub');
  writeFileSync(join(folder, 'new ✓.txt'), 'new\n');
  const all = await workingTree(folder);
  expect(all).toMatchObject({ isRepository: true, branch: 'main', isCut: false, untracked: ['new ✓.txt'] });
  expect(all.isRepository && all.diff).toContain('+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n');
  expect(all.isRepository && all.diff).toContain('+++ b/sub/b.txt');
  const below = await workingTree(join(folder, 'sub'));
  expect(below.isRepository && below.diff).not.toContain('a.txt');
});

test('a folder without a repository, and a repository without a commit', async () => {
  mkdirSync(join(root, 'none'));
  expect(await workingTree(join(root, 'none'))).toEqual({ isRepository: false });
  expect(await workingTree(join(root, 'gone'))).toEqual({ isRepository: false });
  mkdirSync(join(root, 'fresh'));
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: join(root, 'fresh') });
  expect(await workingTree(join(root, 'fresh'))).toMatchObject({ isRepository: true, branch: 'main', diff: '' });
});

test('[FILE-4] nothing that a repository names is run, and nothing outside its folder is shown', async () => {
  const { folder, git } = repository('hostile');
  const ran = join(root, 'ran');
  const touch = `touch ${ran}; cat`;
  for (const [name, value] of [
    ['core.fsmonitor', touch],
    ['diff.external', touch],
    ['diff.evil.textconv', touch],
    ['diff.evil.command', touch],
    ['filter.evil.clean', touch],
    ['filter.evil.process', touch],
    ['filter.two.dots.clean', touch],
    ['filter.evil.required', 'true'],
    ['core.pager', touch],
  ] as const)
    git('config', name, value);
  mkdirSync(join(folder, '.git', 'hooks'), { recursive: true });
  writeFileSync(join(folder, '.git', 'hooks', 'post-index-change'), `#!/bin/sh\n${touch}\n`, { mode: 0o755 });
  writeFileSync(join(folder, '.gitattributes'), '*.txt filter=evil diff=evil\nsub/*.txt filter=two.dots\n');
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  writeFileSync(join(folder, 'sub', 'b.txt'), 'two\n');
  rmSync(ran, { force: true });
  const tree = await workingTree(folder);
  expect(existsSync(ran)).toBe(false);
  expect(tree.isRepository && tree.diff).toContain('+two');
  writeFileSync(join(root, 'outside.txt'), 'secret');
  git('config', 'core.worktree', root);
  const moved = await workingTree(folder);
  expect(JSON.stringify(moved)).not.toContain('outside.txt');
  expect(existsSync(ran)).toBe(false);
});

test('[FILE-4] an object that is missing is not fetched: the repository names the program that would', async () => {
  const { folder, git } = repository('partial');
  const ran = join(root, 'fetched');
  const object = execFileSync('git', ['rev-parse', 'HEAD:a.txt'], { cwd: folder, encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '-q', '--bare', join(root, 'origin')]);
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'evil'],
    ['remote.evil.promisor', 'true'],
    ['remote.evil.url', join(root, 'origin')],
    ['remote.evil.uploadPack', `touch ${ran}; git-upload-pack`],
    ['protocol.allow', 'always'],
    ['protocol.file.allow', 'always'],
  ] as const)
    git('config', name, value);
  rmSync(join(folder, '.git', 'objects', object.slice(0, 2), object.slice(2)));
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  const tree = await workingTree(folder);
  expect([existsSync(ran), tree.isRepository]).toEqual([false, true]);
});
