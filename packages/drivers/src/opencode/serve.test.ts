import { expect, test } from 'vitest';
import { Conversation } from '../testing/conversation.ts';
import { faultsOf } from '../testing/faults.ts';

const sessionID = 'ses_1';
const status = (type: string): unknown => ({ type: 'session.status', properties: { sessionID, status: { type } } });
const connected = { type: 'server.connected', properties: {} };
const part = (more: object): unknown => ({ sessionID, messageID: 'msg_2', ...more });
const updated = (more: object): unknown => ({
  type: 'message.part.updated',
  properties: { sessionID, part: part(more) },
});

/** The record of a turn that is over. */
const answered = [
  {
    info: { id: 'msg_2', sessionID, role: 'assistant' },
    parts: [part({ id: 'prt_1', type: 'text', text: 'all of it', time: { start: 1, end: 2 } })],
  },
];

/** Returns an agent that has a session, and knows one slash command. */
function ready(options: object = {}): Conversation {
  const talk = new Conversation('opencode', options);
  const [commands, create] = talk.started();
  expect([commands.http, create.http]).toEqual(['GET /command', 'POST /session']);
  talk.says(connected);
  talk.says({ id: commands.id, http: commands.http, status: 200, body: [{ name: 'init' }] });
  talk.says({ id: create.id, http: create.http, status: 200, body: { id: sessionID, version: '1.18.33' } });
  return talk;
}

test('a slash command of the agent is a call of its own, anything else is a prompt', () => {
  const talk = ready({ model: 'a/b/c', mode: 'plan' });
  expect(talk.prompt('/init all of it', 'p1')).toMatchObject([
    {
      http: 'POST /session/ses_1/command',
      wait: false,
      body: { command: 'init', arguments: 'all of it', model: 'a/b/c', agent: 'plan' },
    },
  ]);
  talk.says(status('busy'));
  talk.says(status('idle'));
  expect(talk.prompt('/usr/bin is a folder', 'p2')).toMatchObject([
    {
      http: 'POST /session/ses_1/prompt_async',
      body: { parts: [{ text: '/usr/bin is a folder' }], model: { providerID: 'a', modelID: 'b/c' }, agent: 'plan' },
    },
  ]);
  expect(talk.events.filter(({ kind }) => kind === 'session.started')).toHaveLength(1);
});

test('a prompt that is sent now goes into the running turn, and is answered in it', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  talk.says(status('busy'));
  expect(talk.prompt('two', 'p2', 'now')).toMatchObject([{ http: 'POST /session/ses_1/prompt_async' }]);
  talk.says(status('busy'));
  talk.says(status('idle'));
  expect(talk.events.filter(({ kind }) => kind === 'turn.started')).toHaveLength(1);
  expect(talk.events.filter((event) => event.kind === 'prompt' && event.state === 'completed')).toHaveLength(2);
});

test('an interrupt before the agent works is sent again when it does', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  expect(talk.command({ do: 'interrupt' })).toMatchObject([{ http: 'POST /session/ses_1/abort' }]);
  expect(talk.says(status('busy'))).toMatchObject([{ http: 'POST /session/ses_1/abort' }]);
  expect(talk.says(status('busy'))).toEqual([]);
});

test('[DRV-13] a mode that OpenCode does not have fails the turn, although it never works; the next prompt is not failed by the echo', () => {
  const talk = ready({ mode: 'nobody' });
  const error = (message: string): unknown => ({
    type: 'session.error',
    properties: { sessionID, error: { name: 'UnknownError', data: { message } } },
  });
  talk.prompt('one', 'p1');
  talk.prompt('two', 'p2');
  talk.says(error('Agent not found: "nobody"'));
  expect(talk.last('turn.ended')).toMatchObject({ outcome: 'failed', error: { message: 'Agent not found: "nobody"' } });
  talk.says(error('UnknownError: UnknownError\n    at somewhere (/x.js:1:1)'));
  expect(talk.last('turn.started')).toMatchObject({ clientIds: ['p2'] });
  expect(talk.events.filter(({ kind }) => kind === 'turn.ended')).toHaveLength(1);
});

