/** Requests that are odd in their id, size or shape: each is shown whole or denied, and none disables its driver. */
// oxlint-disable typescript/no-explicit-any -- what is written to an agent is read as the agent would read it
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { AGENT_ID_CHARS_MAX } from '@spool/protocol/agent';
import { Conversation } from './testing/conversation.ts';

function claude(): Conversation {
  const talk = new Conversation('claude');
  const [{ request_id }] = talk.started();
  talk.says({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  talk.prompt('go', 'p1');
  return talk;
}

function acp(): Conversation {
  const talk = new Conversation('acp');
  talk.started();
  talk.says({ jsonrpc: '2.0', id: 1, result: { protocolVersion: 1, agentCapabilities: {} } });
  talk.says({ jsonrpc: '2.0', id: 2, result: { sessionId: 's' } });
  talk.prompt('go', 'p1');
  return talk;
}

const canUse = (request_id: unknown, input: unknown, more: object = {}): object => ({
  type: 'control_request',
  request_id,
  request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 'tool1', input, ...more },
});

const rpcAsk = (id: unknown): object => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    toolCall: { toolCallId: 'tool1', kind: 'execute', rawInput: { command: 'ls' } },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  },
});

const deniesClaude = ({ response }: any): boolean =>
  response?.subtype === 'error' || response?.response?.behavior === 'deny';

const ODD_IDS = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.constantFrom(
    '',
    '__proto__',
    'x'.repeat(AGENT_ID_CHARS_MAX),
    'x'.repeat(AGENT_ID_CHARS_MAX + 1),
    'é'.repeat(5000),
  ),
  fc.integer(),
  fc.constantFrom(null, true, [], {}),
);

test('[REQ-3] of any id, a request of Claude waits and can be answered, or is denied at once with an event', () => {
  fc.assert(
    fc.property(ODD_IDS, (id) => {
      const talk = claude();
      const lines = talk.says(canUse(id, { command: 'ls' }));
      const asked = talk.last('permission.requested');
      if (asked === undefined) {
        expect(lines.map(deniesClaude)).toEqual([true]);
        expect(lines[0].response.request_id).toEqual(id);
        expect(talk.last('notice')).toMatchObject({ code: 'request-refused' });
        return;
      }
      expect(lines).toEqual([]);
      expect(asked.request.length).toBeLessThanOrEqual(AGENT_ID_CHARS_MAX);
      const [answer] = talk.command({ do: 'permission', request: asked.request, behavior: 'allow' });
      expect(answer.response).toMatchObject({ request_id: id, response: { updatedInput: { command: 'ls' } } });
    }),
  );
});

test('[REQ-3] an id of JSON-RPC of any length can be answered by the key that clients see', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 3000 }), fc.integer()), (id) => {
      const talk = acp();
      talk.says(rpcAsk(id));
      const asked = talk.last('permission.requested')!;
      expect(asked.request.length).toBeLessThanOrEqual(AGENT_ID_CHARS_MAX);
      const lines = talk.command({ do: 'permission', request: asked.request, option: 'yes' });
      expect(lines).toContainEqual(
        expect.objectContaining({ id, result: { outcome: { outcome: 'selected', optionId: 'yes' } } }),
      );
    }),
  );
});

test('[REQ-7] a request that is nested too deep, or whose line was cut, is denied by its id, and an event says so', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const line = JSON.stringify(canUse('r1', 'DEEP')).replace('"DEEP"', deep);
  for (const text of [line, `{"request_id":"r1","type":"control_request","request":{"a":"${'x'.repeat(3000)}`]) {
    const talk = claude();
    const [answer, ...more] = talk.says(text);
    expect(more).toEqual([]);
    expect(answer.response).toMatchObject({ subtype: 'error', request_id: 'r1' });
    expect(talk.last('notice')).toMatchObject({ code: 'request-refused' });
  }
  const talk = acp();
  const [answer] = talk.says(JSON.stringify(rpcAsk(7)).replace('{"command":"ls"}', deep));
  expect(answer).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32_600 } });
  // Only requests are answered: a line of another kind is not, and neither is a response.
  expect(claude().says(`{"type":"assistant","message":${deep}}`)).toEqual([]);
  expect(acp().says(`{"jsonrpc":"2.0","id":3,"result":${deep}}`)).toEqual([]);
});

test.each([
  ['a text', 'rm -rf ~'],
  ['a list', ['rm', '-rf']],
  ['a number', 7],
  ['null', null],
])('[REQ-1] an input that is %s is shown as it is, and denied unless it is missing', (_, input) => {
  const talk = claude();
  const lines = talk.says(canUse('r1', input));
  const asked = talk.last('permission.requested')!;
  expect(asked.input).toEqual(input ?? {});
  expect(lines.map(deniesClaude)).toEqual(input === null ? [] : [true]);
});

test('[REQ-1] a question shows every member of its input, and its digest covers all of them', () => {
  const question = { question: 'Which?', header: 'H', multiSelect: false, options: [{ label: 'A', description: 'a' }] };
  const ask = (input: object): Extract<Conversation['events'][number], { kind: 'question.asked' }> => {
    const talk = claude();
    talk.says(canUse('q1', input, { tool_name: 'AskUserQuestion' }));
    return talk.last('question.asked')!;
  };
  const plain = ask({ questions: [question] });
  expect(plain).toMatchObject({ name: 'AskUserQuestion', questions: [{ text: 'Which?', header: 'H' }] });
  expect(plain.input).toBeUndefined();
  const hidden: object[] = [
    { questions: [question], script: 'HIDDEN' },
    { questions: [{ ...question, preview: 'HIDDEN' }] },
    { questions: [{ ...question, options: [{ label: 'A', description: 'a', run: 'HIDDEN' }] }] },
    { questions: [{ ...question, options: ['HIDDEN'] }] },
    { questions: [{ ...question, header: { text: 'HIDDEN' } }] },
    { questions: { 0: 'HIDDEN' } },
    { questions: ['HIDDEN'] },
  ];
  const digests = hidden.map((input) => {
    const { input: rest, digest } = ask(input);
    expect(JSON.stringify(rest)).toContain('HIDDEN');
    return digest;
  });
  expect(new Set([...digests, plain.digest]).size).toBe(hidden.length + 1);
});

test('[REQ-7] a question that is too large to be kept whole can only be declined', () => {
  const talk = claude();
  const questions = [{ question: 'x'.repeat(300 * 1024), options: [] }];
  talk.says(canUse('q1', { questions }, { tool_name: 'AskUserQuestion' }));
  expect(talk.last('question.asked')).toMatchObject({ isCut: true });
  expect(talk.command({ do: 'answer', request: 'q1', answers: { x: 'y' } })).toEqual([]);
  expect(talk.last('command.refused')!.message).toContain('can only be declined');
  expect(talk.command({ do: 'answer', request: 'q1' }).map(deniesClaude)).toEqual([true]);
});
