import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { eventJson } from './event-json.ts';
import { eventLine } from './event-line.ts';
import type { ListedEvent } from './listed-event.ts';

const AT = new Date(2026, 0, 31, 14, 3, 12).getTime();
const BUILD = { id: 'k3f9x0a1', name: 'build', state: 'failed', exitCode: 3, signal: null } as SessionInfo;
const STATUS = { kind: null, source: 'screen', offset: 0 } as const;

test.each<[event: object, sentence: string]>([
  [{ type: 'session-started', session: { ...BUILD, command: ['npm', 'test'] } }, 'build has started: npm test'],
  [{ type: 'session-exited', session: BUILD }, 'build exited with code 3'],
  [{ type: 'session-removed' }, 'build was removed'],
  [{ type: 'session-typed', who: 'cli 4711' }, 'cli 4711 types into build'],
  [{ type: 'session-resized', cols: 120, rows: 40 }, 'build is now 120x40'],
  [
    { type: 'session-status', status: { ...STATUS, state: 'blocked', kind: 'permission', why: 'Sure?' } },
    'build is blocked (permission): Sure?',
  ],
  [
    { type: 'session-status', status: { ...STATUS, state: 'working', activity: 'Bash(ls)', why: 'a spinner' } },
    'build is working: Bash(ls)',
  ],
  [
    { type: 'milestone', name: 'npm-install', title: '12 packages installed', offset: 9 },
    'build: 12 packages installed',
  ],
  [
    { type: 'command', command: 'make', exitCode: 2, durationMs: 3200, offset: 9 },
    'build ran make: exit code 2, after 3.2s',
  ],
  [{ type: 'session-osc', offset: 1, fact: { type: 'bell-rung' } }, 'build reports bell-rung'],
  [
    { type: 'session-osc', offset: 1, fact: { type: 'title-changed', title: 'a\x1b[31m' } },
    'build reports title-changed: a\\e[31m',
  ],
  [{ type: 'events-missed', reason: 'link-broken' }, 'events were missed, because the connection to the daemon broke'],
])('[SAY-4] %j is told in a sentence with the name of its session', (event, sentence) => {
  const listed = { id: BUILD.id, at: AT, ...event } as ListedEvent;
  expect(eventLine(listed, 'build', AT + 1000)).toBe(`14:03:12  ${sentence}`);
});

test('[SAY-3] whatever the type, the JSON has id and name of the session; a milestone keeps its own name', () => {
  const milestone = { type: 'milestone', at: AT, id: 'k3', name: 'npm-install', title: 'done', offset: 9 } as const;
  expect(eventJson(milestone, 'build')).toEqual({
    type: 'milestone',
    at: AT,
    id: 'k3',
    name: 'build',
    milestone: { name: 'npm-install', title: 'done', offset: 9 },
  });
  expect(eventJson({ type: 'session-removed', at: AT, id: 'k3' }, 'build')).toEqual({
    type: 'session-removed',
    at: AT,
    id: 'k3',
    name: 'build',
  });
  const missed = { type: 'events-missed', at: AT, reason: 'slow-reader' } as const;
  expect(eventJson(missed, '')).toEqual(missed);
});
