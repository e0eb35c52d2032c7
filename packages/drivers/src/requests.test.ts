/** Requests of every agent: ids, digests, options, and the joined tool calls. */
// oxlint-disable typescript/no-explicit-any -- what is written to an agent is read as the agent would read it
import { describe, expect, test } from 'vitest';
import { REQUESTS_OPEN_MAX } from '@spool/protocol/agent';
import { REQUEST_BYTES_MAX } from './ledger/request-content.ts';
import { Conversation } from './testing/conversation.ts';
import { faultsOf } from './testing/faults.ts';

interface Asker {
  readonly agent: 'claude' | 'codex' | 'acp' | 'opencode';
  /** Starts a conversation with an agent that is in a turn. */
  start(): Conversation;
  /** Returns a request of the agent to run `command`, by the id `id`. */
  ask(id: number, command: string): unknown;
  /** The key by which clients know it. */
  key(id: number): string;
  /** Whether this line, written to the agent, denies it; undefined for another line. */
  denies(line: any, id: number): boolean | undefined;
}

const ASKERS: readonly Asker[] = [
  {
    agent: 'claude',
    start() {
      const talk = new Conversation('claude');
      const [{ request_id }] = talk.started();
      talk.says({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
      talk.prompt('go', 'p1');
      return talk;
    },
    ask: (id, command) => ({
      type: 'control_request',
      request_id: `r${id}`,
      request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `tool${id}`, input: { command } },
    }),
    key: (id) => `r${id}`,
    denies: ({ response }, id) =>
      response?.request_id === `r${id}` ? response.response.behavior === 'deny' : undefined,
  },
  {
    agent: 'codex',
    start() {
      const talk = new Conversation('codex');
      talk.started();
      talk.says({ id: 1, result: { userAgent: 'codex/0.169.0' } });
      talk.says({ id: 2, result: { thread: { id: 'th' } } });
      talk.prompt('go', 'p1');
      talk.says({ method: 'turn/started', params: { threadId: 'th', turn: { id: 'u1' } } });
      return talk;
    },
    ask: (id, command) => ({
      id: 100 + id,
      method: 'item/commandExecution/requestApproval',
      params: { threadId: 'th', turnId: 'u1', itemId: `tool${id}`, command, cwd: '/project' },
    }),
    key: (id) => String(100 + id),
    denies: (line, id) => (line.id === 100 + id ? line.result?.decision === 'decline' : undefined),
  },
  {
    agent: 'acp',
    start() {
      const talk = new Conversation('acp');
      talk.started();
      talk.says({ jsonrpc: '2.0', id: 1, result: { protocolVersion: 1, agentCapabilities: {} } });
      talk.says({ jsonrpc: '2.0', id: 2, result: { sessionId: 's' } });
      talk.prompt('go', 'p1');
      return talk;
    },
    ask: (id, command) => ({
      jsonrpc: '2.0',
      id: 100 + id,
      method: 'session/request_permission',
      params: {
        sessionId: 's',
        toolCall: { toolCallId: `tool${id}`, kind: 'execute', title: 'List the files', rawInput: { command } },
        options: [
          { optionId: 'enable-always-approve', name: "Yes, and don't ask again for anything", kind: 'allow_once' },
          { optionId: 'allow-once', name: 'Yes, proceed', kind: 'allow_once' },
          { optionId: 'reject-once', name: 'No', kind: 'reject_once' },
        ],
      },
    }),
    key: (id) => String(100 + id),
    denies: (line, id) => (line.id === 100 + id ? line.result?.outcome?.optionId === 'reject-once' : undefined),
  },
  {
    agent: 'opencode',
    start() {
      const talk = new Conversation('opencode', { cwd: '/project', wire: 'serve' });
      talk.started();
      talk.says({ type: 'server.connected', properties: {} });
      talk.says({ id: 'spool-1', http: 'GET /command', status: 200, body: [] });
      talk.says({ id: 'spool-2', http: 'POST /session', status: 200, body: { id: 'ses_1' } });
      talk.prompt('go', 'p1');
      return talk;
    },
    ask: (id, command) => ({
      type: 'permission.asked',
      properties: {
        id: `per_${id}`,
        sessionID: 'ses_1',
        permission: 'bash',
        patterns: [command],
        metadata: { command },
        always: ['touch *'],
        tool: { callID: `tool${id}` },
      },
    }),
    key: (id) => `per_${id}`,
    denies: (line, id) => (line.http === `POST /permission/per_${id}/reply` ? line.body.reply === 'reject' : undefined),
  },
];

const verdicts = ({ denies }: Asker, lines: readonly unknown[], id: number): (boolean | undefined)[] =>
  lines.map((line) => denies(line, id)).filter((verdict) => verdict !== undefined);

describe.each(ASKERS)('$agent', (asker) => {
  const { start, ask, key } = asker;

  test('[REQ-4] an answer with the digest of the request is taken, and the agent gets the input that was shown', () => {
    const talk = start();
    talk.says(ask(1, 'ls'));
    const { digest, input, bytes } = talk.last('permission.requested')!;
    expect(digest).toMatch(/^1-[0-9a-f]{32}$/);
    expect(JSON.stringify(input)).toContain('"ls"');
    expect(bytes).toBeGreaterThan(10);
    const option = asker.agent === 'acp' ? { option: 'allow-once' } : {};
    const lines = talk.raw({ do: 'permission', request: key(1), digest: digest!, behavior: 'allow', ...option });
    expect(verdicts(asker, lines, 1)).toEqual([false]);
    expect(talk.last('permission.resolved')).toMatchObject({ decision: 'allow', by: 'watcher', who: 'ann', digest });
    expect(JSON.stringify(talk.last('permission.resolved')!.input)).toContain('"ls"');
  });

  test('[REQ-4] to allow without a digest, or with the digest of another request, is refused and writes nothing', () => {
    const talk = start();
    talk.says(ask(1, 'ls'));
    talk.says(ask(2, 'rm -rf ~'));
    const [first, second] = [talk.digestOf(key(1))!, talk.digestOf(key(2))!];
    expect(first).not.toBe(second);
    const option = asker.agent === 'acp' ? { option: 'allow-once' } : {};
    const allow = { do: 'permission', request: key(2), behavior: 'allow', ...option } as const;
    expect(talk.raw(allow)).toEqual([]);
    expect(talk.last('command.refused')).toMatchObject({ code: 'invalid', request: key(2) });
    expect(talk.raw({ ...allow, digest: first })).toEqual([]);
    expect(talk.last('command.refused')).toMatchObject({ code: 'another-request', request: key(2) });
    expect(talk.raw({ ...allow, behavior: 'deny', option: undefined as never, digest: first })).toEqual([]);
    expect(talk.kinds.filter((kind) => kind === 'permission.resolved')).toEqual([]);
  });

  test('[REQ-3] a second request under the same id is denied with the first, an event says so, and no answer reaches it', () => {
    const talk = start();
    talk.says(ask(1, 'ls'));
    const shown = talk.digestOf(key(1))!;
    const lines = talk.says(ask(1, 'rm -rf /'));
    expect(verdicts(asker, lines, 1)).toEqual([true]);
    expect(talk.last('notice')).toMatchObject({ code: 'request-id-reused', level: 'warning' });
    expect(talk.last('permission.resolved')).toMatchObject({ decision: 'deny', by: 'driver', request: key(1) });
    const option = asker.agent === 'acp' ? { option: 'allow-once' } : {};
    const late = talk.raw({ do: 'permission', request: key(1), digest: shown, behavior: 'allow', ...option });
    expect(verdicts(asker, late, 1)).toEqual([]);
    expect(talk.last('command.refused')).toMatchObject({ code: 'already-resolved' });
    talk.exited();
    expect(faultsOf(talk.events)).toEqual([]);
  });

  test('[REQ-3] an open request that is repeated as it was changes nothing', () => {
    const talk = start();
    talk.says(ask(1, 'ls'));
    const digest = talk.digestOf(key(1));
    expect(verdicts(asker, talk.says(ask(1, 'ls')), 1)).toEqual([]);
    expect(talk.kinds.filter((kind) => kind === 'permission.requested')).toHaveLength(1);
    expect(talk.digestOf(key(1))).toBe(digest);
  });

  test('[REQ-3] the id of a request that was answered is not taken again: another one is denied, or asked by an id of ours', () => {
    const talk = start();
    talk.says(ask(1, 'ls'));
    talk.command({ do: 'permission', request: key(1), behavior: 'deny' });
    const isNumbered = asker.agent === 'codex' || asker.agent === 'acp'; // JSON-RPC lets an agent count from the start again
    expect(verdicts(asker, talk.says(ask(1, 'rm -rf /')), 1)).toEqual(isNumbered ? [] : [true]);
    const asked = talk.events.flatMap((event) => (event.kind === 'permission.requested' ? [event.request] : []));
    expect([asked.length, new Set(asked).size]).toEqual(isNumbered ? [2, 2] : [1, 1]);
    expect(talk.last('notice')?.code === 'request-id-reused').toBe(!isNumbered);
  });

  test('[REQ-7] further requests than can wait are denied towards the agent, with a reason; those that wait stay', () => {
    const talk = start();
    for (let id = 1; id <= REQUESTS_OPEN_MAX; id++)
      expect(verdicts(asker, talk.says(ask(id, `echo ${id}`)), id)).toEqual([]);
    for (let id = REQUESTS_OPEN_MAX + 1; id <= REQUESTS_OPEN_MAX + 40; id++)
      expect(verdicts(asker, talk.says(ask(id, `echo ${id}`)), id)).toEqual([true]);
    expect(talk.last('permission.resolved')).toMatchObject({ decision: 'deny', by: 'driver' });
    expect(talk.last('permission.resolved')!.message).toContain('too many');
    talk.command({ do: 'permission', request: key(1), behavior: 'deny' });
    expect(verdicts(asker, talk.says(ask(999, 'echo')), 999)).toEqual([]);
  });

  test('[REQ-7] a request that is too large to be kept whole can only be denied', () => {
    const talk = start();
    talk.says(ask(1, `echo ${'x'.repeat(REQUEST_BYTES_MAX)}`));
    expect(talk.last('permission.requested')).toMatchObject({ isCut: true });
    const option = asker.agent === 'acp' ? { option: 'allow-once' } : {};
    expect(talk.command({ do: 'permission', request: key(1), behavior: 'allow', ...option })).toEqual([]);
    expect(talk.last('command.refused')!.message).toContain('can only be denied');
    expect(verdicts(asker, talk.command({ do: 'permission', request: key(1), behavior: 'deny' }), 1)).toEqual([true]);
  });
});

test('[REQ-5] an option that allows more is never chosen by behaviour, whatever kind the agent gives it', () => {
  const { start, ask, key } = ASKERS[2]!;
  const talk = start();
  talk.says(ask(1, 'ls'));
  expect(talk.last('permission.requested')!.options.map(({ kind }) => kind)).toEqual([
    'allow_always',
    'allow_once',
    'reject_once',
  ]);
  const [line] = talk.command({ do: 'permission', request: key(1), behavior: 'allow' });
  expect(line.result.outcome.optionId).toBe('allow-once');
});

test('[REQ-5] an answer without an option is refused where it could mean two, and one for this time only takes no more', () => {
  const { start, key } = ASKERS[2]!;
  const talk = start();
  const options = [
    { optionId: 'one', name: 'Yes', kind: 'allow_once' },
    { optionId: 'two', name: 'Yes, quickly', kind: 'allow_once' },
    { optionId: 'more', name: 'Always', kind: 'allow_always' },
  ];
  const params = { toolCall: { toolCallId: 't', rawInput: { command: 'ls' } }, options };
  talk.says({ jsonrpc: '2.0', id: 101, method: 'session/request_permission', params });
  expect(talk.command({ do: 'permission', request: key(1), behavior: 'allow' })).toEqual([]);
  expect(talk.last('command.refused')!.message).toContain('one, two, more');
  expect(talk.command({ do: 'permission', request: key(1), option: 'more', once: true })).toEqual([]);
  expect(talk.last('command.refused')!.message).toContain('more than this one request');
  expect(talk.command({ do: 'permission', request: key(1), option: 'one', behavior: 'deny' })).toEqual([]);
  const [line] = talk.command({ do: 'permission', request: key(1), option: 'one', once: true });
  expect(line.result.outcome.optionId).toBe('one');
});

test('[REQ-5] an option of unknown meaning counts as one that allows: by digest, never as a denial, never for this time only', () => {
  const { start, key } = ASKERS[2]!;
  const talk = start();
  const options = [
    { optionId: 'odd', name: 'Proceed', kind: 'turbo' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const params = { toolCall: { toolCallId: 't', rawInput: { command: 'ls' } }, options };
  talk.says({ jsonrpc: '2.0', id: 101, method: 'session/request_permission', params });
  expect(talk.last('permission.requested')!.options[0]!.kind).toBe('other');
  for (const more of [{ behavior: 'deny' }, { behavior: 'allow' }, { once: true }, { digest: '9-9' }] as const)
    expect([more, talk.command({ do: 'permission', request: key(1), option: 'odd', ...more })]).toEqual([more, []]);
  expect(talk.command({ do: 'permission', request: key(1), option: 'odd', digest: undefined as never })).toEqual([]);
  const [line] = talk.command({ do: 'permission', request: key(1), option: 'odd' });
  expect(line.result.outcome.optionId).toBe('odd');
});

test('[REQ-1] the permission for a plan has the plan, which only the tool call has', () => {
  const talk = ASKERS[0]!.start();
  const plan = '1. Delete everything\n2. Say it was tidied up';
  const block = { type: 'tool_use', id: 'tool1', name: 'ExitPlanMode', input: { plan } };
  talk.says({ type: 'assistant', message: { id: 'm1', role: 'assistant', content: [block] } });
  talk.says({
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'can_use_tool', tool_name: 'ExitPlanMode', tool_use_id: 'tool1', input: {} },
  });
  expect(talk.last('permission.requested')).toMatchObject({ input: {}, call: { plan } });
});

test('[REQ-1] what the tool call says otherwise than the permission is in the request; what it repeats is not', () => {
  const talk = ASKERS[0]!.start();
  const block = { type: 'tool_use', id: 'tool1', name: 'Bash', input: { command: 'ls', timeout: 5 } };
  talk.says({ type: 'assistant', message: { id: 'm1', role: 'assistant', content: [block] } });
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 'tool1' };
  talk.says({
    type: 'control_request',
    request_id: 'r1',
    request: { ...request, input: { command: 'rm', timeout: 5 } },
  });
  expect(talk.last('permission.requested')).toMatchObject({ input: { command: 'rm' }, call: { command: 'ls' } });
  talk.command({ do: 'permission', request: 'r1', behavior: 'deny' });
  talk.says({
    type: 'control_request',
    request_id: 'r2',
    request: { ...request, input: { command: 'ls', timeout: 5, run_in_background: false } },
  });
  expect(talk.last('permission.requested')!.call).toBeUndefined();
});

test('[REQ-1] the approval of a patch has the changes that only its item had, and all that Codex asks for', () => {
  const talk = ASKERS[1]!.start();
  const changes = [{ path: '/project/.env', kind: { type: 'add' }, diff: 'SECRET=1' }];
  const item = { type: 'fileChange', id: 'tool1', changes, status: 'inProgress' };
  talk.says({ method: 'item/started', params: { threadId: 'th', turnId: 'u1', item } });
  const params = { threadId: 'th', turnId: 'u1', itemId: 'tool1', grantRoot: '/', anythingNew: 'of a later version' };
  talk.says({ id: 101, method: 'item/fileChange/requestApproval', params });
  const asked = talk.last('permission.requested')!;
  expect(asked.diffs).toMatchObject([{ path: '/project/.env' }]);
  expect(asked.input).toEqual({ grantRoot: '/', anythingNew: 'of a later version' });
});

test('[REQ-1] a command that Codex gives as a list keeps the limits of its words', () => {
  const talk = ASKERS[1]!.start();
  const command = ['bash', '-lc', 'echo a; rm b'];
  talk.says({ id: 101, method: 'execCommandApproval', params: { callId: 'tool1', command, cwd: '/project' } });
  expect(talk.last('permission.requested')).toMatchObject({ input: { command }, title: "bash -lc 'echo a; rm b'" });
});

test('[REQ-1] texts beside the input of an ACP tool call are part of the request', () => {
  const talk = ASKERS[2]!.start();
  const content = [{ type: 'content', content: { type: 'text', text: 'the plan' } }];
  const toolCall = { toolCallId: 't', kind: 'switch_mode', rawInput: { mode: 'default' }, content };
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  talk.says({ jsonrpc: '2.0', id: 101, method: 'session/request_permission', params: { toolCall, options } });
  expect(talk.last('permission.requested')!.input).toEqual({ mode: 'default', content });
});

test('[REQ-8] only the driver answers by the policy; a changed input is recorded as what the agent was given', () => {
  const { start, ask } = ASKERS[0]!;
  const talk = start();
  talk.says(ask(1, 'ls'));
  talk.command({ do: 'permission', request: 'r1', behavior: 'allow' }, 'policy', 'allow Bash ls');
  expect(talk.last('permission.resolved')).toMatchObject({ by: 'policy', who: 'allow Bash ls', name: 'Bash' });
  talk.says(ask(2, 'ls'));
  const answer = { do: 'permission', request: 'r2', behavior: 'allow', input: { command: 'pwd' } } as const;
  // A field of a client that claims to be a rule is not one of a command.
  talk.command({ ...answer, rule: 'x' } as never, 'eve');
  expect(talk.last('command.refused')).toMatchObject({ code: 'invalid', by: 'eve' });
  talk.command(answer, 'eve');
  expect(talk.last('permission.resolved')).toMatchObject({
    by: 'watcher',
    who: 'eve',
    input: { command: 'pwd' },
    isInputChanged: true,
  });
});

test('[REQ-41] the title of a tool that is not known is its input, not what its agent calls it', () => {
  const talk = ASKERS[0]!.start();
  const input = { description: 'List the files of the project', script: 'rm -rf ~' };
  const block = { type: 'tool_use', id: 'tool1', name: 'mcp__shell__run', input };
  talk.says({ type: 'assistant', message: { id: 'm1', role: 'assistant', content: [block] } });
  expect(talk.last('tool.started')!.title).toBe(
    'mcp__shell__run: script: rm -rf ~ · description: List the files of the project',
  );
  const edit = { type: 'tool_use', id: 'tool2', name: 'Edit', input: { file_path: '.env', command: 'ls' } };
  talk.says({ type: 'assistant', message: { id: 'm2', role: 'assistant', content: [edit] } });
  expect(talk.last('tool.started')!.title).toBe('Edit: .env');
});
