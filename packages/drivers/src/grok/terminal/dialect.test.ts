import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { AgentBody, Command } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { type JsonObject, objectOf } from '../../json-value.ts';
import { grokTerminal, type WatchedGrok } from './dialect.ts';

const SESSION = 'session-1';

interface Recording {
  readonly messages: readonly { readonly client: string; readonly message: JsonObject }[];
  readonly record: {
    readonly texts: readonly string[];
    readonly tools: readonly (readonly [string, string])[];
    readonly prompts: readonly string[];
  };
}

/** The dialect, with a leader that a test plays. */
class Watcher {
  state: WatchedGrok = grokTerminal.initial({ cwd: '/project' });
  readonly events: AgentBody[] = [];
  sent: JsonObject[] = [];
  #relay = '';
  #commands = 0;

  connect(relay: string): void {
    this.#relay = relay;
    this.sent = [];
    this.#line({ relay, connected: true });
  }

  says(message: unknown): void {
    this.#line({ relay: this.#relay, message });
  }

  /** Answers the last request with this method. */
  answers(method: string, result: unknown): void {
    this.says({ jsonrpc: '2.0', id: this.asked(method)!.id, result });
  }

  asked(method: string): JsonObject | undefined {
    return this.sent.findLast((message) => message.method === method);
  }

  update(number: number, update: object, more: object = {}): void {
    const _meta = { eventId: `${SESSION}-${number}`, ...more };
    this.says({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update, _meta } });
  }

  command(command: Command): void {
    this.#step({ type: 'command', command, id: `c${++this.#commands}`, by: 'someone', at: 1000 });
  }

  of<K extends AgentBody['kind']>(kind: K): Extract<AgentBody, { kind: K }>[] {
    return this.events.filter((event): event is Extract<AgentBody, { kind: K }> => event.kind === kind);
  }

  get decided(): unknown[] {
    return this.of('permission.resolved').map(({ decision, by }) => [decision, by]);
  }

  #line(line: object): void {
    const text = JSON.stringify(line);
    this.#step({ type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1, at: 1000 });
  }

  #step(input: Parameters<typeof grokTerminal.step>[1]): void {
    const { state, events, writes } = grokTerminal.step(this.state, input);
    this.state = state;
    this.events.push(...events);
    for (const write of writes) this.sent.push((JSON.parse(write) as { line: JsonObject }).line);
  }
}

const INITIALIZED = {
  protocolVersion: 1,
  agentCapabilities: { loadSession: true },
  agentInfo: { name: 'grok', version: '1.0.41' },
};
const call = (rest: object): object => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'call-1',
  title: 'run',
  kind: 'execute',
  rawInput: { command: 'touch x' },
  ...rest,
});
const request = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: SESSION,
    toolCall: { toolCallId: 'call-1', kind: 'execute', title: 'run', rawInput: { command: 'touch x' } },
    options: [
      { optionId: 'enable-always-approve', name: "Yes, and don't ask again for anything", kind: 'allow_once' },
      { optionId: 'allow-once', name: 'Yes, proceed', kind: 'allow_once' },
      { optionId: 'reject-once', name: 'No', kind: 'reject_once' },
    ],
  },
});
const resolved = {
  jsonrpc: '2.0',
  method: '_x.ai/session_notification',
  params: { sessionId: SESSION, update: { sessionUpdate: 'interaction_resolved', tool_call_id: 'call-1' } },
};

function asking(): Watcher {
  const watcher = new Watcher();
  watcher.connect('a');
  watcher.answers('initialize', INITIALIZED);
  const upserted = [{ sessionId: SESSION, activity: 'working' }];
  watcher.says({ jsonrpc: '2.0', method: '_x.ai/sessions/changed', params: { upserted } });
  watcher.answers('session/load', { models: { currentModelId: 'm' } });
  watcher.update(1, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'please' } });
  watcher.update(2, call({ sessionUpdate: 'tool_call' }));
  watcher.says(request(0));
  return watcher;
}

function answering(behavior: 'allow' | 'deny'): Watcher {
  const watcher = asking();
  const { digest } = watcher.of('permission.requested').at(-1)!;
  watcher.command({ do: 'permission', request: '0', behavior, ...(digest !== undefined && { digest }) });
  return watcher;
}

