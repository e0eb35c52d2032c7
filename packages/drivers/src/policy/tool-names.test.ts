/** Names of tools come from the protocol. A model chooses titles and descriptions; no rule may match them. */
import { expect, test } from 'vitest';
import { Conversation } from '../testing/conversation.ts';
import type { Policy } from './policy.ts';
import { policyCommand } from './request.ts';
import { fakeFiles } from './testing/fake-files.ts';

const ALLOW_READ: Policy = {
  rules: [
    { decision: 'allow', tool: 'Read' },
    { decision: 'allow', tool: 'read_file' },
    { decision: 'allow', tool: 'read' },
    { decision: 'allow', tool: 'execute', command: 'ls *' },
  ],
};

/** Returns the policy's answer to a request over ACP. */
function answered(
  toolCall: object,
  { agent = 'copilot', before }: { agent?: string; before?: object } = {},
): { behavior: string | undefined; name: string | undefined } {
  const talk = new Conversation('acp');
  const [initialize] = talk.started();
  const result = { protocolVersion: 1, agentInfo: { name: agent, version: '1' } };
  const [create] = talk.says({ jsonrpc: '2.0', id: initialize.id, result });
  talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } });
  talk.prompt('go', 'p1');
  if (before) talk.says({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: before } });
  const params = { sessionId: 's1', toolCall: { toolCallId: 't1', ...toolCall }, options: [] };
  talk.says({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params });
  const event = talk.last('permission.requested')!;
  return { behavior: policyCommand(ALLOW_READ, event, '/project', fakeFiles())?.command.behavior, name: event.name };
}

test('[POL-7] an ACP request is known by its kind and its raw input, never by its title', () => {
  const touch = { kind: 'execute', rawInput: { command: 'touch made', description: 'Read' } };
  expect(answered({ title: 'Read', ...touch })).toEqual({ behavior: undefined, name: 'execute' });
  expect(answered({ title: 'Read', rawInput: { command: 'touch made' } }).behavior).toBeUndefined();
  expect(answered({ title: 'Read', kind: 'execute' }).behavior).toBeUndefined();
  expect(answered({ title: 'ls -l', kind: 'execute' }).behavior).toBeUndefined();
  expect(answered({ title: 'anything', kind: 'execute', rawInput: { command: 'ls -l' } }).behavior).toBe('allow');
  expect(answered({ title: 'ls', kind: 'execute', rawInput: { command: 'ls; rm x' } }).behavior).toBeUndefined();
  expect(answered({ title: 'x', kind: 'read', rawInput: { path: '/project/a' } })).toEqual({
    behavior: 'allow',
    name: 'read',
  });
});

test('[POL-7] a call that was announced as something else is what the request says', () => {
  const before = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Read', kind: 'read', status: 'pending' };
  const asks = { kind: 'execute', rawInput: { command: 'touch made' } };
  expect(answered(asks, { before })).toEqual({ behavior: undefined, name: 'execute' });
  expect(answered({ rawInput: { command: 'touch made' } }, { before }).behavior).toBeUndefined();
  // OpenCode's first title is shown as a name, and no more than that.
  expect(answered(asks, { before, agent: 'OpenCode' })).toEqual({ behavior: undefined, name: 'execute' });
  expect(answered({ rawInput: { path: '/a' } }, { before, agent: 'OpenCode' })).toEqual({ behavior: undefined });
});

test('[POL-7] a command of Gemini that is known by its title alone is never allowed, and may be denied', () => {
  const call = { toolCallId: 'run_shell_command__1', kind: 'execute', title: 'ls -l' };
  const gemini: Policy = { rules: [{ decision: 'allow', tool: 'run_shell_command', command: 'ls *' }] };
  const talk = new Conversation('gemini');
  const [initialize] = talk.started();
  const result = { protocolVersion: 1, agentInfo: { name: 'gemini-cli', version: '0.61.0' } };
  const [create] = talk.says({ jsonrpc: '2.0', id: initialize.id, result });
  talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } });
  talk.prompt('go', 'p1');
  const params = { sessionId: 's1', toolCall: call, options: [] };
  talk.says({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params });
  const event = talk.last('permission.requested')!;
  expect(event).toMatchObject({ name: 'run_shell_command', input: { command: 'ls -l' } });
  expect(policyCommand(gemini, event, '/p', fakeFiles())).toBeUndefined();
  const deny: Policy = { rules: [{ decision: 'deny', command: 'ls *' }] };
  expect(policyCommand(deny, event, '/p', fakeFiles())).toMatchObject({ command: { behavior: 'deny' } });
});

test('[POL-7] a list of words of Codex is not read as another line', () => {
  const asks = (command: unknown) => {
    const talk = new Conversation('codex');
    talk.started();
    talk.says({ id: 7, method: 'execCommandApproval', params: { callId: 'c1', command, cwd: '/p' } });
    const event = talk.last('permission.requested')!;
    const policy: Policy = { rules: [{ decision: 'allow', tool: 'shell', command: 'echo *' }] };
    return [event.title, policyCommand(policy, event, '/p', fakeFiles())?.command.behavior];
  };
  expect(asks(['echo', 'a b'])).toEqual(["echo 'a b'", 'allow']);
  expect(asks(['echo', 'a; rm x'])).toEqual(["echo 'a; rm x'", 'allow']);
  expect(asks(['echo a; rm x'])).toEqual(["'echo a; rm x'", undefined]);
  expect(asks(['bash', '-lc', "echo 'a b'"])).toEqual([String.raw`bash -lc 'echo '\''a b'\'''`, 'allow']);
  expect(asks(['bash', '-lc', 'echo a; rm x'])).toEqual(["bash -lc 'echo a; rm x'", undefined]);
});
