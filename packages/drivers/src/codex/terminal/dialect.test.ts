import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { AgentBody, Command } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../json-value.ts';
import { codexTerminal } from './dialect.ts';
import type { WatchedState } from './state.ts';

const THREAD = 'thread-1';

interface Recording {
  readonly messages: readonly { readonly client: string; readonly message: JsonObject }[];
  readonly record: readonly JsonObject[];
}

/** The dialect, with a server that a test plays. */
class Watcher {
  state: WatchedState = codexTerminal.initial({});
  readonly events: AgentBody[] = [];
  /** The messages to the server on the present connection. */
  sent: JsonObject[] = [];
  relay = '';
  #commands = 0;

  connect(relay: string): void {
    this.relay = relay;
    this.sent = [];
    this.line({ relay, connected: true });
  }

  says(message: unknown, relay = this.relay): void {
    this.line({ relay, message });
  }

  line(line: object): void {
    const text = JSON.stringify(line);
    this.#step({ type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1, at: 1000 });
  }

  command(command: Command): void {
    this.#step({ type: 'command', command, id: `c${++this.#commands}`, by: 'someone', at: 1000 });
  }

  /** Answers the last request with this method. */
  answers(method: string, result: unknown): void {
    this.says({ id: this.asked(method)!.id, result });
  }

  asked(method: string): JsonObject | undefined {
    return this.sent.findLast((message) => message.method === method);
  }

  /** Joins the thread, which has these turns. */
  joins(relay: string, turns: readonly object[] = []): void {
    this.connect(relay);
    this.answers('initialize', { userAgent: 'codex-tui/0.169.0 (x)' });
    if (!this.asked('thread/resume')) this.says(status(THREAD, 'active'));
    this.answers('thread/resume', {
      thread: { id: THREAD, ephemeral: false, parentThreadId: null, createdAt: 1, cwd: '/' },
      model: 'm',
      initialTurnsPage: { data: turns },
    });
  }

  of<K extends AgentBody['kind']>(kind: K): Extract<AgentBody, { kind: K }>[] {
    return this.events.filter((event): event is Extract<AgentBody, { kind: K }> => event.kind === kind);
  }

  get digest(): string {
    return this.of('permission.requested').at(-1)!.digest!;
  }

  #step(input: Parameters<typeof codexTerminal.step>[1]): void {
    const { state, events, writes } = codexTerminal.step(this.state, input);
    this.state = state;
    this.events.push(...events);
    for (const write of writes) {
      const { relay, line } = JSON.parse(write) as { relay: string; line: JsonObject };
      expect(relay).toBe(this.relay);
      this.sent.push(line);
    }
  }
}

const status = (threadId: string, type: string): object => ({
  method: 'thread/status/changed',
  params: { threadId, status: { type, activeFlags: [] } },
});
const command = (rest: object): object => ({
  type: 'commandExecution',
  id: 'i1',
  command: 'touch x',
  cwd: '/',
  ...rest,
});
const request = (id = 7): object => ({
  method: 'item/commandExecution/requestApproval',
  id,
  params: { threadId: THREAD, turnId: 'n1', itemId: 'i1', command: 'touch x' },
});
const item = (method: string, rest: object): object => ({
  method,
  params: { threadId: THREAD, turnId: 'n1', item: command(rest) },
});
const resolved = { method: 'serverRequest/resolved', params: { threadId: THREAD, requestId: 7 } };
const turnStarted = { method: 'turn/started', params: { threadId: THREAD, turn: { id: 'n1', status: 'inProgress' } } };

function asking(): Watcher {
  const watcher = new Watcher();
  watcher.joins('a');
  watcher.says(turnStarted);
  watcher.says(item('item/started', { status: 'inProgress' }));
  watcher.says(request());
  return watcher;
}

const decided = (watcher: Watcher): unknown[] =>
  watcher.of('permission.resolved').map(({ decision, by }) => [decision, by]);

