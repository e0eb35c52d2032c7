import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { branchOf } from './branch.ts';
import { folderWords } from './folders.ts';
import { sessionWith } from '../watch/fixture.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(`${tmpdir()}/spool-test-`)));
afterEach(() => rmSync(folder, { recursive: true }));

test('[LIST-8] the branch is that of the nearest repository, also in a linked working tree', () => {
  mkdirSync(`${folder}/app/src`, { recursive: true });
  mkdirSync(`${folder}/app/.git/worktrees/fix`, { recursive: true });
  mkdirSync(`${folder}/fix`);
  writeFileSync(`${folder}/app/.git/HEAD`, 'ref: refs/heads/feature/x\n');
  writeFileSync(`${folder}/app/.git/worktrees/fix/HEAD`, 'ref: refs/heads/fix\n');
  writeFileSync(`${folder}/fix/.git`, 'gitdir: ../app/.git/worktrees/fix\n');
  expect(branchOf(`${folder}/app/src`)).toBe('feature/x');
  expect(branchOf(`${folder}/fix`)).toBe('fix');
  writeFileSync(`${folder}/app/.git/HEAD`, `${'0'.repeat(40)}\n`);
  expect(branchOf(`${folder}/app/src`)).toBeNull();
});

test.each(['/proc/self', '/sys', '/missing/folder'])('[LIST-8] %s has no branch', (path) => {
  expect(branchOf(path)).toBeNull();
});

test('[LIST-8] the home folder is shown as ~, and the folder of another machine as it is', () => {
  const at = (cwd: string, home: string | null, isShort = false): string =>
    folderWords(home)(sessionWith('a', { cwd }), isShort);
  expect([at('/sys/me/src', '/sys/me'), at('/sys/me', '/sys/me'), at('/sys/meadow', '/sys/me')]).toEqual([
    '~/src',
    '~',
    '/sys/meadow',
  ]);
  expect([at('/sys/me/src', null), at('/sys/me/src', null, true), at('/', null, true)]).toEqual([
    '/sys/me/src',
    'src',
    '/',
  ]);
});
