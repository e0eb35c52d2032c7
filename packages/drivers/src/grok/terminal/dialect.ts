/**
 * Grok in its own terminal: ACP with Grok's extensions, watched by a second client of the terminal's leader (decision 233). The
 * terminal creates the sessions, and this client loads the one in which the terminal works. Keeps CHAN-4 and CHAN-5 for Grok.
 *
 * A session that is loaded again repeats its history. Updates have rising numbers; only those above the last taken number are new.
 * The repeated text of a message is complete, and replaces the part that was taken before.
 */
import { acpCapabilities, acpMessage, acpProgram, startAcp } from '../../acp/dialect.ts';
import { type AcpState, initialAcp, respond, sendAcpRequest } from '../../acp/state.ts';
import type { DialectOptions } from '../../dialect.ts';
import { rpcMessage } from '../../json-rpc.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json-value.ts';
import type { Capabilities } from '../../ledger/commands.ts';
import type { Work } from '../../ledger/stepper.ts';
import { relayed } from '../../relay/relayed.ts';
import { settleAnswered } from '../../relay/settle.ts';
import { xAi } from '../x-ai.ts';

export interface WatchedGrok extends AcpState {
  relay: string | null;
  /** Whether this connection gets everything about the session. */
  isJoined: boolean;
  /** The number of the last update that was taken. */
  lastEvent: number;
  /** The answers that were given, by request, until the agent has accepted one: a new connection sends them again. */
  given: Record<string, JsonObject>;
  /** The requests that this connection has received. */
  repeated: string[];
}

type WatchedGrokWork = Work<WatchedGrok>;

export const grokTerminal = relayed<WatchedGrok>({
  source: 'grok',
  initial: (options: DialectOptions) => ({
    ...initialAcp(options),
    relay: null,
    isJoined: false,
    lastEvent: -1,
    given: {},
    repeated: [],
  }),
  message,
  connected(work) {
    const { state } = work;
    const { asked } = state;
    startAcp(work);
    state.asked = asked;
    state.isJoined = false;
    state.repeated = [];
  },
  capabilities,
  program: ({ state }) => (state.isStarted ? acpProgram(state) : null),
  resumable: ({ state }) => state.session,
  typeOf: (line) => textOf(objectOf(line.message).method) ?? textOf(line.method) ?? 'response',
});

function message(work: WatchedGrokWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const rpc = rpcMessage(line);
  if (!rpc) return false;
  if (rpc.type === 'response') return response(work, rpc.id, line);
  const params = objectOf(rpc.params);
  if (rpc.type === 'request') return asked(work, rpc.id, rpc.method, line);
  if (rpc.method === '_x.ai/sessions/changed') return sessionsChanged(work, listOf(params.upserted).map(objectOf));
  if (rpc.method === 'x.ai/leader_reconnected') {
    // The leader has died, and its turn with it; the terminal has started another one.
    const error = { code: 'leader-died', message: 'the leader of Grok has ended, and was started again' };
    ledger.endTurn({ outcome: 'failed', stopReason: 'leader-died', error });
    return true;
  }
  const session = textOf(params.sessionId);
  if (session !== undefined && session !== state.session) return true;
  const update = objectOf(params.update);
  const number = eventNumber(params);
  if (number !== undefined) {
    if (number <= state.lastEvent) return true;
    state.lastEvent = number;
    if (objectOf(params._meta).isReplay === true) replaceOpenText(work, textOf(update.sessionUpdate));
  }
  // A tool with an open request continues, so someone has answered.
  const tool = textOf(update.toolCallId);
  if (tool !== undefined && textOf(update.status) !== undefined && update.status !== 'pending')
    for (const [key, ask] of Object.entries(ledger.state.asks)) if (ask.tool === tool) takeOutcome(work, key, update);
  return acpMessage(work, line, xAi);
}

function eventNumber(params: JsonObject): number | undefined {
  const text = textOf(objectOf(params._meta).eventId) ?? textOf(objectOf(objectOf(params.update)._meta).eventId);
  const number = Number(/-(\d+)$/.exec(text ?? '')?.[1]);
  return Number.isInteger(number) ? number : undefined;
}

