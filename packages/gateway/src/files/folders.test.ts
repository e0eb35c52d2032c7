import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldersLike } from './folders.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(`${tmpdir()}/spool-folders-`);
  for (const name of ['work/shop', 'work/site', 'words', '.hidden']) mkdirSync(`${home}/${name}`, { recursive: true });
  writeFileSync(`${home}/work/notes`, '');
  symlinkSync('shop', `${home}/work/linked`);
  symlinkSync('nowhere', `${home}/work/broken`);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([
  ['', ['words', 'work']],
  ['~', ['words', 'work']],
  ['~/', ['words', 'work']],
  ['wor', ['words', 'work']],
  ['~/work', ['work']],
  ['~/work/', ['work/linked', 'work/shop', 'work/site']],
  ['work/s', ['work/shop', 'work/site']],
  ['.', ['.hidden']],
  ['~/nothing/here', []],
  ['work/notes/', []],
  ['a\0b', []],
])('[FILE-5] %j leads to %j', async (typed, names) => {
  const { folders, isCut } = await foldersLike(typed, home);
  expect([folders, isCut]).toEqual([names.map((name) => `${home}/${name}`), false]);
});

test('[FILE-5] an absolute path is completed as it is', async () => {
  expect((await foldersLike(`${home}/work/sh`, '/nowhere')).folders).toEqual([`${home}/work/shop`]);
});

test('[FILE-5] a folder with many is cut', async () => {
  for (let index = 0; index < 60; index++) mkdirSync(`${home}/work/site/${index}`);
  const { folders, isCut } = await foldersLike('~/work/site/', home);
  expect([folders.length, isCut]).toEqual([50, true]);
});
