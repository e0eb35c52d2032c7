import { expect, test } from 'vitest';
import { sessionWith, statusWith } from './fixture.ts';
import { doingOf, WatchList } from './list.ts';

const SHOWN = { filter: '', showsEnded: true };

function listOf(): WatchList {
  const list = new WatchList();
  list.replace([
    sessionWith('old', { state: 'failed', exitCode: 3, startedAt: 1, endedAt: 5 }),
    sessionWith('shell', { startedAt: 2 }, { state: 'idle', kind: 'prompt' }),
    sessionWith('build', { startedAt: 3 }, { state: 'working' }),
    sessionWith('fresh', { startedAt: 4 }, { state: 'starting' }),
    sessionWith('agent', { startedAt: 6 }, { state: 'blocked', kind: 'permission', activity: 'Bash(rm)' }),
    sessionWith('older', { startedAt: 1, state: 'exited', exitCode: 0, endedAt: 2 }),
  ]);
  return list;
}

const ids = (list: WatchList, how = SHOWN): string[] => list.shown(how).map(({ id }) => id);

test('[STATE-4] who waits for a person comes first, then what works, what is idle, what starts; what ended last', () => {
  const list = listOf();
  expect(ids(list)).toEqual(['agent', 'build', 'shell', 'fresh', 'old', 'older']);
  expect(ids(list, { ...SHOWN, showsEnded: false })).toEqual(['agent', 'build', 'shell', 'fresh']);
  expect([...list.counts()].sort()).toEqual([
    ['blocked', 1],
    ['ended', 2],
    ['idle', 1],
    ['starting', 1],
    ['working', 1],
  ]);
});

test.each([
  ['PERM', ['agent']],
  ['bash(', ['agent']],
  ['sleep 1', ['agent', 'build', 'shell', 'fresh', 'old', 'older']],
  ['failed', ['old']],
  ['nothing', []],
])('the filter %j leaves %j', (filter, left) => expect(ids(listOf(), { ...SHOWN, filter })).toEqual(left));

test('[STATE-4] events keep it up to date; what does not show is no change', () => {
  const list = listOf();
  const at = 7;
  expect(list.handle({ type: 'session-status', at, id: 'build', status: statusWith({ state: 'blocked' }) })?.id).toBe(
    'build',
  );
  expect(list.handle({ type: 'session-started', at, session: sessionWith('new', { startedAt: 9 }) })?.id).toBe('new');
  expect(list.handle({ type: 'session-removed', at, id: 'old' })).toEqual({ id: 'old', row: null });
  list.handle({
    type: 'session-exited',
    at,
    session: sessionWith('agent', { state: 'exited', exitCode: 0, endedAt: 8 }),
  });
  expect(ids(list)).toEqual(['build', 'new', 'shell', 'fresh', 'agent', 'older']);

  // The list was asked for after it had begun: then a start, or a status of one that has ended, is old news.
  for (const late of [
    { type: 'session-started', at, session: sessionWith('build') },
    { type: 'session-status', at, id: 'agent', status: statusWith() },
    { type: 'session-status', at, id: 'unknown', status: statusWith() },
    { type: 'session-removed', at, id: 'unknown' },
    { type: 'session-osc', at, id: 'build', offset: 0, fact: { type: 'bell-rung' } },
    { type: 'session-resized', at, id: 'build', cols: 1, rows: 1 },
  ] as const)
    expect([late.type, list.handle(late)]).toEqual([late.type, undefined]);
});

test('what it does is told before what it has reached, and that before what it calls itself', () => {
  const list = new WatchList();
  list.replace([sessionWith('a', { title: '⠙ ✳ Fix the tests' })]);
  const doing = (): string => doingOf(list.get('a')!);
  expect(doing()).toBe('✳ Fix the tests');
  list.handle({ type: 'session-osc', at: 1, id: 'a', offset: 1, fact: { type: 'title-changed', title: 'vim x.ts' } });
  expect(doing()).toBe('vim x.ts');
  list.handle({ type: 'milestone', at: 1, id: 'a', name: 'npm-install', title: '412 packages installed', offset: 9 });
  expect(doing()).toBe('412 packages installed');
  list.handle({ type: 'session-status', at: 1, id: 'a', status: statusWith({ activity: 'Thinking' }) });
  expect(doing()).toBe('Thinking');
});
