import { ENDED_STATES } from '@spool/protocol';
import { expect, test } from 'vitest';
import { askedFor } from './filters.ts';

const BOTH = { running: false, ended: false };
const RUNNING = { states: ['running'] };
const ENDED = { states: ENDED_STATES };

test.each([
  [[], RUNNING, ENDED],
  [['state=running'], RUNNING, null],
  [['state=blocked'], { ...RUNNING, statuses: ['blocked'] }, null],
  [['state=blocked,failed', 'state=idle'], { ...RUNNING, statuses: ['blocked', 'idle'] }, { states: ['failed'] }],
  [['state=running', 'state=blocked'], RUNNING, null],
  [['state=ended'], null, ENDED],
  [['name=a', 'name=b=c'], { nameContains: ['a', 'b=c'], ...RUNNING }, { nameContains: ['a', 'b=c'], ...ENDED }],
  [
    ['label=x', 'label=y=1=2', 'state=idle', 'agent=codex'],
    { agents: ['codex'], labels: { y: '1=2' }, labelKeys: ['x'], ...RUNNING, statuses: ['idle'] },
    null,
  ],
] as const)('[LIST-6] %j asks the daemon for what matches', (filters, running, ended) => {
  expect(askedFor(filters, BOTH)).toEqual({ running, ended });
});

test('[LIST-6] --running and --ended leave out the others', () => {
  expect(askedFor([], { running: true, ended: false })).toEqual({ running: RUNNING, ended: null });
  expect(askedFor([], { running: false, ended: true })).toEqual({ running: null, ended: ENDED });
  expect(askedFor([], { running: true, ended: true })).toEqual({ running: RUNNING, ended: ENDED });
  expect(askedFor(['state=failed'], { running: true, ended: false })).toEqual({ running: null, ended: null });
});

test.each([
  ['colour=red', '--filter "colour=red" is invalid; use label=KEY[=VALUE], state=STATE'],
  ['name', '--filter "name" is invalid'],
  ['state=busy', '--filter state=busy: unknown state; use running, blocked'],
])('[LIST-6] %j is refused with what to write', (filter, message) => {
  expect(() => askedFor([filter], BOTH)).toThrow(message);
});
