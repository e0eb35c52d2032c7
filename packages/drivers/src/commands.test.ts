/** Commands of clients: prompts and their queue, permissions, questions, interrupts, for each agent. */
import { describe, expect, test } from 'vitest';
import { Conversation } from './testing/conversation.ts';
import { faultsOf } from './testing/faults.ts';

function claude(): Conversation {
  const talk = new Conversation('claude');
  const [{ request_id }] = talk.started();
  talk.says({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  return talk;
}

const ASK = {
  type: 'control_request',
  request_id: 'r1',
  request: {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    tool_use_id: 'tool1',
    input: { command: 'touch a' },
    permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  },
};
const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'done' };

describe('claude', () => {
  test('[DRV-8] a prompt waits for the handshake, then for the running turn; the queue can be edited, moved and cancelled', () => {
    const talk = new Conversation('claude');
    const [{ request_id }] = talk.started();
    expect(talk.prompt('one', 'p1')).toEqual([]);
    const [sent] = talk.says({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    expect(sent).toMatchObject({ type: 'user', message: { content: [{ type: 'text', text: 'one' }] } });
    for (const id of ['p2', 'p3', 'p4']) expect(talk.prompt(id, id)).toEqual([]);
    talk.command({ do: 'editPrompt', clientId: 'p2', content: [{ type: 'text', text: 'two, edited' }] });
    talk.command({ do: 'movePrompt', clientId: 'p4', before: 'p2' });
    talk.command({ do: 'cancelPrompt', clientId: 'p3' });
    expect(talk.last('queue')!.prompts.map(({ clientId }) => clientId)).toEqual(['p4', 'p2']);
    expect(talk.says(RESULT)).toMatchObject([{ message: { content: [{ text: 'p4' }] } }]);
    expect(talk.says(RESULT)).toMatchObject([{ message: { content: [{ text: 'two, edited' }] } }]);
    talk.says(RESULT);
    talk.command({ do: 'cancelPrompt', clientId: 'p2' });
    expect(talk.last('command.refused')).toMatchObject({ code: 'unknown-prompt', clientId: 'p2' });
    expect(talk.events.filter(({ kind }) => kind === 'turn.started')).toMatchObject([
      { clientIds: ['p1'] },
      { clientIds: ['p4'] },
      { clientIds: ['p2'] },
    ]);
    talk.exited();
    expect(faultsOf(talk.events)).toEqual([]);
  });

  test('[DRV-8] at most 100 prompts wait, of 16 Mi characters; one more is refused, and those that wait stay', () => {
    const talk = claude();
    talk.prompt('runs', 'p');
    for (let at = 0; at < 100; at++) talk.prompt('x', `p${at}`);
    expect(talk.last('command.refused')).toBeUndefined();
    talk.prompt('x', 'one more');
    expect(talk.last('command.refused')).toMatchObject({
      clientId: 'one more',
      message: expect.stringMatching(/is full/),
    });
    expect(talk.last('queue')!.prompts).toHaveLength(100);
    const long = claude();
    long.prompt('runs', 'p');
    for (let at = 0; at < 17; at++) long.prompt('x'.repeat(1024 * 1024 - 100), `p${at}`);
    expect(long.last('command.refused')).toMatchObject({ clientId: 'p16' });
    expect(long.last('queue')!.prompts).toHaveLength(16);
  });

  test('a prompt for now goes into the running turn', () => {
    const talk = claude();
    talk.prompt('one', 'p1');
    expect(talk.prompt('also this', 'p2', 'now')).toMatchObject([{ message: { content: [{ text: 'also this' }] } }]);
    talk.says(RESULT);
    expect(talk.events.filter((event) => event.kind === 'prompt' && event.state === 'completed')).toHaveLength(2);
  });

  test('[DRV-7] the first answer to a permission wins, and a later one gets an event that says so', () => {
    const talk = claude();
    talk.prompt('go', 'p1');
    talk.says(ASK);
    expect(talk.last('permission.requested')!.options.map(({ id }) => id)).toEqual([
      'allow_once',
      'allow_always_1',
      'reject_once',
    ]);
    expect(talk.last('status')).toMatchObject({ state: 'waiting', detail: 'permission' });
    const answer = { do: 'permission', request: 'r1', option: 'allow_always_1' } as const;
    expect(talk.command(answer, 'ann')).toEqual([
      {
        type: 'control_response',
        response: {
          subtype: 'success',
          request_id: 'r1',
          response: {
            behavior: 'allow',
            updatedInput: { command: 'touch a' },
            updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
          },
        },
      },
    ]);
    expect(talk.last('permission.resolved')).toMatchObject({
      request: 'r1',
      decision: 'allow',
      by: 'watcher',
      who: 'ann',
    });
    expect(talk.command({ do: 'permission', request: 'r1', behavior: 'deny' }, 'bob')).toEqual([]);
    expect(talk.last('command.refused')).toMatchObject({ code: 'already-resolved', request: 'r1', by: 'bob' });
    expect(talk.last('command.refused')!.message).toContain('ann');
    talk.command({ do: 'permission', request: 'nonsense', behavior: 'deny' });
    expect(talk.last('command.refused')).toMatchObject({ code: 'unknown-request' });
  });

  test('a denial carries its message, edited input is sent, and a policy names its rule', () => {
    const talk = claude();
    talk.prompt('go', 'p1');
    talk.says(ASK);
    const [denied] = talk.command({
      do: 'permission',
      request: 'r1',
      behavior: 'deny',
      message: 'not here',
      interrupt: true,
    });
    expect(denied.response.response).toEqual({ behavior: 'deny', message: 'not here', interrupt: true });
    talk.says({ ...ASK, request_id: 'r2' });
    const input = { command: 'touch b' };
    const [edited] = talk.command(
      { do: 'permission', request: 'r2', behavior: 'allow', input },
      'policy',
      'allow touch',
    );
    expect(edited.response.response.updatedInput).toEqual(input);
    expect(talk.last('permission.resolved')).toMatchObject({ by: 'policy', who: 'allow touch' });
  });

  test('a request that the agent withdraws is cancelled, and an answer to it is refused', () => {
    const talk = claude();
    talk.prompt('go', 'p1');
    talk.says(ASK);
    talk.says({ type: 'control_cancel_request', request_id: 'r1' });
    expect(talk.last('permission.resolved')).toMatchObject({ decision: 'cancelled', by: 'agent' });
    expect(talk.command({ do: 'permission', request: 'r1', behavior: 'allow' })).toEqual([]);
  });

  test('a question is answered in the input of its tool', () => {
    const talk = claude();
    talk.prompt('go', 'p1');
    const input = { questions: [{ question: 'Which?', options: [{ label: 'Red' }], multiSelect: false }] };
    talk.says({ ...ASK, request: { ...ASK.request, tool_name: 'AskUserQuestion', input } });
    expect(talk.last('question.asked')!.questions).toMatchObject([{ id: 'Which?', options: [{ id: 'Red' }] }]);
    const [answer] = talk.command({ do: 'answer', request: 'r1', answers: { 'Which?': 'Red' } });
    expect(answer.response.response).toEqual({
      behavior: 'allow',
      updatedInput: { ...input, answers: { 'Which?': 'Red' } },
    });
  });

  test('interrupt, model and mode are control requests; their success is told', () => {
    const talk = claude();
    talk.prompt('go', 'p1');
    expect(talk.command({ do: 'interrupt' })).toMatchObject([{ request: { subtype: 'interrupt' } }]);
    const [request] = talk.command({ do: 'setModel', model: 'opus' });
    talk.says({
      type: 'control_response',
      response: { subtype: 'success', request_id: request.request_id, response: {} },
    });
    expect(talk.last('session.updated')).toMatchObject({ model: 'opus' });
  });

  test('how much of a quota is used, and until when', () => {
    const talk = claude();
    const rate_limit_info = {
      status: 'allowed_warning',
      rateLimitType: 'five_hour',
      utilization: 0.913,
      resetsAt: 2000,
    };
    talk.says({ type: 'rate_limit_event', rate_limit_info });
    expect(talk.last('quota')).toMatchObject({ name: 'five_hour', usedPercent: 91.3, resetsAt: 2_000_000 });
    talk.says({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } });
    expect(talk.last('quota')).toEqual(expect.not.objectContaining({ usedPercent: expect.anything() }));
  });

  test('[DRV-2, EVT-9] a process that dies ends everything, says where and what can be resumed, and refuses commands', () => {
    const talk = claude();
    talk.says({ type: 'system', subtype: 'init', session_id: 'own', model: 'm', tools: [], slash_commands: [] });
    talk.says({ type: 'result', subtype: 'success', is_error: false, result: '', total_cost_usd: 0 });
    talk.prompt('go', 'p1');
    talk.says(ASK);
    talk.prompt('then this', 'p2');
    talk.exited();
    const message = 'the agent was ended by SIGKILL in its turn 2; it can be resumed';
    expect(talk.last('turn.ended')).toMatchObject({ outcome: 'failed', stopReason: 'exited', error: { message } });
    expect(talk.last('session.ended')).toMatchObject({ reason: message, agentSession: 'own' });
    talk.prompt('too late', 'p3');
    expect(talk.last('command.refused')).toMatchObject({ code: 'ended' });
    expect(faultsOf(talk.events)).toEqual([]);
  });
});

test('codex: handshake, turn, approval, steering and interrupt', () => {
  const talk = new Conversation('codex', { cwd: '/project' });
  const [initialize] = talk.started();
  expect(initialize).toMatchObject({ method: 'initialize', params: { clientInfo: { name: 'spool' } } });
  const [initialized, start] = talk.says({ id: initialize.id, result: { userAgent: 'spool/0.166.0 (x)' } });
  expect(initialized).toEqual({ method: 'initialized' });
  expect(start).toMatchObject({ method: 'thread/start', params: { cwd: '/project', approvalPolicy: 'on-request' } });
  talk.says({ id: start.id, result: { thread: { id: 'th1' }, model: 'm', approvalPolicy: 'on-request' } });
  expect(talk.last('session.started')).toMatchObject({ agentVersion: '0.166.0', agentSession: 'th1' });
  const [turn] = talk.prompt('go', 'p1');
  expect(turn).toMatchObject({
    method: 'turn/start',
    params: { threadId: 'th1', input: [{ type: 'text', text: 'go' }] },
  });
  talk.says({ method: 'turn/started', params: { threadId: 'th1', turn: { id: 'tu1' } } });
  const item = { type: 'commandExecution', id: 'i1', command: 'rm x', status: 'inProgress' };
  talk.says({ method: 'item/started', params: { item } });
  const params = { itemId: 'i1', command: 'rm x', availableDecisions: ['accept', 'cancel'] }; // as it offers them
  talk.says({ id: 0, method: 'item/commandExecution/requestApproval', params });
  expect(talk.command({ do: 'permission', request: '0', behavior: 'deny' })).toEqual([
    { id: 0, result: { decision: 'decline' } },
  ]);
  expect(talk.prompt('and this', 'p2', 'now')).toMatchObject([
    { method: 'turn/steer', params: { expectedTurnId: 'tu1' } },
  ]);
  expect(talk.command({ do: 'interrupt' })).toMatchObject([{ method: 'turn/interrupt', params: { turnId: 'tu1' } }]);
  talk.exited();
  expect(talk.last('session.ended')).toMatchObject({ agentSession: 'th1' });
  expect(faultsOf(talk.events)).toEqual([]);
  const next = new Conversation('codex', { cwd: '/project', resume: 'th1', isContinued: true });
  const [again] = next.started();
  const [, resume] = next.says({ id: again.id, result: { userAgent: 'spool/0.166.0' } });
  expect(resume).toMatchObject({ method: 'thread/resume', params: { threadId: 'th1', excludeTurns: true } });
  next.says({ id: resume.id, result: { thread: { id: 'th1' }, approvalPolicy: 'on-request' } });
  expect(next.last('session.started')).toMatchObject({ agentSession: 'th1' });
  next.exited();
  expect(faultsOf(next.events)).toEqual([]);
});

test('[DRV-16] a prompt that waits is sent into the running turn, where the agent can take it; elsewhere it goes on waiting', () => {
  const codex = new Conversation('codex', { cwd: '/project' });
  const [initialize] = codex.started();
  const [, create] = codex.says({ id: initialize.id, result: { userAgent: 'spool/0.166.0' } });
  codex.says({ id: create.id, result: { thread: { id: 'th1' }, approvalPolicy: 'on-request' } });
  codex.prompt('go', 'p1');
  codex.says({ method: 'turn/started', params: { threadId: 'th1', turn: { id: 'tu1' } } });
  codex.prompt('first', 'p2');
  codex.prompt('second', 'p3');
  expect(codex.command({ do: 'sendPrompt', clientId: 'p3' })).toMatchObject([
    { method: 'turn/steer', params: { expectedTurnId: 'tu1', input: [{ text: 'second' }] } },
  ]);
  expect(codex.last('queue')).toMatchObject({ prompts: [{ clientId: 'p2' }] });
  expect(codex.last('prompt')).toMatchObject({ state: 'started', clientId: 'p3' });
  codex.command({ do: 'sendPrompt', clientId: 'p3' });
  expect(codex.last('command.refused')).toMatchObject({ code: 'unknown-prompt' });

  const acp = new Conversation('acp');
  const [hello] = acp.started();
  const [open] = acp.says({ jsonrpc: '2.0', id: hello.id, result: { protocolVersion: 1, agentCapabilities: {} } });
  acp.prompt('go', 'p1');
  acp.prompt('then', 'p2');
  acp.prompt('at last', 'p3');
  // Before the session is there, nothing runs: it only goes to the front.
  expect(acp.command({ do: 'sendPrompt', clientId: 'p3' })).toEqual([]);
  expect(acp.last('queue')?.prompts.map(({ clientId }) => clientId)).toEqual(['p3', 'p1', 'p2']);
  acp.says({ jsonrpc: '2.0', id: open.id, result: { sessionId: 's1' } });
  expect(acp.command({ do: 'sendPrompt', clientId: 'p2' })).toEqual([]);
  expect(acp.last('command.refused')).toMatchObject({ code: 'unsupported', message: expect.stringContaining('waits') });
  expect(acp.last('queue')?.prompts.map(({ clientId }) => clientId)).toEqual(['p1', 'p2']);
});

test('[EVT-40] an agent that cannot go on with its session says so, begins no other one, and is told no prompt', () => {
  const codex = new Conversation('codex', { resume: 'th1', isContinued: true });
  const [initialize] = codex.started();
  codex.prompt('go on', 'p1');
  const [, resume] = codex.says({ id: initialize.id, result: { userAgent: 'spool/0.166.0' } });
  expect(codex.says({ id: resume.id, error: { code: -1, message: 'no rollout' } })).toEqual([]);
  expect(codex.last('fault')).toMatchObject({ fatal: true, error: { message: expect.stringContaining('no rollout') } });
  expect(codex.isClosed).toBe(true);
  for (const loadSession of [true, false]) {
    const acp = new Conversation('acp', { resume: 's1', isContinued: true });
    const [hello] = acp.started();
    acp.prompt('go on', 'p1');
    const result = { protocolVersion: 1, agentCapabilities: { loadSession } };
    const [load] = acp.says({ jsonrpc: '2.0', id: hello.id, result });
    if (loadSession) {
      const error = { code: -32603, message: 'Internal error', data: { details: 'no previous sessions' } };
      expect(acp.says({ jsonrpc: '2.0', id: load.id, error })).toEqual([]);
    } else expect(load).toBeUndefined();
    const message = expect.stringContaining(loadSession ? 'no previous sessions' : 'neither session/load');
    expect(acp.last('fault')).toMatchObject({ fatal: true, error: { message } });
    expect(acp.isClosed).toBe(true);
  }
});

test('[DRV-12] codex: an interrupt ends the commands of its turn in the background, and no other', () => {
  const talk = new Conversation('codex', { cwd: '/project' });
  const [initialize] = talk.started();
  const [, create] = talk.says({ id: initialize.id, result: { userAgent: 'spool/0.166.0' } });
  talk.says({ id: create.id, result: { thread: { id: 'th1' }, approvalPolicy: 'on-request' } });
  const turn = (id: string, item: string): void => {
    talk.prompt('go', id);
    talk.says({ method: 'turn/started', params: { threadId: 'th1', turn: { id } } });
    const command = { type: 'commandExecution', id: item, command: 'serve', status: 'inProgress' };
    talk.says({ method: 'item/started', params: { item: command } });
  };
  turn('tu1', 'server');
  expect(talk.says({ method: 'turn/completed', params: { turn: { id: 'tu1', status: 'completed' } } })).toEqual([]);
  turn('tu2', 'slow');
  talk.command({ do: 'interrupt' });
  const [list] = talk.says({ method: 'turn/completed', params: { turn: { id: 'tu2', status: 'interrupted' } } });
  expect(list).toMatchObject({ method: 'thread/backgroundTerminals/list', params: { threadId: 'th1' } });
  const data = [
    { itemId: 'server', processId: '1' },
    { itemId: 'slow', processId: '2' },
  ];
  expect(talk.says({ id: list.id, result: { data } })).toMatchObject([
    { method: 'thread/backgroundTerminals/terminate', params: { threadId: 'th1', processId: '2' } },
  ]);
  talk.exited();
  expect(faultsOf(talk.events)).toEqual([]);
});

test('[REQ-9] an edited input that the agent would ignore is refused: it would run its own, and the events would name the other', () => {
  for (const input of [null, 'ls', ['ls'], 5]) {
    const talk = claude();
    talk.prompt('go', 'p1');
    talk.says(ASK);
    const answer = { do: 'permission', request: 'r1', behavior: 'allow' } as const;
    expect(talk.command({ ...answer, input })).toEqual([]);
    expect(talk.last('command.refused')).toMatchObject({ code: 'invalid' });
    expect(talk.last('permission.resolved')).toBeUndefined();
    const edited = { command: 'ls' };
    expect(talk.command({ ...answer, input: edited })).toMatchObject([
      { response: { response: { behavior: 'allow', updatedInput: edited } } },
    ]);
  }
});

test('[REQ-9] an agent whose protocol takes no other input refuses an answer with one, and its request stays open', () => {
  const talk = new Conversation('acp');
  const [initialize] = talk.started();
  const [create] = talk.says({ jsonrpc: '2.0', id: initialize.id, result: { protocolVersion: 1 } });
  talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } });
  talk.prompt('go', 'p1');
  const toolCall = { toolCallId: 't1', title: 'rm x', rawInput: { command: 'rm x' } };
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const params = { sessionId: 's1', toolCall, options };
  talk.says({ jsonrpc: '2.0', id: 5, method: 'session/request_permission', params });
  const answer = { do: 'permission', request: '5', behavior: 'allow' } as const;
  expect(talk.command({ ...answer, input: { command: 'ls' } })).toEqual([]);
  expect(talk.last('command.refused')).toMatchObject({ code: 'unsupported' });
  expect(talk.last('permission.resolved')).toBeUndefined();
  expect(talk.command(answer)).toMatchObject([{ result: { outcome: { optionId: 'yes' } } }]);
});

