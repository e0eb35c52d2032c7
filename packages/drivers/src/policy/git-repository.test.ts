/**
 * Git is allowed only where it runs nothing but itself. The tests use real repositories, and every way to make one run a program.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configRisk, gitRisk, indexRisk } from './git-repository.ts';
import { makePolicyFiles } from './policy-files.ts';
import { decidePermission } from './request.ts';

let folder: string;
const git = (cwd: string, ...words: string[]): string =>
  execFileSync('git', words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    },
  });

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(`${tmpdir()}/spool-test-`));
  fs.mkdirSync(`${folder}/repo/src`, { recursive: true });
  git(`${folder}/repo`, 'init', '-q');
  fs.writeFileSync(`${folder}/repo/src/a`, 'a\n');
  git(`${folder}/repo`, 'add', '.');
  git(`${folder}/repo`, 'commit', '-qm', 'first');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const risk = (where = 'repo'): string | undefined => gitRisk(makePolicyFiles(fs, folder), `${folder}/${where}`);

test('[POL-6] a repository as git makes it is harmless, and so are its folders, its worktrees, and no repository', () => {
  git(`${folder}/repo`, 'remote', 'add', 'origin', 'https://example.org/x.git');
  git(`${folder}/repo`, 'worktree', 'add', '-q', `${folder}/tree`);
  expect([risk(), risk('repo/src'), risk('tree'), risk('.')]).toEqual([undefined, undefined, undefined, undefined]);
});

test.each([
  ['core.fsmonitor', 'evil'],
  ['core.pager', 'evil'],
  ['pager.status', 'evil'],
  ['diff.external', 'evil'],
  ['diff.x.textconv', 'evil'],
  ['filter.x.clean', 'evil'],
  ['filter.a=b.clean', 'evil'],
  ['log.showSignature', 'true'],
  ['format.pretty', '%G?'],
  ['gpg.program', 'evil'],
  ['include.path', 'evil'],
  ['includeIf.gitdir:/.path', 'evil'],
  ['core.worktree', '/elsewhere'],
  ['core.hooksPath', 'evil'],
  ['remote.origin.promisor', 'true'],
  ['remote.origin.uploadpack', 'evil'],
  ['extensions.partialClone', 'origin'],
  ['core.sshCommand', 'evil'],
  ['alias.status', '!evil'],
  ['user.name', 'a"b'],
  ['user.name', 'a\\b'],
])('[POL-6] the setting %s=%s in a repository asks', (name, value) => {
  fs.mkdirSync(`${folder}/elsewhere`);
  execFileSync('git', ['config', '-f', `${folder}/repo/.git/config`, name, value]);
  expect(risk()).toMatch(/configuration/);
});

test('[POL-6] what else lets a repository run a program asks', () => {
  const inGit = (name: string): string => `${folder}/repo/.git/${name}`;
  fs.writeFileSync(inGit('hooks/post-index-change'), '#!/bin/sh\n', { mode: 0o755 });
  expect(risk()).toMatch(/hook "post-index-change"/);
  fs.rmSync(inGit('hooks/post-index-change'));
  fs.writeFileSync(inGit('hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
  expect(risk()).toBeUndefined();
  fs.writeFileSync(inGit('config.worktree'), '');
  expect(risk()).toMatch(/config.worktree/);
  fs.rmSync(inGit('config.worktree'));
  fs.renameSync(inGit('HEAD'), inGit('HEAD2'));
  expect(risk()).toMatch(/not a repository/);
  fs.renameSync(inGit('HEAD2'), inGit('HEAD'));
  fs.renameSync(`${folder}/repo/.git`, `${folder}/moved`);
  fs.symlinkSync('../moved', `${folder}/repo/.git`);
  expect(risk()).toMatch(/not a repository/);
});

test('[POL-6] a repository around another one counts: git goes there where it refuses the inner one', () => {
  git(folder, 'init', '-q', 'repo/inner');
  expect(risk('repo/inner')).toBeUndefined();
  git(`${folder}/repo`, 'config', 'core.fsmonitor', 'evil');
  expect(risk('repo/inner')).toMatch(/core\.fsmonitor/);
});

test('[POL-6] submodules and the inside of a repository ask', () => {
  git(folder, 'clone', '-q', '--bare', 'repo', 'bare');
  expect([risk('bare'), risk('bare/refs')]).toEqual([expect.stringMatching(/bare/), expect.stringMatching(/bare/)]);
  git(folder, 'clone', '-q', 'repo', 'repo/sub');
  git(`${folder}/repo`, 'add', 'sub');
  expect(risk()).toMatch(/submodules/);
});

test('[POL-6] an index and a configuration that are not understood ask', () => {
  const index = fs.readFileSync(`${folder}/repo/.git/index`, 'latin1');
  expect(indexRisk(index)).toBeUndefined();
  expect(indexRisk(undefined)).toBeUndefined();
  for (const other of ['', 'DIRC', index.slice(0, 40), `DIRC\0\0\0\x04${index.slice(8)}`])
    expect(indexRisk(other)).toMatch(/not understood/);
  for (const other of ['[core] x = y', '[a', 'x = "', '[core]\n\tfilemode = true \\\nx', '[core.x]\n', '[core]\n=x'])
    expect(configRisk(other)).toMatch(/configuration/);
  expect(configRisk('# a\n[core]\n\tfilemode = true\n[remote "x"]\n\turl = y ; z\n')).toBeUndefined();
});

test.each(['git status', 'git status -s', 'git diff', 'git log -p'])(
  '[POL-6] %s is allowed in a harmless repository, by a rule with and without a star, and asked in one that runs a program',
  (command) => {
    const made = `${folder}/made`;
    const decided = (): string[] =>
      [command, 'git *'].map(
        (rule) =>
          decidePermission(
            { rules: [{ decision: 'allow', tool: 'Bash', command: rule }] },
            { tool: 'Bash', input: { command }, cwd: `${folder}/repo` },
            makePolicyFiles(fs, folder),
          ).decision,
      );
    expect(decided()).toEqual(['allow', 'allow']);
    git(`${folder}/repo`, 'config', 'core.fsmonitor', `touch ${made}; false`);
    expect(decided()).toEqual(['ask', 'ask']);
    // A person would have to decide about this.
    git(`${folder}/repo`, 'status');
    expect(fs.existsSync(made)).toBe(true);
  },
);
