import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { AgentBody, Command } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { type JsonObject, objectOf } from '../../json-value.ts';
import { opencodeTerminal } from './dialect.ts';
import type { WatchedOpenCode } from './reports.ts';

const SESSION = 'ses_1';

interface Recording {
  readonly messages: readonly { readonly client: string; readonly message: JsonObject }[];
  readonly record: readonly { readonly role: string; readonly part: JsonObject }[];
}

/** The dialect, with a server that a test plays. */
class Watcher {
  state: WatchedOpenCode = opencodeTerminal.initial({});
  readonly events: AgentBody[] = [];
  /** The calls on the present connection that have no answer. */
  calls: JsonObject[] = [];
  at = 1000;
  #relay = '';
  #commands = 0;

  connect(relay: string): void {
    this.#relay = relay;
    this.calls = [];
    this.#line({ relay, connected: true });
    this.says({ type: 'server.connected', properties: {} });
  }

  says(message: unknown): void {
    this.#line({ relay: this.#relay, message });
  }

  /** Answers the first call that begins with this. */
  answers(http: string, status: number, body?: unknown): void {
    const at = this.calls.findIndex((call) => String(call.http).startsWith(http));
    expect(at, http).toBeGreaterThanOrEqual(0);
    const [call] = this.calls.splice(at, 1);
    this.says({ id: call!.id, http: call!.http, status, ...(body !== undefined && { body }) });
  }

  command(command: Command): void {
    this.#step({ type: 'command', command, id: `c${++this.#commands}`, by: 'someone', at: this.at });
  }

  of<K extends AgentBody['kind']>(kind: K): Extract<AgentBody, { kind: K }>[] {
    return this.events.filter((event): event is Extract<AgentBody, { kind: K }> => event.kind === kind);
  }

  /** Reports that the server has ended. */
  ends(): void {
    this.#line({ relay: this.#relay, gone: 'exited' });
  }

  get decided(): unknown[] {
    return this.of('permission.resolved').map(({ decision, by }) => [decision, by]);
  }

  #line(line: object): void {
    const text = JSON.stringify(line);
    this.#step({ type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1, at: this.at });
  }

  #step(input: Parameters<typeof opencodeTerminal.step>[1]): void {
    const { state, events, writes } = opencodeTerminal.step(this.state, input);
    this.state = state;
    this.events.push(...events);
    for (const write of writes) this.calls.push((JSON.parse(write) as { line: JsonObject }).line);
  }
}

const about = (type: string, properties: object): object => ({
  type,
  properties: { sessionID: SESSION, ...properties },
});
const status = (type: string): object => about('session.status', { status: { type } });
const tool = (state: object): object => ({
  type: 'tool',
  id: 'prt_1',
  messageID: 'msg_2',
  sessionID: SESSION,
  callID: 'call_1',
  tool: 'bash',
  state,
});
const user = about('message.updated', { info: { id: 'msg_1', role: 'user', sessionID: SESSION } });
const typed = about('message.part.updated', {
  part: { type: 'text', id: 'prt_0', messageID: 'msg_1', sessionID: SESSION, text: 'hello' },
});
const replied = (reply: string): object => about('permission.replied', { requestID: 'per_1', reply });

function asking(): Watcher {
  const watcher = new Watcher();
  watcher.connect('a');
  watcher.answers('GET /session', 200, []);
  watcher.says({
    type: 'session.created',
    properties: { info: { id: SESSION, version: '1.18.33', time: { created: 1 } } },
  });
  for (const each of [user, typed, status('busy')]) watcher.says(each);
  watcher.says(about('message.updated', { info: { id: 'msg_2', role: 'assistant', sessionID: SESSION } }));
  watcher.says(about('message.part.updated', { part: tool({ status: 'running', input: { command: 'touch x' } }) }));
  watcher.says(
    about('permission.asked', {
      id: 'per_1',
      permission: 'bash',
      metadata: { command: 'touch x' },
      tool: { callID: 'call_1' },
    }),
  );
  return watcher;
}