test('acp: handshake, prompt, permission, and an interrupt that answers what is asked', () => {
  const talk = new Conversation('acp', { cwd: '/project' });
  const [initialize] = talk.started();
  const [create] = talk.says({
    jsonrpc: '2.0',
    id: initialize.id,
    result: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
  });
  expect(create).toMatchObject({ method: 'session/new', params: { cwd: '/project', mcpServers: [] } });
  talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } });
  const [prompt] = talk.prompt('go', 'p1');
  expect(prompt).toMatchObject({
    method: 'session/prompt',
    params: { sessionId: 's1', prompt: [{ type: 'text', text: 'go' }] },
  });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const params = { sessionId: 's1', toolCall: { toolCallId: 't1', title: 'rm x' }, options };
  talk.says({ jsonrpc: '2.0', id: 5, method: 'session/request_permission', params });
  expect(talk.command({ do: 'permission', request: '5', behavior: 'allow' })).toEqual([
    { jsonrpc: '2.0', id: 5, result: { outcome: { outcome: 'selected', optionId: 'yes' } } },
  ]);
  talk.says({
    jsonrpc: '2.0',
    id: 6,
    method: 'session/request_permission',
    params: { ...params, toolCall: { toolCallId: 't2' } },
  });
  expect(talk.command({ do: 'interrupt' })).toEqual([
    { jsonrpc: '2.0', id: 6, result: { outcome: { outcome: 'cancelled' } } },
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } },
  ]);
  talk.says({ jsonrpc: '2.0', id: prompt.id, result: { stopReason: 'cancelled' } });
  expect(talk.last('turn.ended')).toMatchObject({ outcome: 'interrupted' });
  talk.exited();
  expect(faultsOf(talk.events)).toEqual([]);
  const next = new Conversation('acp', { cwd: '/project', resume: 's1', isContinued: true });
  const [hello] = next.started();
  const [load] = next.says({
    jsonrpc: '2.0',
    id: hello.id,
    result: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
  });
  expect(load).toMatchObject({ method: 'session/load', params: { sessionId: 's1' } });
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'old' } };
  next.says({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } });
  next.says({ jsonrpc: '2.0', id: load.id, result: {} });
  expect(next.kinds.filter((kind) => kind === 'turn.started')).toEqual([]); // the session before has the history
  next.exited();
  expect(faultsOf(next.events)).toEqual([]);
});