test('[HTTP-2] after a gap the record is read: what was seen is not told again, what was not is told once', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  talk.says(status('busy'));
  talk.says({ type: 'message.updated', properties: { info: { id: 'msg_2', sessionID, role: 'assistant' } } });
  talk.says(updated({ id: 'prt_1', type: 'text', text: 'seen', time: { start: 1, end: 2 } }));
  talk.says({
    type: 'permission.asked',
    properties: { id: 'per_1', sessionID, permission: 'bash', metadata: { command: 'x' }, tool: { callID: 'c1' } },
  });
  const calls = talk.says(connected);
  expect(calls.map(({ http }) => http)).toEqual([
    'GET /session/ses_1/message?limit=100',
    'GET /permission',
    'GET /question',
    'GET /session/ses_1/todo',
    'GET /session/ses_1',
    'GET /session/status',
  ]);
  const [messages, permissions, questions, todos, , statuses] = calls;
  // Asked while the answers are on their way: it is not in them, and still waits.
  talk.says({
    type: 'permission.asked',
    properties: { id: 'per_3', sessionID, permission: 'bash', metadata: { command: 'z' } },
  });
  const body = [
    {
      info: { id: 'msg_2', sessionID, role: 'assistant' },
      parts: [
        part({ id: 'prt_1', type: 'text', text: 'seen', time: { start: 1, end: 2 } }),
        part({ id: 'prt_2', type: 'text', text: 'unseen', time: { start: 1, end: 2 } }),
        part({ id: 'prt_3', type: 'text', text: '', time: { start: 1 } }),
      ],
    },
  ];
  talk.says({ ...messages, status: 200, body });
  talk.says({
    ...permissions,
    status: 200,
    body: [{ id: 'per_2', sessionID, permission: 'bash', metadata: { command: 'y' } }],
  });
  talk.says({ ...questions, status: 200, body: [{ id: 'que_1', sessionID, questions: [{ question: 'which?' }] }] });
  talk.says({ ...todos, status: 200, body: [] });
  talk.says({ ...statuses, status: 200, body: { ses_1: { type: 'busy' } } });
  const texts = talk.events.flatMap((event) => (event.kind === 'message.done' ? [event.text] : []));
  expect(texts).toEqual(['seen', 'unseen']);
  const open = talk.events.flatMap((event) => (event.kind === 'permission.requested' ? [event.request] : []));
  const resolved = talk.events.flatMap((event) => (event.kind === 'permission.resolved' ? [event.request] : []));
  expect([open, resolved]).toEqual([['per_1', 'per_3', 'per_2'], ['per_1']]);
  expect(talk.last('question.asked')).toMatchObject({ request: 'que_1' });
  expect(talk.last('turn.ended')).toBeUndefined();
  talk.exited();
  expect(faultsOf(talk.events)).toEqual([]);
});

test('[HTTP-2] a turn that was over before anything was heard of it ends, but not before a second look', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  const statuses = talk.says(connected).at(-1);
  const [record, again] = talk.says({ ...statuses, status: 200, body: {} });
  expect([record, again]).toMatchObject([
    { http: 'GET /session/ses_1/message?limit=100', afterMs: 1500 },
    { http: 'GET /session/status', afterMs: 1500 },
  ]);
  expect(talk.last('turn.ended')).toBeUndefined();
  talk.says({ ...record, status: 200, body: answered });
  talk.says({ ...again, status: 200, body: {} });
  expect(talk.last('message.done')).toMatchObject({ text: 'all of it' });
  expect(talk.last('turn.ended')).toMatchObject({ outcome: 'completed' });
});

test('[HTTP-2] a turn that ends while its record is read is read to its end, and its usage is reported once', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  talk.says(status('busy'));
  const calls = talk.says(connected);
  const [step] = [part({ id: 'prt_0', type: 'step-finish', tokens: { input: 1 } })];
  const [{ info, parts }] = answered as [(typeof answered)[number]];
  talk.says({ ...calls[0], status: 200, body: [{ info, parts: [step] }] });
  const [record, again] = talk.says({ ...calls.at(-1), status: 200, body: {} });
  expect(talk.last('turn.ended')).toBeUndefined();
  talk.says({ ...record, status: 200, body: [{ info, parts: [step, ...parts] }] });
  talk.says({ ...again, status: 200, body: {} });
  expect(talk.last('message.done')).toMatchObject({ text: 'all of it' });
  expect(talk.last('turn.ended')).toMatchObject({ outcome: 'completed' });
  expect(talk.events.filter(({ kind }) => kind === 'usage')).toHaveLength(1);
});

test('[HTTP-2] a second look that was meant for the turn before does not end the next one', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  const statuses = talk.says(connected).at(-1);
  const again = talk.says({ ...statuses, status: 200, body: {} }).at(-1);
  talk.says(status('busy'));
  talk.says(status('idle'));
  talk.prompt('two', 'p2');
  talk.says({ ...again, status: 200, body: {} });
  expect(talk.events.filter(({ kind }) => kind === 'turn.ended')).toHaveLength(1);
});