function answering(behavior: 'allow' | 'deny'): Watcher {
  const watcher = asking();
  const { digest } = watcher.of('permission.requested').at(-1)!;
  watcher.command({ do: 'permission', request: 'per_1', behavior, ...(digest !== undefined && { digest }) });
  return watcher;
}

test('[CHAN-3] a prompt that was sent before the connection is read from the record, also when the session is reported first', () => {
  const watcher = new Watcher();
  watcher.connect('a');
  const info = { id: SESSION, version: '1.18.33', time: { created: 1 } };
  watcher.says(about('session.updated', { info }));
  watcher.says(status('busy'));
  watcher.answers('GET /session', 200, [info]); // the session is known by now
  watcher.answers(`GET /session/${SESSION}/message`, 200, [
    {
      info: { id: 'msg_1', role: 'user', sessionID: SESSION },
      parts: [{ type: 'text', id: 'prt_0', messageID: 'msg_1', sessionID: SESSION, text: 'hello' }],
    },
  ]);
  watcher.says(typed);
  expect(watcher.of('turn.started')).toHaveLength(1);
  expect(watcher.of('prompt')).toMatchObject([{ state: 'echo', content: [{ type: 'text', text: 'hello' }] }]);
});

test('[CHAN-4] the events of a recorded run are those of the record, also after a reconnect', () => {
  const file = join(import.meta.dirname, '../../testing/fixtures/opencode-terminal.json.br');
  const { messages, record } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Recording;
  const watcher = new Watcher();
  let client = '';
  for (const each of messages) {
    if (each.client !== client) watcher.connect((client = each.client));
    if (each.message.type !== 'server.connected') watcher.says(each.message);
  }
  const texts = (kind: string, role: string): unknown[] =>
    record.flatMap((one) => (one.role === role && one.part.type === kind ? [one.part.text] : []));
  expect(watcher.of('message.done').map(({ text }) => text)).toEqual(texts('text', 'assistant'));
  expect(watcher.of('prompt').map(({ content }) => objectOf(content?.[0]).text)).toEqual(texts('text', 'user'));
  const tools = record.flatMap(({ part }) => (part.type === 'tool' ? [[part.callID, objectOf(part.state).input]] : []));
  const started = new Map(watcher.of('tool.started').map((event) => [event.tool, event]));
  const given = new Map(watcher.of('tool.input').map((event) => [event.tool, event]));
  expect(watcher.of('tool.ended').map(({ tool: id }) => [id, given.get(id)?.input ?? started.get(id)?.input])).toEqual(
    tools,
  );
  expect(watcher.decided).toEqual([
    ['allow', 'terminal'],
    ['allow', 'terminal'],
    ['deny', 'terminal'],
    ['allow', 'terminal'],
    ['allow', 'terminal'],
  ]);
});

test('[CHAN-5] the answer to a reply says who was first, in whatever order it comes with the report', () => {
  const ours = answering('allow');
  expect(ours.decided).toEqual([]);
  ours.says(replied('once'));
  expect(ours.decided).toEqual([]);
  ours.answers('POST /permission/per_1/reply', 200, true);
  expect(ours.decided).toEqual([['allow', 'watcher']]);

  const early = answering('deny');
  early.answers('POST /permission/per_1/reply', 200, true);
  early.says(replied('reject'));
  expect(early.decided).toEqual([['deny', 'watcher']]);

  for (const isReportFirst of [true, false]) {
    const theirs = answering('deny');
    if (isReportFirst) theirs.says(replied('once'));
    theirs.answers('POST /permission/per_1/reply', 404, {});
    if (!isReportFirst) theirs.says(replied('once'));
    expect(theirs.decided).toEqual([['allow', 'terminal']]);
    expect(theirs.of('command.refused')).toMatchObject([{ command: 'c1', code: 'already-resolved' }]);
  }
});

/** The reports of the server once a request is answered, in their order. */
const afterReply = (reply: string): object[] => {
  const input = { command: 'touch x' };
  const end =
    reply === 'reject'
      ? { status: 'error', input, error: 'The user rejected permission to use this tool.' }
      : { status: 'completed', input, output: '', metadata: { exit: 0 } };
  return [replied(reply), about('message.part.updated', { part: tool(end) }), about('session.idle', {})];
};
const BEHAVIORS = ['allow', 'deny'] as const;
const REPLIES = { allow: 'once', deny: 'reject' };

