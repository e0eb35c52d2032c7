// oxlint-disable typescript/no-explicit-any -- what is written for a hook is read as the hook would read it
import { expect, test } from 'vitest';
import { CHANNEL_DIALECTS } from '../../dialects.ts';
import { Conversation } from '../../testing/conversation.ts';

const ASK = { tool_name: 'Bash', tool_input: { command: 'ls', description: 'look' } };
const HOOK = 'aaaaaaaaaaaaaaaa';

/** Claude in a terminal, by what its channel says. */
class Channel extends Conversation {
  #position = 0;

  constructor() {
    super('claude', {}, CHANNEL_DIALECTS.claude);
    this.hook('SessionStart', { session_id: 's', source: 'startup', model: 'm', cwd: '/project' });
  }

  hook(name: string, input: object = {}, more: object = {}): any[] {
    return this.says({
      hook: HOOK,
      at: 1,
      parent: 7,
      isHeld: false,
      input: { hook_event_name: name, ...input },
      ...more,
    });
  }

  transcript(line: object, file = 's.jsonl'): any[] {
    const from = this.#position;
    this.#position += 10;
    return this.says({ file, from, to: this.#position, line });
  }

  /** Begins a turn in which a command is to be allowed. */
  asks(): void {
    this.hook('UserPromptSubmit', { prompt: 'please', prompt_id: 'p1' });
    this.says({ status: { status: 'busy' } });
    this.hook('PreToolUse', { ...ASK, tool_use_id: 't1' });
    this.hook('PermissionRequest', ASK, { isHeld: true });
    this.says({ status: { status: 'waiting' } });
  }

  meanings(): string[] {
    return this.events.map(({ kind }) => kind).filter((kind) => kind !== 'status' && kind !== 'usage');
  }

  override last(kind: string): any {
    return this.events.findLast((event) => event.kind === kind);
  }
}

const USER = { type: 'user', promptId: 'p1', message: { content: 'please' } };
const RESULT = {
  type: 'user',
  promptId: 'p1',
  message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
};
const text = (id: string, words: string) => ({
  type: 'assistant',
  message: { id, content: [{ type: 'text', text: words }] },
});
const call = (id: string) => ({
  type: 'assistant',
  message: {
    id,
    content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { description: 'look', command: 'ls' } }],
  },
});
const ALLOW = { do: 'permission', request: HOOK, behavior: 'allow' } as const;

test('[CHAN-4] a turn has the prompt, texts, tools and results of the transcript, each once', () => {
  const channel = new Channel();
  channel.asks();
  channel.transcript(USER);
  channel.transcript(text('m1', 'I look.'));
  channel.transcript(call('m1'));
  channel.command(ALLOW);
  channel.says({ took: HOOK, at: 2 });
  channel.transcript(RESULT);
  channel.transcript(text('m2', 'It is done.'));
  channel.hook('Stop');
  channel.transcript({ type: 'system', subtype: 'turn_duration', durationMs: 5 });
  expect(channel.meanings()).toEqual([
    'session.started',
    'turn.started',
    'tool.started',
    'permission.requested',
    'message.delta',
    'message.done',
    'tool.input',
    'permission.resolved',
    'tool.ended',
    'message.delta',
    'message.done',
    'turn.ended',
  ]);
  expect(channel.last('turn.ended')).toMatchObject({ outcome: 'completed', text: 'It is done.', durationMs: 5 });
});

test('[CHAN-3] a line of the transcript that two drivers have recorded is taken once', () => {
  const channel = new Channel();
  channel.says({ file: 's.jsonl', from: 0, to: 10, line: USER });
  channel.says({ file: 's.jsonl', from: 10, to: 20, line: text('m1', 'Hello.') });
  const before = channel.events.length;
  channel.says({ file: 's.jsonl', from: 0, to: 10, line: USER });
  channel.says({ file: 's.jsonl', from: 10, to: 20, line: text('m1', 'Hello.') });
  expect(channel.events.length).toBe(before);
});

