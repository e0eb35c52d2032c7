import { type HistoryItem, type SessionInfo, SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { pastEvents } from './past-events.ts';

const session = (id: string, startedAt: number, endedAt: number | null): SessionInfo =>
  ({ id, name: id, startedAt, endedAt }) as SessionInfo;

/** A client that knows these histories. */
const clientWith = (histories: Readonly<Record<string, readonly object[]>>): never =>
  ({
    explain: async (id: string) => {
      if (!histories[id]) throw new SpoolError('SESSION_UNKNOWN', { session: id });
      return { history: histories[id] as HistoryItem[] };
    },
  }) as never;

test('[SAY-4] the past of all sessions comes in order of time, with statuses, milestones and commands', async () => {
  const client = clientWith({
    one: [
      { type: 'status', at: 10, offset: 0, state: 'working', kind: null, source: 'output', why: 'it prints' },
      { type: 'milestone', at: 30, name: 'npm-install', title: 'done', offset: 5 },
    ],
    two: [{ type: 'command', at: 25, offset: 7, command: 'make', exitCode: 0, durationMs: 4 }],
  });
  const found = await pastEvents(client, [session('one', 10, 30), session('two', 20, null)], 0);
  expect(found.map(({ type, at }) => [type, at])).toEqual([
    ['session-started', 10],
    ['session-status', 10],
    ['session-started', 20],
    ['command', 25],
    ['milestone', 30],
    ['session-exited', 30],
  ]);
  expect(found[1]).toMatchObject({ id: 'one', status: { state: 'working', why: 'it prints' } });
});

test('[SAY-4] with a time, only what came later; a session that was removed meanwhile has no history', async () => {
  const found = await pastEvents(
    clientWith({}),
    [session('old', 10, 20), session('long', 10, null), session('new', 40, 50)],
    30,
  );
  expect(found.map(({ type, at }) => [type, at])).toEqual([
    ['session-started', 40],
    ['session-exited', 50],
  ]);
});