/** Every answer of a client beside every one in the terminal, and the number of reports that come first. */
const RACES = BEHAVIORS.flatMap((ours) =>
  BEHAVIORS.flatMap((theirs) => [0, 1, 2, 3].map((reports) => ({ ours, theirs, reports }))),
);

test.each(RACES)(
  '[CHAN-43] $ours by a client and $theirs in the terminal have one outcome ($reports of 3 reports come before the answer to the reply)',
  ({ ours, theirs, reports }) => {
    for (const isOurs of [true, false]) {
      const watcher = answering(ours);
      const decision = isOurs ? ours : theirs;
      const stream = afterReply(REPLIES[decision]);
      for (const each of stream.slice(0, reports)) watcher.says(each);
      watcher.answers('POST /permission/per_1/reply', isOurs ? 200 : 404, {});
      for (const each of stream.slice(reports)) watcher.says(each);
      expect(watcher.decided).toEqual([[decision, isOurs ? 'watcher' : 'terminal']]);
      expect(watcher.of('command.refused').map(({ code }) => code)).toEqual(isOurs ? [] : ['already-resolved']);
      expect(watcher.of('tool.ended').map(({ status: how }) => how)).toEqual([decision === 'allow' ? 'ok' : 'denied']);
      expect(watcher.of('turn.ended')).toHaveLength(1);
      const kinds = watcher.events.map(({ kind }) => kind);
      expect(kinds.indexOf('permission.resolved')).toBeLessThan(kinds.indexOf('tool.ended'));
    }
  },
);

test.each(RACES.filter(({ reports }) => reports > 0))(
  '[CHAN-43] if the answer to a reply never comes, the report decides ($ours by a client, $theirs in the terminal, $reports of 3 reports)',
  ({ ours, theirs, reports }) => {
    const lose: ((watcher: Watcher) => void)[] = [
      (watcher) => watcher.connect('b'),
      (watcher) => watcher.ends(),
      (watcher) => watcher.answers('POST /permission/per_1/reply', 502, {}),
      (watcher) => {
        for (let at = 0; at < 100; at++) watcher.says(about('todo.updated', { todos: [] }));
      },
      (watcher) => {
        watcher.at += 60_000;
        watcher.says(about('todo.updated', { todos: [] }));
      },
    ];
    for (const loses of lose) {
      const watcher = answering(ours);
      for (const each of afterReply(REPLIES[theirs]).slice(0, reports)) watcher.says(each);
      loses(watcher);
      expect(watcher.decided).toEqual([[theirs, ours === theirs ? 'watcher' : 'terminal']]);
      expect(watcher.of('command.refused')).toHaveLength(ours === theirs ? 0 : 1);
    }
  },
);

test.each(BEHAVIORS)('[CHAN-43] if the report is lost too, the end of the tool decides: %s', (theirs) => {
  for (const isLateKnown of [true, false]) {
    const watcher = answering('allow');
    if (isLateKnown) watcher.answers('POST /permission/per_1/reply', 404, {});
    watcher.connect('b');
    const [, end] = afterReply(REPLIES[theirs]) as [object, { properties: { part: object } }];
    const { part } = end.properties;
    watcher.answers(`GET /session/${SESSION}/message`, 200, [
      { info: { id: 'msg_2', role: 'assistant', sessionID: SESSION }, parts: [part] },
    ]);
    expect(watcher.decided).toEqual([[theirs, theirs === 'allow' && !isLateKnown ? 'watcher' : 'terminal']]);
  }
});

test('[CHAN-43] an unknown message that waited for the answer to a reply is kept', () => {
  const watcher = answering('allow');
  watcher.says(replied('once'));
  watcher.says(about('never.heard.of', {}));
  expect(watcher.of('raw')).toEqual([]);
  watcher.answers('POST /permission/per_1/reply', 200, true);
  expect(watcher.of('raw')).toMatchObject([{ type: 'never.heard.of' }]);
});