test('[CHAN-4] the events of a recorded run are those of the record, also after a reconnect', () => {
  const file = join(import.meta.dirname, '../../testing/fixtures/grok-terminal.json.br');
  const { messages, record } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Recording;
  const watcher = new Watcher();
  let client = '';
  for (const { client: name, message } of messages) {
    if (name !== client) watcher.connect((client = name));
    const result = objectOf(message.result);
    if (message.method !== undefined) watcher.says(message);
    else if (result.protocolVersion !== undefined) watcher.answers('initialize', result);
    else if (result.models !== undefined && watcher.asked('session/load')) watcher.answers('session/load', result);
  }
  const said = watcher.of('message.done').map(({ text }) => text);
  expect(said.slice(0, record.texts.length)).toEqual(record.texts); // the leader was killed before it recorded the last one
  expect(watcher.of('turn.started').map(({ prompt }) => objectOf(prompt?.[0]).text)).toEqual(record.prompts);
  expect(watcher.of('tool.ended').map(({ tool }) => tool)).toEqual(record.tools.map(([id]) => id));
  expect(watcher.decided).toEqual([
    ['allow', 'terminal'],
    ['allow', 'terminal'],
    ['deny', 'terminal'],
    ['allow', 'terminal'],
  ]);
});

test('[CHAN-5] the answer counts whose outcome shows, and "always" is never chosen as a plain allow', () => {
  const ours = answering('allow');
  expect(ours.sent.at(-1)).toMatchObject({ id: 0, result: { outcome: { optionId: 'allow-once' } } });
  expect(ours.decided).toEqual([]);
  ours.says(resolved);
  ours.update(3, call({ status: 'in_progress' }));
  expect(ours.decided).toEqual([['allow', 'watcher']]);

  const theirs = answering('deny');
  theirs.says(resolved);
  theirs.update(3, call({ status: 'in_progress' }));
  expect(theirs.decided).toEqual([['allow', 'terminal']]);
  expect(theirs.of('command.refused')).toMatchObject([{ command: 'c1', code: 'already-resolved' }]);

  const refused = asking();
  refused.says(resolved);
  const content = [{ type: 'content', content: { type: 'text', text: 'User rejected the execution' } }];
  refused.update(3, call({ status: 'failed', content }));
  expect(refused.decided).toEqual([['deny', 'terminal']]);
  expect(refused.of('tool.ended')).toMatchObject([{ status: 'denied' }]);
});

test('[CHAN-3] after a reconnect an answer that may be lost is given again, and the request is asked once', () => {
  const watcher = answering('allow');
  watcher.connect('b');
  watcher.answers('initialize', INITIALIZED);
  watcher.answers('session/load', { models: { currentModelId: 'm' } });
  watcher.says(request(5));
  expect(watcher.sent.at(-1)).toMatchObject({ id: 5, result: { outcome: { optionId: 'allow-once' } } });
  watcher.update(3, call({ status: 'completed' }));
  expect(watcher.of('permission.requested')).toHaveLength(1);
  expect(watcher.decided).toEqual([['allow', 'watcher']]);
});

test('[CHAN-3] a history that is repeated is taken once, and a whole text replaces its beginning', () => {
  const watcher = asking();
  watcher.says(resolved);
  watcher.update(3, call({ status: 'completed' }));
  watcher.update(4, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'It is' } });
  watcher.connect('b');
  watcher.answers('initialize', INITIALIZED);
  const replay = { isReplay: true };
  watcher.update(1, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'please' } }, replay);
  watcher.update(3, call({ sessionUpdate: 'tool_call', status: 'completed' }), replay);
  watcher.update(6, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'It is done.' } }, replay);
  watcher.answers('session/load', { models: { currentModelId: 'm' } });
  watcher.says({
    jsonrpc: '2.0',
    method: '_x.ai/session_notification',
    params: { sessionId: SESSION, update: { sessionUpdate: 'turn_completed', stop_reason: 'end_turn' } },
  });
  expect(watcher.of('turn.started')).toHaveLength(1);
  expect(watcher.of('tool.ended')).toHaveLength(1);
  expect(watcher.of('message.done').at(-1)).toMatchObject({ text: 'It is done.' });
  expect(watcher.of('turn.ended')).toMatchObject([{ outcome: 'completed', text: 'It is done.' }]);
});
