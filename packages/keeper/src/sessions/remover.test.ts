import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { Remover } from './remover.ts';

const FILES = 1000;

function sessionsFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/spool-remover-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hugeSession(sessions: string, id: string): string {
  const folder = `${sessions}/${id}`;
  for (const part of ['log', 'keyframes']) {
    mkdirSync(`${folder}/${part}`, { recursive: true });
    for (let file = 0; file < FILES / 2; file++) writeFileSync(`${folder}/${part}/${file}`, '');
  }
  return folder;
}

test('[LOG-11] a huge folder is gone at once, and its files go while others have their turn', async () => {
  const sessions = sessionsFolder();
  const folder = hugeSession(sessions, 'huge0000');
  const remover = new Remover(sessions, (sentence) => expect.fail(sentence));
  remover.take(folder);
  expect(existsSync(folder)).toBe(false);
  const [moved] = readdirSync(sessions);
  const left = (): number =>
    ['log', 'keyframes'].reduce((sum, part) => sum + countOf(`${sessions}/${moved}/${part}`), 0);
  expect(left()).toBeGreaterThan(FILES - 100); // the work before it returns does not depend on the number of files
  let turns = 0;
  await until('all is gone', () => ++turns > 0 && readdirSync(sessions).length === 0, 30_000);
  expect(turns).toBeGreaterThan(1);
});

test('[LOG-11] what a killed keeper had begun to remove is removed by the next, and nothing else', async () => {
  const sessions = sessionsFolder();
  mkdirSync(`${sessions}/alive000/log`, { recursive: true });
  mkdirSync(`${sessions}/.removed-gone0000-12345678/log`, { recursive: true });
  writeFileSync(`${sessions}/.removed-gone0000-12345678/log/0`, 'x');
  const outside = sessionsFolder();
  writeFileSync(`${outside}/precious`, 'x');
  symlinkSync(outside, `${sessions}/.removed-gone0000-12345678/link`);
  await new Remover(sessions, (sentence) => expect.fail(sentence)).resume();
  expect([readdirSync(sessions), readdirSync(outside)]).toEqual([['alive000'], ['precious']]);
});

test('[LOG-13] of a session folder that is a link, only the link is removed', async () => {
  const sessions = sessionsFolder();
  const elsewhere = sessionsFolder();
  writeFileSync(`${elsewhere}/precious`, 'x');
  symlinkSync(elsewhere, `${sessions}/linked00`);
  new Remover(sessions, (sentence) => expect.fail(sentence)).take(`${sessions}/linked00`);
  await until('the link is gone', () => readdirSync(sessions).length === 0, 30_000);
  expect(readdirSync(elsewhere)).toEqual(['precious']);
});

test('[LOG-11] a folder that is gone is no failure, and one that cannot be moved is told', () => {
  const sessions = sessionsFolder();
  const remover = new Remover(sessions, (sentence) => expect.fail(sentence));
  remover.take(`${sessions}/never000`);
  expect(() => remover.take('/proc/self/fd')).toThrow(/EXDEV|EPERM|EACCES|ENOENT|EBUSY/);
});

function countOf(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).length : 0;
}