test('[DRV-8] acp: a prompt that waited for the handshake goes to the session that the handshake gave', () => {
  const talk = new Conversation('acp');
  const [initialize] = talk.started();
  expect(talk.prompt('go', 'p1')).toEqual([]);
  const [create] = talk.says({ jsonrpc: '2.0', id: initialize.id, result: { protocolVersion: 1 } });
  expect(talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } })).toMatchObject([
    { method: 'session/prompt', params: { sessionId: 's1', prompt: [{ type: 'text', text: 'go' }] } },
  ]);
});

test('gemini: a shell command is known by its tool and its text, whatever it looks like', () => {
  const talk = new Conversation('gemini');
  const [initialize] = talk.started();
  const result = { protocolVersion: 1, agentInfo: { name: 'gemini-cli', version: '0.61.0' } };
  const [create] = talk.says({ jsonrpc: '2.0', id: initialize.id, result });
  talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } });
  talk.prompt('go', 'p1');
  const toolCall = { toolCallId: 'run_shell_command__a_1__b', status: 'pending', title: 'read_file', kind: 'execute' };
  talk.says({
    jsonrpc: '2.0',
    id: 0,
    method: 'session/request_permission',
    params: { sessionId: 's1', toolCall, options: [] },
  });
  expect(talk.last('permission.requested')).toMatchObject({
    name: 'run_shell_command',
    input: { command: 'read_file' },
  });
});

