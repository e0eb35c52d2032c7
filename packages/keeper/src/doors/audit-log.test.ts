import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { AuditLog } from './audit-log.ts';
import { AuditPages } from './audit-pages.ts';

function stage(): { folder: string; path: string; lines: () => string[]; log: AuditLog } {
  const folder = mkdtempSync(`${tmpdir()}/spool-audit-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = `${folder}/audit.ndjson`;
  const log = new AuditLog(folder);
  for (const what of ['login', 'run', 'kill', 'logout']) log.record([{ at: 1, token: 't', who: 'me', what }]);
  return { folder, path, log, lines: () => readFileSync(path, 'utf8').trimEnd().split('\n') };
}

test('[DOOR-16] lines are chained, and another keeper continues the chain', async () => {
  const { folder } = stage();
  const next = new AuditLog(folder);
  next.record([{ at: 2, token: null, who: 'you', what: 'login' }]);
  const { lines, damage, next: more } = await new AuditPages(folder).page(0);
  expect(lines.map(({ n, what }) => [n, what])).toEqual([
    [1, 'login'],
    [2, 'run'],
    [3, 'kill'],
    [4, 'logout'],
    [5, 'login'],
  ]);
  expect(lines.slice(1).map(({ prev }) => prev)).toEqual(lines.slice(0, -1).map(({ hash }) => hash));
  expect([damage, more]).toEqual([null, null]);
});

test.each([
  ['changed', (lines: string[]) => lines.with(2, lines[2]!.replace('"kill"', '"list"')), 3],
  ['taken out', (lines: string[]) => lines.toSpliced(1, 1), 3],
  ['moved', (lines: string[]) => [lines[0]!, lines[2]!, lines[1]!, lines[3]!], 3],
  ['cut off at the beginning', (lines: string[]) => lines.slice(1), 2],
  ['overwritten', (lines: string[]) => lines.with(1, 'nothing to see'), 2],
])('[DOOR-16] a line that was %s is found', async (_what, tamper, line) => {
  const { folder, path, lines } = stage();
  writeFileSync(path, `${tamper(lines()).join('\n')}\n`);
  expect((await new AuditPages(folder).page(0)).damage).toMatchObject({ line });
});

test('a page ends, and the next begins after it', async () => {
  const { log, folder } = stage();
  const pages = new AuditPages(folder);
  log.record(Array.from({ length: 500 }, (_, at) => ({ at, token: null, who: 'x', what: 'login' })));
  const first = await pages.page(0);
  const second = await pages.page(first.next!);
  expect([first.lines.length + second.lines.length, second.lines.at(-1)!.n, second.next]).toEqual([504, 504, null]);
});

test('[DOOR-16] a line that was cut short by a power cut is found, and spoils no other', async () => {
  const { folder, path, lines } = stage();
  writeFileSync(path, lines().join('\n').slice(0, -30));
  const next = new AuditLog(folder);
  for (const what of ['one', 'two']) next.record([{ at: 2, token: null, who: 'you', what }]);
  const page = await new AuditPages(folder).page(0);
  expect(page.lines.map(({ n, what }) => [n, what])).toEqual([
    [1, 'login'],
    [2, 'run'],
    [3, 'kill'],
    [4, 'one'],
    [5, 'two'],
  ]);
  expect(page.damage).toMatchObject({ line: 4, reason: 'it is not a line of the log' });
});

test('[DOOR-16] what could not be written is counted, once there is room again', async () => {
  const { folder, path } = stage();
  const told: string[] = [];
  const full = new AuditLog(folder, (sentence) => told.push(sentence));
  const kept = readFileSync(path);
  rmSync(path);
  mkdirSync(path); // nothing can be written into a folder
  for (let at = 0; at < 3; at++) full.record([{ at, token: null, who: 'me', what: 'lost' }]);
  expect(told).toEqual([expect.stringContaining('the audit log cannot be written')]);
  rmSync(path, { recursive: true });
  writeFileSync(path, kept);
  full.record([{ at: 9, token: null, who: 'me', what: 'again' }]);
  const { lines, damage } = await new AuditPages(folder).page(0);
  expect(lines.slice(4).map(({ what, note }) => [what, note])).toEqual([
    ['lost', '3 lines could not be written'],
    ['again', undefined],
  ]);
  expect(damage).toBe(null);
});