test('[CHAN-4] the events of a recorded run are those of the rollout file, also after a reconnect', () => {
  const file = join(import.meta.dirname, '../../testing/fixtures/codex-terminal.json.br');
  const { messages, record } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Recording;
  const watcher = new Watcher();
  const resumed = messages.filter(
    ({ message }) => 'result' in message && 'approvalPolicy' in (message.result as object),
  );
  let client = '';
  for (const each of messages) {
    if (each.client !== client) {
      client = each.client;
      watcher.connect(client);
      watcher.answers('initialize', { userAgent: 'codex-tui/0.169.0 (x)' });
    }
    if (each.message.method === undefined) {
      const answer = resumed.find((one) => one === each);
      if (answer && watcher.asked('thread/resume')) watcher.answers('thread/resume', answer.message.result);
    } else watcher.says(each.message);
  }
  const texts = record.flatMap(({ type, content }) =>
    type === 'AgentMessage' ? [(content as { text: string }[]).map(({ text }) => text).join('')] : [],
  );
  const said = watcher.of('message.done').map(({ text }) => text);
  expect(said).toEqual(texts);
  expect(said.length).toBeGreaterThan(8);
  const outputs = record.flatMap(({ type, id, aggregated_output: output }) =>
    type === 'CommandExecution' ? [[id, output]] : [],
  );
  const ran = watcher.of('tool.ended').filter(({ status: how, exitCode }) => how === 'ok' && exitCode !== undefined);
  expect(
    ran.map(({ tool, output = [] }) => [tool, output.map((part) => (part.type === 'text' ? part.text : '')).join('')]),
  ).toEqual(outputs);
  expect(decided(watcher).map((each) => (each as string[])[0])).toEqual(['allow', 'allow', 'deny', 'allow']);
});

test('[CHAN-4] threads that serve a turn, and requests that no client here can answer, are left alone', () => {
  const watcher = new Watcher();
  watcher.joins('a');
  const before = watcher.sent.length;
  watcher.says({ method: 'thread/started', params: { thread: { id: 'helper', ephemeral: true } } });
  watcher.says(status('helper', 'active'));
  watcher.says({ method: 'item/started', params: { threadId: 'helper', item: command({}) } });
  watcher.says({ method: 'item/tool/call', id: 9, params: { threadId: THREAD } });
  watcher.says({ ...request(), params: { threadId: 'helper', itemId: 'i9' } });
  expect(watcher.sent).toHaveLength(before);
  expect(watcher.of('tool.started')).toEqual([]);
  expect(watcher.of('permission.requested')).toEqual([]);
});

test('[CHAN-5] an answer counts when the server has taken it, and a terminal that was first is named', () => {
  const ours = asking();
  ours.command({ do: 'permission', request: '7', behavior: 'allow', digest: ours.digest });
  expect(ours.sent.at(-1)).toEqual({ id: 7, result: { decision: 'accept' } });
  expect(decided(ours)).toEqual([]);
  ours.says(resolved);
  ours.says(status(THREAD, 'active'));
  expect(decided(ours)).toEqual([['allow', 'watcher']]);

  const theirs = asking();
  theirs.command({ do: 'permission', request: '7', behavior: 'allow', digest: theirs.digest });
  theirs.says(resolved);
  theirs.says(item('item/completed', { status: 'declined' })); // it was refused, so the terminal was first
  expect(decided(theirs)).toEqual([['deny', 'terminal']]);
  expect(theirs.of('command.refused')).toMatchObject([{ command: 'c1', code: 'already-resolved' }]);

  const late = asking();
  late.says(resolved);
  late.says(status(THREAD, 'active'));
  late.command({ do: 'permission', request: '7', behavior: 'deny' });
  expect(decided(late)).toEqual([['allow', 'terminal']]);
  expect(late.of('command.refused')).toHaveLength(1);
});

test('[CHAN-5, CHAN-41] with two requests at once, the answer to one is confirmed while the other waits', () => {
  for (const [behavior, outcome, answer] of [
    ['allow', 'allow', ['allow', 'watcher']],
    ['deny', 'deny', ['deny', 'watcher']],
    ['deny', 'allow', ['allow', 'terminal']],
  ] as const) {
    const watcher = asking();
    const { digest } = watcher;
    const other = { ...command({ status: 'inProgress' }), id: 'i2' };
    watcher.says({ method: 'item/started', params: { threadId: THREAD, turnId: 'n1', item: other } });
    const second = { threadId: THREAD, turnId: 'n1', itemId: 'i2', command: 'touch y' };
    watcher.says({ method: 'item/commandExecution/requestApproval', id: 8, params: second });
    watcher.command({ do: 'permission', request: '7', behavior, digest });
    watcher.says(resolved); // the status of the thread stays: it waits for the other answer
    expect(decided(watcher)).toEqual([]);
    if (outcome === 'deny') watcher.says(item('item/completed', { status: 'declined' }));
    watcher.answers('thread/loaded/list', { data: [] });
    expect(decided(watcher)).toEqual([answer]);
    expect(Object.keys(watcher.state.ledger.asks)).toEqual(['8']);
  }
});