test('opencode: calls of its HTTP interface, and an idle of the turn before does not end the next', () => {
  const talk = new Conversation('opencode');
  const [, create] = talk.started();
  expect(create).toMatchObject({ http: 'POST /session' });
  talk.says({ id: create.id, http: create.http, status: 200, body: { id: 'ses_1' } });
  expect(talk.prompt('go', 'p1')).toMatchObject([
    { http: 'POST /session/ses_1/prompt_async', body: { parts: [{ text: 'go' }] } },
  ]);
  const idle = { type: 'session.idle', properties: { sessionID: 'ses_1' } };
  talk.says(idle);
  expect(talk.last('turn.ended')).toBeUndefined();
  talk.says({ type: 'session.status', properties: { sessionID: 'ses_1', status: { type: 'busy' } } });
  talk.says({
    type: 'permission.asked',
    properties: { id: 'per_1', sessionID: 'ses_1', permission: 'bash', metadata: { command: 'x' } },
  });
  expect(talk.command({ do: 'permission', request: 'per_1', behavior: 'deny', message: 'no' })).toMatchObject([
    { http: 'POST /permission/per_1/reply', body: { reply: 'reject', message: 'no' } },
  ]);
  expect(talk.command({ do: 'interrupt' })).toMatchObject([{ http: 'POST /session/ses_1/abort' }]);
  talk.says(idle);
  expect(talk.last('turn.ended')).toMatchObject({ outcome: 'completed', turn: 't1' });
  talk.exited();
  expect(faultsOf(talk.events)).toEqual([]);
});

