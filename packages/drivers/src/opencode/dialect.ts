/**
 * OpenCode: the events of `opencode serve` and calls of its HTTP interface, the lines of `opencode run --format json`, or ACP. Known
 * from version 1.18.33. A line to write is a call, `{"id", "http": "POST /session", "body"}`; its response comes back as a line
 * with the same id, `{"id", "http", "status", "body"}`.
 */
import { acpDialect } from '../acp/dialect.ts';
import type { Dialect } from '../dialect.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-value.ts';
import type { Hands } from '../ledger/commands.ts';
import { dialectOf } from '../ledger/stepper.ts';
import { oneOf } from '../one-of.ts';
import type { Content } from '@spool/protocol/agent';
import { event } from './events.ts';
import { faultOf, partUpdated } from './parts.ts';
import { call, initialOpenCode, type OpenCodeState, type OpenCodeWork } from './state.ts';

const opencodeServe = dialectOf<OpenCodeState>({
  source: 'opencode',
  initial: initialOpenCode,
  message,
  sent: (work, line) => void response(work, line),
  started(work) {
    const { state } = work;
    if (state.options.isReadOnly) return;
    if (state.session === null) call(work, 'POST /session', {});
    else call(work, `GET /session/${state.session}`, undefined);
  },
  text: () => false,
  hands,
  typeOf: (line) => textOf(line.type) ?? textOf(objectOf(line.payload).type) ?? 'unknown',
});

function message(work: OpenCodeWork, line: JsonObject): boolean {
  if (line.http !== undefined) return response(work, line);
  const inner = isObject(line.payload) ? line.payload : line;
  const type = textOf(inner.type);
  if (type === undefined) return false;
  if (isObject(inner.properties)) return event(work, type, inner.properties);
  if (isObject(inner.data)) return event(work, type, inner.data);
  return type === 'sync';
}

function response(work: OpenCodeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const http = textOf(line.http) ?? '';
  const status = numberOf(line.status);
  if (status === undefined) return true;
  const id = textOf(line.id);
  if (id !== undefined) delete state.pending[id];
  const body = objectOf(line.body);
  const isSession = /^(POST \/session|GET \/session\/[^/]+)$/.test(http);
  if (status >= 400) {
    const error = { code: `http-${status}`, message: faultOf(body).message, httpStatus: status };
    ledger.emit({ kind: 'fault', error, fatal: isSession });
    if (http.endsWith('/prompt_async')) {
      state.awaitsBusy = false;
      ledger.endTurn({ outcome: 'failed', stopReason: 'error', error });
    }
  } else if (isSession && textOf(body.id) !== undefined && !state.options.isReadOnly) {
    state.session = textOf(body.id)!;
    state.ledger.isReady = true;
  }
  return true;
}

function hands(work: OpenCodeWork): Hands {
  const { state } = work;
  const path = `/session/${state.session ?? ''}`;
  return {
    prompt(prompt) {
      state.awaitsBusy = true;
      const [providerID, ...model] = (state.model ?? '').split('/');
      call(work, `POST ${path}/prompt_async`, {
        parts: prompt.content.map(partOf),
        ...(model.length > 0 ? { model: { providerID, modelID: model.join('/') } } : {}),
        ...(state.agent === null ? {} : { agent: state.agent }),
      });
    },
    interrupt: () => call(work, `POST ${path}/abort`, undefined),
    permission(request, { decision, option, message }) {
      const reply = decision === 'deny' ? 'reject' : (option?.id ?? 'once');
      call(work, `POST /permission/${request}/reply`, { reply, ...(message === undefined ? {} : { message }) });
      return true;
    },
    question(request, answers) {
      if (!answers) return call(work, `POST /question/${request}/reject`, undefined);
      const given = Object.keys(answers)
        .sort((a, b) => Number(a) - Number(b))
        .map((key) => listOf([answers[key]].flat()).map(String));
      call(work, `POST /question/${request}/reply`, { answers: given });
    },
    setModel(model) {
      state.model = model; // Goes with the next prompt.
      work.ledger.emit({ kind: 'session.updated', model });
    },
    setMode(mode) {
      state.agent = mode;
      work.ledger.emit({ kind: 'session.updated', mode });
    },
  };
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
  hands: () => ({}),
  typeOf: (line) => textOf(line.type) ?? 'unknown',
});

export const opencode = oneOf('opencode', [
  { name: 'acp', dialect: acpDialect('opencode') as Dialect, isOwn: (line) => line.jsonrpc === '2.0' },
  {
    name: 'serve',
    dialect: opencodeServe as Dialect,
    isOwn: (line) => isObject(line.properties) || isObject(line.payload) || line.http !== undefined,
  },
  {
    name: 'run',
    dialect: opencodeRun as Dialect,
    isOwn: (line) => line.sessionID !== undefined && line.type !== undefined,
  },
]);
