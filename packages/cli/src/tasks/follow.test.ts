/** Following tasks: what happened before the first event counts too. */
import type { Client, SessionInfo, TaskResult } from '@spool/client';
import { expect, test } from 'vitest';
import { followTasks, viewOf } from './follow.ts';

const STATUS = { state: 'working', progress: null } as SessionInfo['status'];
const BLOCKED = { ...STATUS, state: 'blocked', question: { text: 'Go on?', options: [] } } as SessionInfo['status'];
const task = (status: SessionInfo['status']): SessionInfo =>
  ({ id: 'a', name: 'site', startedAt: 0, milestone: null, state: 'running', status }) as unknown as SessionInfo;

/** A daemon whose task has these statuses, each time it is asked for one, and then ends. */
async function questionsOf(statuses: readonly SessionInfo['status'][], events: readonly object[]): Promise<string[]> {
  const asked: string[] = [];
  const left = [...statuses];
  const { promise: told, resolve: allTold } = Promise.withResolvers<void>();
  const client = {
    async *events() {
      yield* events;
      allTold();
    },
    get: async () => task(left.length > 1 ? left.shift()! : left[0]!),
    async *watch() {},
    waitForCompletion: async () => {
      await told;
      return { state: 'success', exitCode: 0, lastLines: [] } as unknown as TaskResult;
    },
    explain: async () => ({ history: [] }),
  } as unknown as Client;
  await followTasks(client, [viewOf(task(STATUS))], { onQuestion: (_, question) => asked.push(question) });
  return asked;
}

test('[TASK-7] a question that came before the events were subscribed to is reported, once', async () => {
  const again = { type: 'session-status', id: 'a', status: BLOCKED };
  expect(await questionsOf([BLOCKED], [])).toEqual(['Go on?']);
  expect(await questionsOf([BLOCKED], [again])).toEqual(['Go on?']);
});

test('[TASK-7] a question that came while events were missed is reported', async () => {
  expect(await questionsOf([STATUS, BLOCKED], [{ type: 'events-missed' }])).toEqual(['Go on?']);
});