test('an agent that cannot do something says so', () => {
  const talk = new Conversation('acp', { isReadOnly: true });
  talk.prompt('go', 'p1');
  expect(talk.last('command.refused')).toMatchObject({ code: 'unsupported', do: 'prompt' });
});

test('[DRV-11] Codex gets the message of a denial in the running turn, before the answer that lets it go on', () => {
  const talk = new Conversation('codex');
  const [{ id }] = talk.started();
  talk.says({ id, result: { userAgent: 'codex/0.166.0' } });
  talk.says({ id: 2, result: { thread: { id: 'thread-1' }, approvalPolicy: 'on-request' } });
  talk.prompt('one', 'p1');
  talk.says({ id: 3, result: { turn: { id: 'turn-1' } } });
  const params = { threadId: 'thread-1', turnId: 'turn-1', itemId: 'call-1', command: 'touch a' };
  talk.says({ id: 0, method: 'item/commandExecution/requestApproval', params });
  const denied = talk.command({ do: 'permission', request: '0', behavior: 'deny', message: 'not here' });
  expect(denied).toMatchObject([
    { method: 'turn/steer', params: { expectedTurnId: 'turn-1', input: [{ text: 'not here' }] } },
    { id: 0, result: { decision: 'decline' } },
  ]);
});

test('[DRV-11] an ACP agent gets the message of a denial as the next prompt, before the others that wait', () => {
  const talk = new Conversation('acp');
  const [{ id }] = talk.started();
  talk.says({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } });
  talk.says({ jsonrpc: '2.0', id: 2, result: { sessionId: 's1' } });
  talk.prompt('one', 'p1');
  talk.prompt('two', 'p2');
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const params = { sessionId: 's1', toolCall: { toolCallId: 'call-1', title: 'touch a' }, options };
  talk.says({ jsonrpc: '2.0', id: 7, method: 'session/request_permission', params });
  talk.command({ do: 'permission', request: '7', behavior: 'deny', message: 'not here' });
  expect(talk.last('queue')!.prompts.map(({ clientId }) => clientId)).toEqual(['deny 7', 'p2']);
  const [next] = talk.says({ jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } });
  expect(next).toMatchObject({ method: 'session/prompt', params: { prompt: [{ text: 'not here' }] } });
});

