import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import type { AuditLine } from '@spool/protocol';
import { auditHeadFile } from './audit-head.ts';
import { AUDIT_BYTES_MAX, AuditLog } from './audit-log.ts';
import { AuditPages } from './audit-pages.ts';

function stage(): { folder: string; path: string; lines: () => string[]; log: AuditLog } {
  const state = mkdtempSync(`${tmpdir()}/spool-audit-`);
  const folder = `${state}/doors`;
  onTestFinished(() => rmSync(state, { recursive: true }));
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
  ['cut off at the end', (lines: string[]) => lines.slice(0, -1), 4],
  ['swapped with the last', (lines: string[]) => [lines[0]!, lines[1]!, lines[3]!, lines[2]!], 4],
  ['made again, with its hash, at the end', (lines: string[]) => lines.with(3, forged(lines[3]!)), 4],
  ['overwritten', (lines: string[]) => lines.with(1, 'nothing to see'), 2],
])('[DOOR-51] a line that was %s is found', async (_what, tamper, line) => {
  const { folder, path, lines } = stage();
  writeFileSync(path, `${tamper(lines()).join('\n')}\n`);
  const damage = async (): Promise<unknown> => (await new AuditPages(folder).page(0)).damage;
  expect(await damage()).toMatchObject({ line });
  // The next keeper continues to write, and the damage stays visible.
  new AuditLog(folder).record([{ at: 3, token: null, who: 'me', what: 'later' }]);
  expect(await damage()).not.toBe(null);
});

/** Changes the log as someone would who knows how the chain is made. */
function forged(text: string): string {
  const { hash: _hash, ...line } = { ...(JSON.parse(text) as AuditLine), what: 'nothing' };
  return JSON.stringify({ ...line, hash: createHash('sha256').update(JSON.stringify(line)).digest('hex') });
}

test('[DOOR-51] a log that was deleted is found, before the next line and after it', async () => {
  const { folder, path } = stage();
  rmSync(path);
  const damage = async (): Promise<unknown> => (await new AuditPages(folder).page(0)).damage;
  expect(await damage()).toEqual({ line: 1, reason: 'it is missing, and so are all up to line 4' });
  new AuditLog(folder).record([{ at: 3, token: null, who: 'me', what: 'later' }]);
  expect(await damage()).toEqual({ line: 5, reason: 'the lines before it are missing' });
});

test('[DOOR-51] a head that was deleted is found, and the next line says so for good', async () => {
  const { folder } = stage();
  rmSync(auditHeadFile(folder));
  const pages = (): Promise<{ damage: unknown; lines: readonly AuditLine[] }> => new AuditPages(folder).page(0);
  expect((await pages()).damage).toMatchObject({
    line: 4,
    reason: expect.stringContaining('head of the log is missing'),
  });
  new AuditLog(folder).record([{ at: 3, token: null, who: 'me', what: 'later' }]);
  const { damage, lines } = await pages();
  expect([damage, lines.map(({ n, what }) => [n, what]).slice(4)]).toEqual([
    null,
    [
      [5, 'head-missing'],
      [6, 'later'],
    ],
  ]);
});

test('[DOOR-51] a crash between a line and the head is no loss: the line counts, and the chain continues after it', async () => {
  const { folder, log } = stage();
  const before = readFileSync(auditHeadFile(folder));
  log.record([{ at: 2, token: null, who: 'me', what: 'crash' }]);
  writeFileSync(auditHeadFile(folder), before);
  const shown = async (): Promise<unknown> => {
    const { lines, damage } = await new AuditPages(folder).page(0);
    return [damage, lines.map(({ n, what }) => `${n} ${what}`).slice(3)];
  };
  expect(await shown()).toEqual([null, ['4 logout', '5 crash']]);
  new AuditLog(folder).record([{ at: 3, token: null, who: 'me', what: 'later' }]);
  expect(await shown()).toEqual([null, ['4 logout', '5 crash', '6 later']]);
});

test('[DOOR-51] old lines are turned away as a whole, also when a crash comes in between; nothing else may be missing', async () => {
  const { folder, path, log } = stage();
  const fill = (): void => {
    const note = 'x'.repeat(1500);
    for (let bytes = 0; bytes <= AUDIT_BYTES_MAX; bytes += 500 * 1500)
      log.record(Array.from({ length: 500 }, (_, at) => ({ at, token: null, who: 'me', what: 'login', note })));
    log.record([{ at: 1, token: null, who: 'me', what: 'turned' }]);
  };
  const damage = async (): Promise<unknown> => (await new AuditPages(folder).page(0)).damage;
  fill();
  expect([existsSync(`${path}.1`), await damage()]).toEqual([true, null]);
  const head = readFileSync(auditHeadFile(folder), 'utf8');
  fill(); // the first file is gone now
  expect([await damage(), (JSON.parse(head) as { first: number }).first]).toEqual([null, 1]);
  const { first } = JSON.parse(readFileSync(auditHeadFile(folder), 'utf8')) as { first: number };
  expect(first).toBeGreaterThan(1);
  const old = readFileSync(`${path}.1`, 'utf8');
  writeFileSync(`${path}.1`, old.slice(old.indexOf('\n') + 1));
  expect(await damage()).toMatchObject({ line: first + 1, reason: 'the lines before it are missing' });
});

test('a page ends, and the next begins after it', async () => {
  const { log, folder } = stage();
  const pages = new AuditPages(folder);
  log.record(Array.from({ length: 500 }, (_, at) => ({ at, token: null, who: 'x', what: 'login' })));
  const first = await pages.page(0);
  const second = await pages.page(first.next!);
  expect([first.lines.length + second.lines.length, second.lines.at(-1)!.n, second.next]).toEqual([504, 504, null]);
});

test('[DOOR-51] a line that was cut short by a power cut is found, and spoils no other', async () => {
  const { folder, path, lines } = stage();
  writeFileSync(path, lines().join('\n').slice(0, -30));
  const third = JSON.parse(lines()[2]!) as AuditLine;
  writeFileSync(auditHeadFile(folder), JSON.stringify({ first: 1, n: 3, hash: third.hash })); // the head names only whole lines
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

test('[DOOR-52] what could not be written is counted, once there is room again', async () => {
  const { folder, path } = stage();
  const told: string[] = [];
  const full = new AuditLog(folder, (sentence) => told.push(sentence));
  const kept = readFileSync(path);
  rmSync(path);
  mkdirSync(path); // a folder cannot be written like a file
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