test('[CHAN-5, CHAN-41] a refusal counts although the end of its tool is not reported to a client that joined late', () => {
  for (const goesOn of [
    { method: 'item/started', params: { threadId: THREAD, item: { type: 'agentMessage', id: 'm9' } } },
    { method: 'turn/completed', params: { threadId: THREAD, turn: { id: 'n1', status: 'completed' } } },
  ]) {
    const watcher = new Watcher();
    watcher.joins('a');
    watcher.says(turnStarted);
    watcher.says(request()); // repeated to this client; the beginning of its tool is not
    watcher.command({ do: 'permission', request: '7', behavior: 'deny' });
    watcher.says(resolved);
    watcher.says(status(THREAD, 'active'));
    expect(decided(watcher)).toEqual([]);
    watcher.says(goesOn);
    expect(decided(watcher)).toEqual([['deny', 'watcher']]);
    expect(watcher.of('tool.ended')).toMatchObject([{ status: 'denied' }]);
  }
});

test('[CHAN-3] after a reconnect an answer that may be lost is given again, and the request is asked once', () => {
  const watcher = asking();
  watcher.command({ do: 'permission', request: '7', behavior: 'allow', digest: watcher.digest });
  const running = { id: 'n1', status: 'inProgress', items: [command({ status: 'inProgress' })] };
  watcher.joins('b', [running]);
  watcher.says(request());
  expect(watcher.sent.at(-1)).toEqual({ id: 7, result: { decision: 'accept' } });
  watcher.says(resolved);
  watcher.says(item('item/completed', { status: 'completed', exitCode: 0 }));
  expect(watcher.of('permission.requested')).toHaveLength(1);
  expect(decided(watcher)).toEqual([['allow', 'watcher']]);
});

test('[CHAN-3] what was missed between two connections is taken once, also an answer in the terminal', () => {
  const watcher = asking();
  const done = { id: 'm1', type: 'agentMessage', text: 'It is done.' };
  watcher.joins('b', [{ id: 'n1', status: 'completed', items: [command({ status: 'completed', exitCode: 0 }), done] }]);
  watcher.says(item('item/completed', { status: 'completed', exitCode: 0 }));
  watcher.says({ method: 'turn/completed', params: { threadId: THREAD, turn: { id: 'n1', status: 'completed' } } });
  expect(decided(watcher)).toEqual([['allow', 'terminal']]);
  expect(watcher.of('tool.ended')).toHaveLength(1);
  expect(watcher.of('message.done')).toMatchObject([{ text: 'It is done.' }]);
  expect(watcher.of('turn.ended')).toHaveLength(1);
  expect(watcher.of('turn.started')).toHaveLength(1);

  const running = asking();
  running.joins('b', [{ id: 'n1', status: 'inProgress', items: [command({ status: 'inProgress' })] }]);
  running.answers('thread/loaded/list', { data: [] }); // the request was not repeated before this
  expect(decided(running)).toEqual([['allow', 'terminal']]);
});

test('[CHAN-3] lines of a connection that was replaced are not taken', () => {
  const watcher = asking();
  watcher.joins('b', [{ id: 'n1', status: 'inProgress', items: [command({ status: 'inProgress' })] }]);
  watcher.says(item('item/completed', { status: 'completed' }), 'a');
  expect(watcher.of('tool.ended')).toEqual([]);
});

test('[CHAN-3] a prompt that the server did not confirm is sent again, unless its turn is listed', () => {
  for (const isListed of [false, true]) {
    const watcher = new Watcher();
    watcher.joins('a');
    watcher.command({ do: 'prompt', clientId: 'p1', content: [{ type: 'text', text: 'hello' }] });
    expect(watcher.asked('turn/start')).toMatchObject({ params: { threadId: THREAD, clientUserMessageId: 'p1' } });
    const message = { type: 'userMessage', id: 'u1', clientId: 'p1', content: [{ type: 'text', text: 'hello' }] };
    watcher.joins('b', isListed ? [{ id: 'n2', status: 'inProgress', items: [message] }] : []);
    expect(watcher.asked('turn/start') === undefined).toBe(isListed);
    expect(watcher.of('turn.started')).toHaveLength(1);
  }
});

test('[CHAN-9] a server that is gone ends what is open, and no command waits for it', () => {
  const watcher = asking();
  watcher.line({ relay: '', gone: 'connect ECONNREFUSED' });
  expect(watcher.of('fault')).toMatchObject([{ error: { code: 'server-gone' } }]);
  expect(watcher.of('turn.ended')).toMatchObject([{ outcome: 'failed' }]);
  expect(watcher.state.ledger.asks).toEqual({});
  watcher.command({ do: 'interrupt' });
  expect(watcher.of('command.refused')).toMatchObject([{ code: 'input-closed' }]);
});