test('[HTTP-41] a prompt whose call was cut is looked for in the record: its turn has its text, or fails when it is not there', () => {
  for (const isThere of [true, false]) {
    const talk = ready();
    const [prompt] = talk.prompt('one', 'p1');
    const [record, look] = talk.says({ ...prompt, status: 502, body: { message: 'socket hang up' } });
    expect(talk.last('turn.ended')).toBeUndefined();
    talk.says({ ...record, status: 200, body: isThere ? answered : [] });
    const [recordAgain, lookAgain] = talk.says({ ...look, status: 200, body: {} });
    talk.says({ ...recordAgain, status: 200, body: isThere ? answered : [] });
    talk.says({ ...lookAgain, status: 200, body: {} });
    const texts = talk.events.flatMap((event) => (event.kind === 'message.done' ? [event.text] : []));
    expect(texts).toEqual(isThere ? ['all of it'] : []);
    expect(talk.last('turn.ended')).toMatchObject({ outcome: isThere ? 'completed' : 'failed' });
    expect(talk.events.filter(({ kind }) => kind === 'fault')).toHaveLength(isThere ? 0 : 1);
  }
});

test('[HTTP-40] an answer to a permission that did not arrive is sent again, whether the call failed or the record says so', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  talk.says(status('busy'));
  const asked = { id: 'per_1', sessionID, permission: 'bash', metadata: { command: 'x' } };
  talk.says({ type: 'permission.asked', properties: asked });
  const [reply] = talk.command({ do: 'permission', request: 'per_1', behavior: 'deny', message: 'no' });
  expect(talk.says({ ...reply, status: 502, body: { message: 'socket hang up' } })).toMatchObject([
    { http: reply.http, body: { reply: 'reject', message: 'no' }, afterMs: 500 },
  ]);
  const [, permissions] = talk.says(connected);
  expect(talk.says({ ...permissions, status: 200, body: [asked] })).toMatchObject([
    { http: reply.http, body: reply.body },
  ]);
  talk.says({ ...reply, status: 404, body: { message: 'not found' } });
  expect(talk.last('fault')).toBeUndefined();
  expect(talk.events.filter(({ kind }) => kind === 'permission.requested')).toHaveLength(1);
});

test('[EVT-40] an OpenCode that died goes on with its own session', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  talk.exited();
  expect(talk.last('session.ended')).toMatchObject({ agentSession: sessionID });
  const next = new Conversation('opencode', { resume: sessionID, isContinued: true });
  const [, open] = next.started();
  expect(open).toMatchObject({ http: 'GET /session/ses_1' });
  next.says(connected);
  next.says({ ...open, status: 200, body: { id: sessionID } });
  expect(next.last('session.started')).toMatchObject({ agentSession: sessionID });
  expect(next.prompt('two', 'p2')).toMatchObject([{ http: 'POST /session/ses_1/prompt_async' }]);
});

test('a plan is reported once, whether its event or the result of the tool that wrote it comes first', () => {
  const list = [{ content: 'a step', status: 'in_progress', priority: 'high' }];
  const tool = updated({
    id: 'prt_1',
    type: 'tool',
    tool: 'todowrite',
    callID: 'c1',
    state: { status: 'completed', input: { todos: list }, output: JSON.stringify(list), metadata: { todos: list } },
  });
  const told = { type: 'todo.updated', properties: { sessionID, todos: list } };
  for (const lines of [[tool], [told, tool], [tool, told]]) {
    const talk = ready();
    talk.prompt('plan', 'p1');
    talk.says({ type: 'message.updated', properties: { info: { id: 'msg_2', sessionID, role: 'assistant' } } });
    for (const line of lines) talk.says(line);
    const plans = talk.events.filter(({ kind }) => kind === 'plan.updated');
    expect(plans).toMatchObject([{ entries: [{ text: 'a step', status: 'in_progress' }] }]);
  }
});

test('[HTTP-2] an answer that the agent never takes is sent again 50 times, and then fails; the answers of 50 permissions are kept', () => {
  const talk = ready();
  talk.prompt('one', 'p1');
  talk.says(status('busy'));
  const ask = (id: string): unknown => ({
    type: 'permission.asked',
    properties: { id, sessionID, permission: 'bash', metadata: { command: id } },
  });
  const replies = Array.from({ length: 51 }, (_, at) => {
    talk.says(ask(`per_${at}`));
    const [reply] = talk.command({ do: 'permission', request: `per_${at}`, behavior: 'deny' });
    talk.says({ ...reply, status: 200, body: true });
    return reply;
  });
  const failed = { status: 502, body: { message: 'socket hang up' } };
  expect(talk.says({ ...replies[0], ...failed })).toEqual([]); // it is not kept any more
  for (let time = 0; time < 50; time++)
    expect(talk.says({ ...replies.at(-1), ...failed })).toMatchObject([{ http: replies.at(-1).http, afterMs: 500 }]);
  expect(talk.says({ ...replies.at(-1), ...failed })).toEqual([]);
});
