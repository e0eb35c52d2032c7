import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { cutEvent } from './large-event.ts';

const MAX = 256 * 1024;
const envelope = { seq: 1, at: 2, session: 's', source: 'claude', evidence: 'wire', raw: { offset: 3, length: 4 } };
const cutOf = (body: object): Record<string, unknown> => {
  const json = cutEvent({ ...envelope, ...body } as AgentEvent, MAX);
  expect(json.length).toBeLessThanOrEqual(MAX);
  return JSON.parse(json) as Record<string, unknown>;
};

test('[DRV-41] a large event keeps its kind and its ids, and its long strings say that they are cut', () => {
  const long = 'y'.repeat(400_000);
  const turn = cutOf({ kind: 'turn.ended', outcome: 'completed', text: long });
  expect(turn).toMatchObject({ ...envelope, kind: 'turn.ended', outcome: 'completed' });
  expect(turn['text']).toBe(`${'y'.repeat(32 * 1024)}… [367232 more characters]`);
  expect(cutOf({ kind: 'permission.requested', request: 'r', options: [], input: { content: long } })).toMatchObject({
    kind: 'permission.requested',
    request: 'r',
    input: { content: expect.stringContaining('more characters') },
  });
  expect(cutOf({ kind: 'message.done', message: 'm', part: 0, text: long })).toMatchObject({ truncated: true });
});

test('[DRV-41] strings that are all escapes, and many strings, are cut further; what is no string becomes a notice', () => {
  const output = [{ type: 'text', text: '\u0000'.repeat(64 * 1024) }];
  expect(cutOf({ kind: 'tool.ended', tool: 't', status: 'ok', output })).toMatchObject({ tool: 't', truncated: true });
  const many = Array.from({ length: 200 }, () => 'z'.repeat(5000));
  expect(cutOf({ kind: 'tool.started', tool: 't', input: many })).toMatchObject({ kind: 'tool.started', tool: 't' });
  const numbers = Array.from({ length: 200_000 }, (_, at) => at);
  expect(cutOf({ kind: 'tool.started', tool: 't', input: numbers })).toMatchObject({ code: 'event-too-large' });
});

test('[REQ-7] a request of which no part fits keeps what is needed to deny it', () => {
  const numbers = Array.from({ length: 200_000 }, (_, at) => at);
  const options = [
    { id: 'yes', label: 'Yes', kind: 'allow_always' as const, effect: numbers },
    { id: 'no', label: 'No', kind: 'reject_once' as const, effect: numbers },
  ];
  const about = { request: 'r', digest: '1-a' };
  expect(cutOf({ kind: 'permission.requested', ...about, name: 'Bash', bytes: 9, options })).toEqual({
    ...envelope,
    ...about,
    kind: 'permission.requested',
    name: 'Bash',
    bytes: 9,
    isCut: true,
    options: [{ id: 'no', label: 'No', kind: 'reject_once' }],
  });
  expect(cutOf({ kind: 'question.asked', ...about, questions: [], input: numbers })).toEqual({
    ...envelope,
    ...about,
    kind: 'question.asked',
    questions: [],
    isCut: true,
  });
});
