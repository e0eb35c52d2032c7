import { readFileSync, readlinkSync } from 'node:fs';
import type { KernelProcessIdentity } from '@spool/native/process-identity';
import { expect, test } from 'vitest';
import { type Member, membersOf, type OwnersOptions, type ProcessRow } from './process-owners.ts';

const HERE = {
  bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  pidNamespace: /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0],
};
const ID = 'session1';

/**
 * The session's child has pid 100, and started at 1000. The parent of every process is init, which has its own terminal session.
 */
const leader: KernelProcessIdentity = { pid: 100, startTicks: '1000', ...HERE };

function row(pid: number, given: Partial<ProcessRow> = {}): ProcessRow {
  return {
    pid,
    name: 'sleep',
    isZombie: false,
    isStopped: false,
    parent: 1,
    terminalSession: pid,
    hasTerminal: false,
    isForeground: false,
    startTicks: '2000',
    cookie: null,
    isDaemon: false,
    ...given,
  };
}

const init = row(1, { parent: 0, terminalSession: 0, startTicks: '1' });
const child = row(100, { startTicks: '1000' });

function ours(
  rows: ProcessRow[],
  given: Partial<OwnersOptions> & { leader?: KernelProcessIdentity | null } = {},
): number[] {
  const { leader: of = leader, ...options } = given;
  const found = membersOf({
    table: new Map([init, ...rows].map((each) => [each.pid, each])),
    sessions: new Map([[ID, { leader: of, controlGroup: null }]]),
    seen: new Map(),
    groups: new Map(),
    never: new Set([7]),
    ...options,
  });
  return found.get(ID)!.map(({ pid }) => pid);
}

const seen = (...members: Member[]): Partial<OwnersOptions> => ({ seen: new Map([[ID, members]]) });

test.each<[string, number[], number[]]>([
  ['the child', ours([child]), [100]],
  ['the child and its terminal session', ours([child, row(101, { terminalSession: 100 })]), [100, 101]],
  [
    'a zombie is not signalled, its children are',
    ours([{ ...child, isZombie: true }, row(101, { parent: 100 })]),
    [101],
  ],
  [
    'a descendant with an environment of its own',
    ours([child, row(101, { parent: 100 }), row(102, { parent: 101 })]),
    [100, 101, 102],
  ],
  ['whoever carries the cookie', ours([row(300, { cookie: ID })]), [300]],
  ['whoever is in the control group', ours([row(300)], { groups: new Map([[300, ID]]) }), [300]],
  ['whoever was found before', ours([row(300)], seen({ pid: 300, startTicks: '2000' })), [300]],
  [
    'an orphan in the terminal session, while one that is known holds it',
    ours(
      [row(300, { terminalSession: 100 }), row(301, { terminalSession: 100 })],
      seen({ pid: 300, startTicks: '2000' }),
    ),
    [300, 301],
  ],
])('[RUN-41] a session has: %s', (_name, found, expected) => {
  expect(found).toEqual(expected);
});

test.each<[string, number[]]>([
  ['a process that got the pid of the child', ours([row(100)])],
  ['and whoever it leads', ours([row(100), row(101, { terminalSession: 100 }), row(102, { parent: 100 })])],
  ['a terminal session whose leader is gone, known by its number only', ours([row(101, { terminalSession: 100 })])],
  ['the same pid after a reboot', ours([child], { leader: { ...leader, bootId: 'another' } })],
  ['the same pid in another container', ours([child], { leader: { ...leader, pidNamespace: '1' } })],
  ['anybody, when the child is not known', ours([child, row(101, { terminalSession: 0 })], { leader: null })],
  [
    'those of session 0, where init is not shown with another',
    ours([row(50, { terminalSession: 0 })], { leader: { ...leader, pid: 0, startTicks: '1' } }),
  ],
  [
    'init, even if somebody wrote it down',
    ours([row(50, { parent: 1 })], { leader: { ...leader, pid: 1, startTicks: '1' } }),
  ],
  ['init, even with the cookie', ours([{ ...init, cookie: ID }, row(50)])],
  ['our own process, and what it starts', ours([row(7, { cookie: ID }), row(8, { parent: 7 })])],
  ['our own process, even if it was found before', ours([row(7)], seen({ pid: 7, startTicks: '2000' }))],
  ['whoever got the pid of one that was found before', ours([row(300)], seen({ pid: 300, startTicks: '1999' }))],
  [
    'a child that is older than the process with the pid of its parent',
    ours([row(300, { cookie: ID, startTicks: '3000', isZombie: true }), row(50, { parent: 300 })]),
  ],
])('[RUN-7] a session never has: %s', (_name, found) => {
  expect(found).toEqual([]);
});

