import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { AuditLog } from './audit-log.ts';

function stage(): { folder: string; path: string; lines: () => string[]; log: AuditLog } {
  const folder = mkdtempSync(`${tmpdir()}/spool-audit-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = `${folder}/audit.ndjson`;
  const log = new AuditLog(folder);
  for (const what of ['login', 'run', 'kill', 'logout']) log.record([{ at: 1, token: 't', who: 'me', what }]);
  return { folder, path, log, lines: () => readFileSync(path, 'utf8').trimEnd().split('\n') };
}

test('[DOOR-16] lines are chained, and another keeper continues the chain', () => {
  const { folder } = stage();
  const next = new AuditLog(folder);
  next.record([{ at: 2, token: null, who: 'you', what: 'login' }]);
  const { lines, damage, next: more } = next.page(0);
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
])('[DOOR-16] a line that was %s is found', (_what, tamper, line) => {
  const { folder, path, lines } = stage();
  writeFileSync(path, `${tamper(lines()).join('\n')}\n`);
  expect(new AuditLog(folder).page(0).damage).toMatchObject({ line });
});

test('a page ends, and the next begins after it', () => {
  const { log } = stage();
  log.record(Array.from({ length: 500 }, (_, at) => ({ at, token: null, who: 'x', what: 'login' })));
  const first = log.page(0);
  const second = log.page(first.next!);
  expect([first.lines.length + second.lines.length, second.lines.at(-1)!.n, second.next]).toEqual([504, 504, null]);
});