test('[CHAN-3] an answer that a lost connection may have kept is given again, and the request is asked once', () => {
  const watcher = answering('allow');
  watcher.connect('b');
  const asked = {
    id: 'per_1',
    sessionID: SESSION,
    permission: 'bash',
    metadata: { command: 'touch x' },
    tool: { callID: 'call_1' },
  };
  watcher.answers('GET /permission', 200, [asked]);
  watcher.answers('POST /permission/per_1/reply', 200, true);
  expect(watcher.of('permission.requested')).toHaveLength(1);
  expect(watcher.decided).toEqual([['allow', 'watcher']]);
});

test('[CHAN-3] a request that waits over a new connection stays open, although the record shows more of its tool by then', () => {
  const watcher = asking();
  watcher.connect('b');
  const part = tool({ status: 'running', input: { command: 'touch x', description: 'makes x' } });
  watcher.answers(`GET /session/${SESSION}/message`, 200, [
    { info: { id: 'msg_2', role: 'assistant', sessionID: SESSION }, parts: [part] },
  ]);
  const metadata = { command: 'touch x' };
  const waiting = { id: 'per_1', sessionID: SESSION, permission: 'bash', metadata, tool: { callID: 'call_1' } };
  watcher.answers('GET /permission', 200, [waiting]);
  expect(watcher.calls.filter(({ http }) => String(http).startsWith('POST '))).toEqual([]);
  expect(watcher.of('permission.requested')).toHaveLength(1);
});

test('[CHAN-3] what was missed between two connections is read from the record, each once', () => {
  const watcher = asking();
  watcher.connect('b');
  const message = (id: string, role: string, ...parts: object[]): object => ({
    info: { id, role, sessionID: SESSION },
    parts,
  });
  const text = (id: string, messageID: string, words: string): object => ({
    type: 'text',
    id,
    messageID,
    sessionID: SESSION,
    text: words,
    time: { end: 1 },
  });
  watcher.answers(`GET /session/${SESSION}/message`, 200, [
    message('msg_1', 'user', text('prt_0', 'msg_1', 'hello')),
    message(
      'msg_2',
      'assistant',
      tool({ status: 'completed', input: { command: 'touch x' }, output: '', metadata: { exit: 0 } }),
    ),
    message('msg_3', 'assistant', text('prt_3', 'msg_3', 'It is done.')),
    message('msg_4', 'user', text('prt_4', 'msg_4', 'again')),
    message('msg_5', 'assistant', text('prt_5', 'msg_5', 'Once more.')),
  ]);
  watcher.answers('GET /permission', 200, []);
  watcher.answers('GET /session/status', 200, {});
  watcher.answers(`GET /session/${SESSION}/message`, 200, []);
  watcher.answers('GET /session/status', 200, {});
  expect(watcher.of('message.done').map(({ text: words }) => words)).toEqual(['It is done.', 'Once more.']);
  expect(watcher.of('prompt').map(({ content }) => objectOf(content?.[0]).text)).toEqual(['hello', 'again']);
  expect(watcher.of('turn.ended')).toHaveLength(2);
  expect(watcher.of('tool.ended')).toHaveLength(1);
  expect(watcher.decided).toHaveLength(1);
});

test('[CHAN-4] another session is followed when the terminal works in it, and one of a subagent is not', () => {
  const watcher = asking();
  watcher.says(replied('once'));
  watcher.says(about('session.idle', {}));
  watcher.says({ type: 'session.created', properties: { info: { id: 'ses_9', parentID: SESSION } } });
  watcher.says({ type: 'session.status', properties: { sessionID: 'ses_9', status: { type: 'busy' } } });
  expect(watcher.state.session).toBe(SESSION);
  watcher.says({ type: 'session.updated', properties: { info: { id: 'ses_5', title: 'older' } } });
  expect(watcher.state.session).toBe(SESSION);
  watcher.says({ type: 'session.created', properties: { info: { id: 'ses_2' } } });
  expect(watcher.state.session).toBe('ses_2');
});
