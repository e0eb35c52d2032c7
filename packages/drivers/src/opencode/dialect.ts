/**
 * OpenCode: the events of `opencode serve` and calls of its HTTP interface, the lines of `opencode run --format json`, or ACP. Known
 * from version 1.18.33. A line to write is a call, `{"id", "http": "POST /session", "body"}`; its answer comes back as a line
 * with the same id, `{"id", "http", "status", "body"}`. The bridge (`driver-process/bridge`) makes the calls.
 */
import { acpDialect } from '../acp/dialect.ts';
import type { Dialect } from '../dialect.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json-value.ts';
import type { Capabilities } from '../ledger/commands.ts';
import { dialectOf } from '../ledger/stepper.ts';
import { oneOf } from '../one-of.ts';
import type { Content } from '@spool/protocol/agent';
import { takeAnswer } from './answers.ts';
import { event } from './events.ts';
import { faultOf, partUpdated } from './parts.ts';
import { connected, rememberReply } from './reconcile.ts';
import { call, initialOpenCode, type OpenCodeState, type OpenCodeWork } from './state.ts';

const opencodeServe = dialectOf<OpenCodeState>({
  source: 'opencode',
  initial: initialOpenCode,
  message: serveMessage,
  sent: (work, line) => void takeAnswer(work, line),
  started(work) {
    const { state } = work;
    if (state.options.isReadOnly) return;
    state.awaitsBusy = false;
    state.wantsAbort = false;
    state.connections = 0;
    call(work, 'GET /command');
    if (state.session === null) call(work, 'POST /session', {});
    else call(work, `GET /session/${state.session}`);
  },
  resumable: ({ state }) => state.session,
  program: ({ state }) => (state.version === null ? null : { name: 'OpenCode', version: state.version }),
  text: () => false,
  capabilities: serveCapabilities,
  typeOf: (line) => textOf(line.type) ?? textOf(objectOf(line.payload).type) ?? 'unknown',
});

export function serveMessage(work: OpenCodeWork, line: JsonObject): boolean {
  if (line.http !== undefined) return takeAnswer(work, line);
  const inner = isObject(line.payload) ? line.payload : line;
  const type = textOf(inner.type);
  if (type === undefined) return false;
  if (type === 'server.connected') connected(work);
  if (isObject(inner.properties)) return event(work, type, inner.properties);
  if (isObject(inner.data)) return event(work, type, inner.data);
  return type === 'sync';
}

export function serveCapabilities(work: OpenCodeWork): Capabilities {
  const { state } = work;
  const path = `/session/${state.session ?? ''}`;
  return {
    prompt(prompt) {
      state.awaitsBusy = true;
      state.wantsAbort = false;
      state.turnAfter = state.lastMessage;
      state.isLookedAtAgain = false; // that was the previous turn
      state.lost = null;
      send(work, prompt.content);
    },
    // A prompt that is sent during a turn is answered in that turn, after the running tool.
    steer: (prompt) => send(work, prompt.content),
    interrupt() {
      state.wantsAbort = state.awaitsBusy;
      call(work, `POST ${path}/abort`);
    },
    permission(request, { decision, option, message }) {
      const reply = decision === 'deny' ? 'reject' : (option?.id ?? 'once');
      const body = { reply, ...(message === undefined ? {} : { message }) };
      rememberReply(state, request, body);
      call(work, `POST /permission/${request}/reply`, body);
      return true;
    },
    question(request, answers) {
      if (!answers) return call(work, `POST /question/${request}/reject`);
      const given = Object.keys(answers)
        .sort((a, b) => Number(a) - Number(b))
        .map((key) => listOf([answers[key]].flat()).map(String));
      call(work, `POST /question/${request}/reply`, { answers: given });
    },
    setModel(model) {
      state.model = model; // Sent with the next prompt.
      work.ledger.emit({ kind: 'session.updated', model });
    },
    setMode(mode) {
      state.agent = mode;
      work.ledger.emit({ kind: 'session.updated', mode });
    },
  };
}

/** Sends a prompt, or one of the agent's own slash commands. */
function send(work: OpenCodeWork, content: readonly Content[]): void {
  const { state } = work;
  state.unechoed++;
  const path = `/session/${state.session ?? ''}`;
  const agent = state.agent === null ? {} : { agent: state.agent };
  const [first] = content;
  const [, name = '', args = ''] = /^\/(\S+)\s*([^]*)$/.exec(first?.type === 'text' ? first.text : '') ?? [];
  if (content.length === 1 && state.commands.includes(name)) {
    const model = state.model === null ? {} : { model: state.model };
    const body = { command: name, arguments: args, ...model, ...agent };
    return call(work, `POST ${path}/command`, body, { wait: false }); // answered when the turn has ended
  }
  const [providerID, ...model] = (state.model ?? '').split('/');
  call(work, `POST ${path}/prompt_async`, {
    parts: content.map(partOf),
    ...(model.length > 0 ? { model: { providerID, modelID: model.join('/') } } : {}),
    ...agent,
  });
}

function partOf(part: Content): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'file', mime: part.mime, url: part.uri ?? `data:${part.mime};base64,${part.data ?? ''}` };
    case 'resource':
      return part.text === undefined
        ? { type: 'file', mime: part.mime ?? 'text/plain', url: part.uri }
        : { type: 'text', text: `${part.uri}:\n${part.text}` };
    case 'other':
      return part.value;
  }
}

/** `opencode run --format json`: whole parts, one prompt. */
const opencodeRun = dialectOf<OpenCodeState>({
  source: 'opencode',
  initial: initialOpenCode,
  message(work, line) {
    const { ledger, state } = work;
    if (!state.isStarted) {
      state.isStarted = true;
      state.session = textOf(line.sessionID) ?? null;
      state.ledger.isReady = true;
      const agentSession = state.session === null ? {} : { agentSession: state.session };
      ledger.emit({ kind: 'session.started', agentName: 'opencode', ...agentSession });
    }
    ledger.ensureTurn('user');
    if (line.type === 'error') {
      const error = faultOf(line.error);
      ledger.emit({ kind: 'fault', error, fatal: false });
      ledger.endTurn({ outcome: 'failed', stopReason: 'error', error });
      return true;
    }
    const part = objectOf(line.part);
    const isKnown = partUpdated(
      work,
      { ...part, type: textOf(part.type) ?? textOf(line.type)?.replace('_', '-') },
      true,
    );
    if (line.type === 'step_finish' && part.reason !== 'tool-calls')
      ledger.endTurn({ outcome: part.reason === 'length' ? 'limit' : 'completed', stopReason: textOf(part.reason) });
    return isKnown;
  },
  capabilities: () => ({}),
  typeOf: (line) => textOf(line.type) ?? 'unknown',
});

export const opencode = oneOf('opencode', [
  {
    name: 'serve',
    dialect: opencodeServe as Dialect,
    isOwn: (line) => isObject(line.properties) || isObject(line.payload) || line.http !== undefined,
  },
  { name: 'acp', dialect: acpDialect('opencode') as Dialect, isOwn: (line) => line.jsonrpc === '2.0' },
  {
    name: 'run',
    dialect: opencodeRun as Dialect,
    isOwn: (line) => line.sessionID !== undefined && line.type !== undefined,
  },
]);