test('[RUN-7] a daemon that was started inside is on its own, with its sessions, even in the control group', () => {
  const daemon = row(200, { parent: 100, isDaemon: true });
  const nested = row(201, { parent: 200, cookie: 'nested12' });
  const orphan = row(202, { parent: 100, cookie: 'nested12' });
  const stripped = row(203, { parent: 201 });
  const groups = new Map([200, 201, 202].map((pid) => [pid, ID]));
  expect(ours([child, daemon, nested, orphan, stripped], { groups })).toEqual([100]);
});

test('[RUN-7] a process that is known, but has left the terminal session, does not prove who is in it now', () => {
  const left = row(300, { terminalSession: 300 });
  const [reused, led] = [row(100), row(101, { terminalSession: 100 })]; // another process has the pid of the child
  expect(ours([left, reused, led], seen({ pid: 300, startTicks: '2000' }))).toEqual([300]);
});

test('processes in a circle, as a table that changes while it is read may show them, are nobody’s', () => {
  expect(ours([row(300, { parent: 301 }), row(301, { parent: 300 })])).toEqual([]);
});

const OTHER = 'session2';
/** A service in its own terminal session, with the cookie of this session. */
const service = row(400, { cookie: ID });

test.each<[string, number[], number[]]>([
  [
    'neither a service nor what it has started',
    ours([child, service, row(401, { parent: 400, cookie: ID }), row(402, { parent: 401 })], {
      services: new Set([400]),
    }),
    [100],
  ],
  [
    'nor an orphan of a command of the service, while its terminal session has its leader',
    ours([child, service, row(401, { parent: 400, cookie: ID }), row(403, { terminalSession: 401, cookie: ID })], {
      services: new Set([400]),
    }),
    [100],
  ],
  [
    'nor a service that was found before, or is in the control group',
    ours([child, service], {
      ...seen({ pid: 400, startTicks: '2000' }),
      groups: new Map([[400, ID]]),
      services: new Set([400]),
    }),
    [100],
  ],
  [
    'but what was double-forked beside the service',
    ours([child, service, row(500, { cookie: ID })], { services: new Set([400]) }),
    [100, 500],
  ],
  ['the child itself is no service of others', ours([child], { services: new Set([100]) }), [100]],
  [
    'nor is what is in its terminal session',
    ours([child, row(101, { terminalSession: 100, cookie: ID }), row(102, { parent: 101, cookie: OTHER })]),
    [100, 101],
  ],
  [
    'not what a command of another session descends from',
    ours([
      child,
      service,
      row(401, { parent: 400 }),
      row(402, { parent: 401, cookie: OTHER }),
      row(403, { parent: 400 }),
    ]),
    [100],
  ],
  [
    'a daemon inside the session separates it from that daemon’s sessions',
    ours([child, service, row(401, { parent: 400, isDaemon: true }), row(402, { parent: 401, cookie: OTHER })]),
    [100, 400],
  ],
  [
    'with services, also those',
    ours([child, service, row(401, { parent: 400, cookie: ID })], {
      services: new Set([400]),
      sessions: new Map([[ID, { leader, controlGroup: null, withServices: true }]]),
    }),
    [100, 400, 401],
  ],
])('[RUN-26] %s', (_, found, expected) => {
  expect(found).toEqual(expected);
});