test('[CHAN-5] an answer counts when the hook has given it; the second client learns who was first', () => {
  const channel = new Channel();
  channel.asks();
  const [written] = channel.command(ALLOW, 'ann');
  expect(JSON.parse(written.output)).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'allow', updatedInput: ASK.tool_input },
    },
  });
  expect(channel.last('permission.resolved')).toBeUndefined();
  channel.command({ ...ALLOW, behavior: 'deny' }, 'ben');
  expect(channel.last('command.refused')).toMatchObject({
    code: 'already-resolved',
    by: 'ben',
    message: expect.stringContaining('ann'),
  });
  channel.says({ took: HOOK, at: 2 });
  expect(channel.last('permission.resolved')).toMatchObject({ decision: 'allow', by: 'watcher', who: 'ann' });
});

test('[CHAN-5] a refusal in the terminal is first if the hook was ended, and the client is told', () => {
  const channel = new Channel();
  channel.asks();
  channel.command(ALLOW, 'ann');
  channel.says({ cancelled: HOOK, at: 2 });
  expect(channel.last('permission.resolved')).toMatchObject({ decision: 'deny', by: 'terminal' });
  expect(channel.last('command.refused')).toMatchObject({
    code: 'already-resolved',
    message: expect.stringContaining('terminal'),
  });
});

test('[CHAN-5] allowing in the terminal resolves the request, at once or when its tool has run, and ends the hook', () => {
  for (const allowed of [
    (channel: Channel) => channel.says({ status: { status: 'busy' } }),
    (channel: Channel) => channel.hook('PostToolUse', { ...ASK, tool_use_id: 't1', tool_response: {} }),
  ]) {
    const channel = new Channel();
    channel.asks();
    expect(allowed(channel)).toEqual([{ answer: HOOK, output: '' }]);
    expect(channel.last('permission.resolved')).toMatchObject({ decision: 'allow', by: 'terminal', tool: 't1' });
  }
});

test('[CHAN-5, CHAN-42] a refusal counts when the result of its tool shows it: the terminal may have allowed just before', () => {
  const refused = { ...RESULT, toolDenialKind: 'user_rejected' };
  const interrupted = {
    type: 'user',
    message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
  };
  for (const [shown, outcome, by] of [
    [(channel: Channel) => channel.transcript(refused), 'deny', 'watcher'],
    [(channel: Channel) => channel.transcript(interrupted), 'deny', 'watcher'],
    [(channel: Channel) => channel.transcript(RESULT), 'allow', 'terminal'],
    [
      (channel: Channel) => channel.hook('PostToolUse', { ...ASK, tool_use_id: 't1', tool_response: {} }),
      'allow',
      'terminal',
    ],
  ] as const) {
    const channel = new Channel();
    channel.asks();
    channel.command({ do: 'permission', request: HOOK, behavior: 'deny' }, 'ann');
    channel.says({ took: HOOK, at: 2 });
    expect(channel.last('permission.resolved')).toBeUndefined();
    shown(channel);
    expect(channel.last('permission.resolved')).toMatchObject({ decision: outcome, by });
    expect(channel.last('command.refused') !== undefined).toBe(by === 'terminal');
  }
});

test('[CHAN-8] a request that no hook holds is left to the terminal', () => {
  const channel = new Channel();
  channel.hook('UserPromptSubmit', { prompt: 'please', prompt_id: 'p1' });
  channel.hook('PermissionRequest', { ...ASK, agent_id: 'a' }, { isHeld: false });
  expect(channel.last('permission.requested')).toBeUndefined();
});

test('[CHAN-4] an interrupted turn ends, with and without a trace in the transcript', () => {
  const silent = new Channel();
  silent.hook('UserPromptSubmit', { prompt: 'please', prompt_id: 'p1' });
  silent.says({ status: { status: 'idle' } }); // of the turn before
  expect(silent.last('turn.ended')).toBeUndefined();
  silent.says({ status: { status: 'busy' } });
  silent.says({ status: { status: 'idle' } });
  expect(silent.last('turn.ended')).toMatchObject({ outcome: 'interrupted' });
  const told = new Channel();
  told.asks();
  told.says({ cancelled: HOOK, at: 2 });
  told.transcript({
    type: 'user',
    message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] },
  });
  expect(told.last('turn.ended')).toMatchObject({ outcome: 'interrupted' });
});
