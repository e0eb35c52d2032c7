import { expect, test } from 'vitest';
import { taskStateOf } from './task.ts';
import type { SessionInfo } from './messages.ts';

test.each<[SessionInfo['state'], SessionInfo['endedBy'], string]>([
  ['running', null, 'running'],
  ['exited', null, 'success'],
  ['failed', null, 'error'],
  ['lost', null, 'error'],
  ['stopped', 'stop', 'cancelled'],
  ['killed', 'kill', 'cancelled'],
  ['stopped', 'timeout', 'timeout'],
])('[TASK-2] the task of a session that is %s (ended by: %s) reads %s', (state, endedBy, expected) => {
  expect(taskStateOf({ state, endedBy })).toBe(expected);
});
