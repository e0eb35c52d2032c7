import type { HistoryItem, StatusState } from '@spool/protocol';
import { expect, test } from 'vitest';
import { spansOf } from './summary.ts';

const became = (at: number, state: StatusState, kind: string | null = null): HistoryItem => ({
  type: 'status',
  at,
  offset: 0,
  state,
  kind,
  source: 'output',
  why: '',
});

test('[STATE-7] how long it was in which state, from its start to its end', () => {
  const history: HistoryItem[] = [
    became(105, 'working'),
    { type: 'milestone', at: 120, name: 'x', title: 'x', offset: 0 },
    became(150, 'working'), // a repeated state is not a change
    became(200, 'blocked', 'permission'),
    became(210, 'blocked', 'question'),
    became(260, 'working'),
    became(300, 'exited'),
  ];
  expect(spansOf(history, 100, 300)).toEqual([
    { state: 'starting', kind: null, at: 100, durationMs: 5 },
    { state: 'working', kind: null, at: 105, durationMs: 95 },
    { state: 'blocked', kind: 'permission', at: 200, durationMs: 10 },
    { state: 'blocked', kind: 'question', at: 210, durationMs: 50 },
    { state: 'working', kind: null, at: 260, durationMs: 40 },
  ]);
  expect(spansOf([], 100, 130)).toEqual([{ state: 'starting', kind: null, at: 100, durationMs: 30 }]);
  // The process sees the end before the last look at the screen is recorded.
  expect(spansOf([became(110, 'working'), became(140, 'idle')], 100, 130)).toEqual([
    { state: 'starting', kind: null, at: 100, durationMs: 10 },
    { state: 'working', kind: null, at: 110, durationMs: 20 },
  ]);
});