/** Withdraws the part of a message that was taken before, because its whole text follows. */
function replaceOpenText({ state, ledger }: WatchedGrokWork, kind: string | undefined): void {
  const isText = kind === 'agent_message_chunk' || kind === 'agent_thought_chunk';
  if (!isText || kind !== state.last || state.message === null) return;
  ledger.closeParts();
  ledger.retract([state.message]);
  state.attempt = state.attempt.filter((known) => known !== state.message);
  state.message = null;
}

/** Resolves the request of a tool that continues, or has failed because it was refused. */
function takeOutcome({ state, ledger }: WatchedGrokWork, key: string, update: JsonObject): void {
  const isRefused = update.status === 'failed' && JSON.stringify(update.content ?? '').includes('rejected');
  delete state.asked[key];
  delete state.given[key];
  if (isRefused) state.denied.push(textOf(update.toolCallId) ?? '');
  if (ledger.state.asks[key]?.type === 'permission') ledger.answered(key, isRefused ? 'deny' : 'allow');
}

/** Follows the session in which the terminal works. */
function sessionsChanged(work: WatchedGrokWork, sessions: readonly JsonObject[]): boolean {
  const { state, ledger } = work;
  for (const { sessionId, activity } of sessions) {
    const id = textOf(sessionId);
    if (id === undefined) continue;
    if (id === state.session) {
      if (!state.isJoined) join(work, id);
    } else if (state.session === null || (activity === 'working' && !ledger.state.turn)) {
      state.session = id;
      state.lastEvent = -1;
      join(work, id);
    }
  }
  return true;
}

function join(work: WatchedGrokWork, sessionId: string): void {
  if (Object.values(work.state.rpc.pending).some(({ method }) => method === 'session/load')) return;
  sendAcpRequest(work, 'session/load', { sessionId, cwd: work.state.options.cwd ?? '/', mcpServers: [] }, sessionId);
}

function response(work: WatchedGrokWork, id: string, line: JsonObject): boolean {
  const { state, ledger } = work;
  const { method, note } = state.rpc.pending[id] ?? { method: '', note: null };
  if (method === 'session/list') {
    delete state.rpc.pending[id];
    if (note === 'replayed') settleAnswered(work);
    return true;
  }
  const isKnown = acpMessage(work, line, xAi);
  if (method === 'initialize' && state.session !== null) join(work, state.session);
  if (method !== 'session/load' || isObject(line.error)) return isKnown;
  state.isJoined = true;
  // Open requests are repeated before the next answer, so those that are not repeated were answered meanwhile.
  if (Object.keys(ledger.state.asks).length > 0)
    sendAcpRequest(work, 'session/list', { cwd: state.options.cwd ?? '/' }, 'replayed');
  return isKnown;
}

/** Handles a request. A new connection repeats it under another id. */
function asked(work: WatchedGrokWork, id: string | number, method: string, line: JsonObject): boolean {
  const { state, ledger } = work;
  const params = objectOf(line.params);
  const session = textOf(params.sessionId);
  if (session !== undefined && session !== state.session) return true;
  const tool = textOf(objectOf(params.toolCall).toolCallId) ?? textOf(params.toolCallId) ?? null;
  const open = Object.keys(ledger.state.asks).find((key) => tool !== null && ledger.state.asks[key]!.tool === tool);
  if (open === undefined) {
    const isKnown = acpMessage(work, line, xAi);
    state.repeated.push(...Object.keys(state.asked).filter((key) => state.asked[key]!.id === id));
    return isKnown;
  }
  state.repeated.push(open);
  state.asked[open] = { id, method, tool };
  const answer = state.given[open];
  if (answer) respond(work, id, answer);
  return true;
}

function capabilities(work: WatchedGrokWork): Capabilities {
  const { state, ledger } = work;
  const { prompt, interrupt, permission, question } = acpCapabilities(work);
  /** Keeps the request and its answer until the agent has accepted an answer. */
  const given = <T>(key: string, answer: () => T): T => {
    const ask = state.asked[key];
    const result = answer();
    const [line] = ledger.writes.slice(-1).map((text) => objectOf(JSON.parse(text)));
    if (ask) state.asked[key] = ask;
    if (ask && isObject(line?.result)) state.given[key] = line.result;
    return result;
  };
  return {
    areAnswersHeld: true,
    ...(prompt && { prompt }),
    ...(interrupt && { interrupt }),
    permission: (key, choice) => given(key, () => permission!(key, choice)),
    question: (key, answers) => given(key, () => question!(key, answers)),
  };
}
