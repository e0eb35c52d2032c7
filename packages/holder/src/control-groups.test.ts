import { existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readStat } from '@spool/native/process-identity';
import { expect, test } from 'vitest';
import { ControlGroups, isOfTheDead, outsideOfSessions } from './control-groups.ts';

const us = { pid: process.pid, startTicks: readStat(process.pid)!.startTicks, bootId: 'b', pidNamespace: '4026531836' };

test.each([
  ['of a process that lives', `spool-4026531836-${us.pid}-${us.startTicks}`, false],
  ['of one that had the same pid before', `spool-4026531836-${us.pid}-${BigInt(us.startTicks) - 1n}`, true],
  ['of one that is gone', 'spool-4026531836-999999999-5', true],
  ['of another namespace, where the pid means somebody else', 'spool-4026530000-999999999-5', false],
  ['of somebody else', 'spool-999999999', false],
])('[RUN-7] groups %s', (_name, name, expected) => {
  expect(isOfTheDead(name, us)).toBe(expected);
});

test.each([
  ['/user.slice/spool-4026531836-42-77/abcdefgh12', '/user.slice'],
  ['/spool-4026531836-42-77/abcdefgh12', ''],
  ['/a/spool-42/abcdefgh12/inner', '/a'],
  ['/a/spool-1-2-3/abcdefgh12/spool-1-9-9/abcdefgh99', '/a'],
  ['/user.slice', null],
  ['/spool-tools.slice/abcdefgh12', null],
  ['/spool-4026531836-42-77', null],
  ['/a/spool-1-2-3/abcdefgh12.scope', null],
])('[RUN-7] who is in the group %s is outside of sessions in %s', (path, outside) => {
  expect(outsideOfSessions(path)).toBe(outside);
});

test('[RUN-41] the group of a command that could not be started is removed; that of one that runs stays', () => {
  const groups = new ControlGroups();
  const kept = [true, false].map((isUsed) => {
    const folder = mkdtempSync(`${tmpdir()}/spool-group-`);
    groups.close({ folder, procsFd: openSync('/dev/null', 'w') }, isUsed);
    const isThere = existsSync(folder);
    rmSync(folder, { recursive: true, force: true });
    return [isUsed, isThere];
  });
  expect(kept).toEqual([
    [true, true],
    [false, false],
  ]);
});
