import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DaemonStatus, VERSION } from '@spool/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  daemonFiles,
  files,
  folder,
  gatewayFaults,
  kernel,
  line,
  nodeVersion,
  ofKept,
  running,
  versionsOfNodes,
} from '../verbs/doctor.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterEach(() => rmSync(place, { recursive: true }));

test('a folder must be a private folder of ours', () => {
  symlinkSync('/', join(place, 'link'));
  writeFileSync(join(place, 'file'), '');
  expect(folder('x', place).level).toBe('ok');
  expect(folder('x', join(place, 'missing')).level).toBe('ok');
  expect(folder('x', join(place, 'link'))).toMatchObject({
    level: 'fail',
    says: expect.stringContaining('symbolic link'),
  });
  expect(folder('x', join(place, 'file'))).toMatchObject({
    level: 'fail',
    says: expect.stringContaining('not a folder'),
  });
  expect(folder('x', place, 4711)).toMatchObject({ level: 'fail', says: expect.stringContaining('not to you (4711)') });
  chmodSync(place, 0o755);
  expect(folder('x', place)).toMatchObject({ level: 'fail', todo: `run chmod 700 '${place}'` });
});

test.each([
  ['20.20.2', 'fail'],
  ['22.14.0', 'fail'],
  ['22.15.0', 'ok'],
  ['24.21.0', 'ok'],
])('Node %s: %s', (version, level) => expect(nodeVersion(version).level).toBe(level));

test.each([
  ['linux', '4.19.0-amd64', 'fail'],
  ['linux', '5.15.0', 'warn'],
  ['linux', '6.15.1-arch', 'ok'],
  ['linux', '7.0.0', 'ok'],
  ['darwin', '24.0.0', 'warn'],
])('%s %s: %s', (platform, version, level) => expect(kernel(platform, version).level).toBe(level));

test('a daemon of another version, or without escrow, is a warning', () => {
  const status = { version: '0.0.0', escrow: false, holder: { pid: 1 }, keeper: { pid: 2 } } as DaemonStatus;
  expect(running(status, 3).map(({ check, level }) => [check, level])).toEqual([
    ['daemon', 'ok'],
    ['version', 'warn'],
    ['recovery', 'warn'],
  ]);
});

test('[INST-4] the versions of command line, daemon and gateway are named if one differs', () => {
  const about = (version: string, gateway?: string) => {
    const status = { version, gateway: { pid: 3, version: gateway }, holder: { pid: 1 }, keeper: { pid: 2 } };
    return running(status as DaemonStatus, 3).find(({ check }) => check === 'version');
  };
  expect(about(VERSION, VERSION)).toEqual({ check: 'version', level: 'ok', says: VERSION });
  expect(about(VERSION)?.level).toBe('ok');
  expect(about(VERSION, '0.0.9')).toMatchObject({
    level: 'warn',
    says: `the daemon is ${VERSION}, the gateway is 0.0.9, this program is ${VERSION}`,
    todo: expect.stringContaining('daemon upgrade'),
  });
  expect(about('0.0.9')).toMatchObject({ level: 'warn', says: `the daemon is 0.0.9, this program is ${VERSION}` });
});

test('[NODE-62] a node with another version is a warning with the cure', () => {
  const nodes = [
    { name: 'build1', road: 'join', version: '0.0.9' },
    { name: 'build2', road: 'join', version: VERSION },
  ] as const;
  expect(versionsOfNodes(nodes)).toEqual([
    { check: 'node version', level: 'warn', says: 'build1 runs 0.0.9', todo: 'spool daemon upgrade there' },
  ]);
});

test.each([
  [100, 10, 'ok'],
  [200, 10, 'warn'],
  [100, 64, 'warn'],
])('a daemon with %d of 256 files open and %d of 64 connections: %s', (used, connections, level) => {
  const openFiles = { limit: 256, used, connections, connectionsMax: 64 };
  expect(daemonFiles({ openFiles } as DaemonStatus)[0]!.level).toBe(level);
});

test('a finding is one line: how it is, what it is about, what to do', () => {
  expect(line({ check: 'disk', level: 'warn', says: '1M free', todo: 'make room' }, false)).toBe(
    'warn  disk              1M free; make room',
  );
  expect(line({ check: 'disk', level: 'ok', says: '1G free' }, true)).toBe(
    '\x1b[32mok\x1b[m    disk              1G free',
  );
});

test('[LOG-10] thousands of folders without a record are a count, and the first few by name', () => {
  const withoutRecord = Array.from({ length: 3000 }, (_, at) => `/s/sessions/folder${at}`);
  const findings = ofKept({ withoutRecord });
  expect(findings.map(({ says }) => says)).toEqual([
    ...withoutRecord.slice(0, 5).map((each) => `${each} has no readable record`),
    '2995 more folders in /s/sessions have no readable record',
  ]);
  expect(ofKept({ withoutRecord: withoutRecord.slice(0, 1) })).toHaveLength(1);
});

test('files of the bundle that are missing, or cannot be executed, are named with what they are for', () => {
  const program = { isBundled: true, folder: place };
  const all = ['holder.mjs', 'keeper.mjs', 'screens.mjs', 'gateway.mjs', 'spool_native.node', 'spool-fd-store'];
  for (const name of [...all, 'driver.mjs', 'bridge.mjs', 'pipe.mjs', 'spool-beside', 'spool-hook', 'spool-tied'])
    writeFileSync(join(place, name), '', { mode: 0o755 });
  expect(files(program)).toMatchObject([
    { check: 'program', level: 'ok' },
    { check: 'agent parts', level: 'ok' },
  ]);
  for (const name of ['bridge.mjs', 'pipe.mjs']) rmSync(join(place, name));
  chmodSync(join(place, 'spool-tied'), 0o644);
  expect(files(program)).toMatchObject([
    { check: 'program', level: 'ok' },
    {
      check: 'agent parts',
      level: 'fail',
      says: expect.stringMatching(/^bridge.mjs is missing, pipe.mjs is missing, spool-tied is not executable in /),
      todo: expect.stringContaining('setup.mjs'),
    },
  ]);
});

test('[DOOR-25] faults that the running gateway has survived are reported, those of another one are not', () => {
  const gateway = { pid: 7, port: 1, url: '' };
  const file = (pid: number): string => JSON.stringify({ pid, connections: 2, outside: 1, lastAt: 1 });
  expect(gatewayFaults({ gateway: null }, file(7))).toEqual([]);
  for (const none of ['', '{"pid":7,"conn']) expect(gatewayFaults({ gateway }, none)).toMatchObject([{ level: 'ok' }]);
  expect(gatewayFaults({ gateway }, file(6))).toMatchObject([{ level: 'ok' }]);
  expect(gatewayFaults({ gateway }, file(7))).toMatchObject([
    { level: 'warn', says: 'pid 7, faults: 2 of connections, 1 others' },
  ]);
});