test('[DRV-13] an ACP agent is told the model and the mode it was started with, once, before the first prompt', () => {
  const talk = new Conversation('gemini', { cwd: '/project', model: 'fast', mode: 'plan' });
  const [{ id }] = talk.started();
  talk.says({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } });
  talk.prompt('one', 'p1');
  const modes = { currentModeId: 'default', availableModes: [] };
  const models = { currentModelId: 'slow', availableModels: [] };
  expect(talk.says({ jsonrpc: '2.0', id: 2, result: { sessionId: 's1', modes, models } })).toMatchObject([
    { method: 'session/set_model', params: { sessionId: 's1', modelId: 'fast' } },
    { method: 'session/set_mode', params: { sessionId: 's1', modeId: 'plan' } },
    { method: 'session/prompt', params: { sessionId: 's1' } },
  ]);
});

test('[DRV-13] a mode that Codex does not have is a notice, and it asks on request', () => {
  const talk = new Conversation('codex', { cwd: '/project', mode: 'yolo' });
  const [{ id }] = talk.started();
  const started = talk.says({ id, result: { userAgent: 'codex/0.166.0' } });
  expect(started.at(-1)).toMatchObject({ method: 'thread/start', params: { approvalPolicy: 'on-request' } });
  expect(talk.last('notice')).toMatchObject({ level: 'warning', code: 'mode' });
});
