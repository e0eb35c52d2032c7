/**
 * Codex in its own terminal: the dialect of its app-server, watched by a second client of the same server (decision 231). The
 * thread is the terminal's; this client joins it when its first turn begins, and answers its requests as the terminal does: the
 * first answer counts. Keeps CHAN-4 and CHAN-5 for Codex.
 * Keeps CHAN-41.
 */
import { openKey, rpcMessage, beginConnection } from '../../json-rpc.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json-value.ts';
import type { Capabilities } from '../../ledger/commands.ts';
import { relayed } from '../../relay/relayed.ts';
import { settleAnswered } from '../../relay/settle.ts';
import { capabilities as ownerCapabilities, turnOf } from '../app-server.ts';
import { answerPermission, answerQuestion, isCodexRequest, takeApproval } from '../approvals.ts';
import { notification, threadStarted, versionOf } from '../notifications.ts';
import { sendCodexRequest } from '../state.ts';
import { catchUp, itemCompletedOnce, TURNS_LISTED } from './catch-up.ts';
import { initialWatched, remember, type WatchedState, type WatchedWork } from './state.ts';

/** The number of threads that are examined to find that of the terminal. */
const THREADS_READ_MAX = 50;
/**
 * The maximum time between the start of the terminal and the first connection. A thread that is older has its history elsewhere.
 */
const START_MS_MAX = 20_000;

export const codexTerminal = relayed<WatchedState>({
  source: 'codex',
  initial: initialWatched,
  message,
  connected(work) {
    const { state, ledger } = work;
    state.begunAt ??= ledger.at;
    beginConnection(state.rpc);
    state.isJoined = false;
    state.repeated = [];
    const version = state.options.clientVersion ?? '0';
    const capabilities = { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: [] };
    sendCodexRequest(work, 'initialize', { clientInfo: { name: 'spool', title: 'Spool', version }, capabilities });
  },
  capabilities,
  program({ state }) {
    const version = versionOf(state.userAgent);
    return version === undefined || !state.isStarted ? null : { name: 'codex', version };
  },
  resumable: ({ state }) => (state.ledger.turns > 0 ? state.thread : null),
  typeOf: (line) => textOf(objectOf(line.message).method) ?? textOf(line.method) ?? 'response',
});

/** Items with which the model continues after its tools. */
const FROM_MODEL: ReadonlySet<unknown> = new Set(['agentMessage', 'userMessage', 'reasoning']);

function message(work: WatchedWork, line: JsonObject): boolean {
  const rpc = rpcMessage(line);
  if (!rpc) return false;
  if (rpc.type === 'response') return response(work, rpc.id, objectOf(rpc.result), rpc.error);
  const params = objectOf(rpc.params);
  if (rpc.type === 'notification') return watched(work, rpc.method, params);
  // The terminal answers requests that no client here can.
  if (!isCodexRequest(rpc.method) || isOfOther(work, params)) return true;
  return asked(work, rpc.id, rpc.method, params);
}

function isOfOther({ state }: WatchedWork, params: JsonObject): boolean {
  const thread = textOf(params.threadId);
  return thread !== undefined && thread !== state.thread;
}

function watched(work: WatchedWork, method: string, params: JsonObject): boolean {
  const { state } = work;
  if (method === 'thread/started') return newThread(work, objectOf(params.thread));
  if (method === 'thread/status/changed') return threadStatus(work, params);
  if (isOfOther(work, params)) return true;
  const item = objectOf(params.item);
  switch (method) {
    case 'turn/started': {
      const turn = textOf(objectOf(params.turn).id) ?? null;
      if (turn === state.lastTurn) return true; // the list of turns contained it
      state.lastTurn = turn;
      state.isInterrupting = false;
      return notification(work, method, params);
    }
    case 'serverRequest/resolved':
      return resolved(work, params);
    case 'configWarning':
      return state.rpc.connections > 1 || notification(work, method, params); // each connection gets this
    case 'item/started':
      if (FROM_MODEL.has(item.type)) settleRefused(work);
      remember(state.begun, textOf(item.id) ?? '');
      return state.completed.includes(textOf(item.id) ?? '') || notification(work, method, params);
    case 'item/completed':
      return itemCompletedOnce(work, item);
    case 'turn/completed':
      if (state.turn === null && textOf(objectOf(params.turn).id) === state.lastTurn) return true;
      // Codex keeps the commands of a turn that its user interrupts, but a client's interrupt ends them.
      if (!state.isInterrupting) state.commands = [];
      state.given = {};
      settleRefused(work);
      return notification(work, method, params);
    default:
      return notification(work, method, params);
  }
}

/** Handles a request that was answered, here or in the terminal: the server does not report where, or how. */
function resolved(work: WatchedWork, params: JsonObject): boolean {
  const { state, ledger } = work;
  const key = openKey(state.asked, params.requestId);
  if (key === undefined) return true;
  delete state.asked[key];
  delete state.given[key];
  const ask = ledger.state.asks[key];
  if (ask?.type === 'question' && !ask.held) ledger.resolveQuestion(key, 'answered', 'terminal');
  else if (ask) ledger.answeredElsewhere(key);
  // While another request waits, the status of the thread stays as it is: the end of a refused tool comes before the next answer.
  if (Object.values(ledger.state.asks).some(({ isAnswered }) => isAnswered !== true))
    sendCodexRequest(work, 'thread/loaded/list', { limit: 1 }, 'resolved');
  return true;
}

/** Resolves the requests whose tools continue: a refusal would have ended its tool before. */
function settleAllowed({ state, ledger }: WatchedWork): void {
  for (const [request, { tool, isAnswered, held }] of Object.entries(ledger.state.asks)) {
    const isEndReported = tool !== null && state.begun.includes(tool);
    if (isAnswered && (held?.decision !== 'deny' || isEndReported)) ledger.answered(request, 'allow');
  }
}

/**
 * Ends the tools that a client has refused. Codex reports the end of such a tool only to clients that saw it begin; but the model continues
 * only when all its tools have ended, and the end of one that ran is reported to every client.
 */
function settleRefused({ ledger }: WatchedWork): void {
  for (const [request, { tool, isAnswered, held }] of Object.entries(ledger.state.asks)) {
    if (!isAnswered || held?.decision !== 'deny') continue;
    ledger.answered(request, 'deny');
    if (tool !== null) ledger.endTool(tool, { status: 'denied' });
  }
}

/** Handles a thread that the server reports: that of the terminal, or one that serves it. */
function newThread(work: WatchedWork, thread: JsonObject, settings: JsonObject = {}): boolean {
  const { state, ledger } = work;
  const id = textOf(thread.id);
  if (id === undefined) return true;
  if (thread.ephemeral === true || textOf(thread.parentThreadId) !== undefined) {
    remember(state.others, id);
    return true;
  }
  if (id !== state.thread) {
    ledger.endTurn({ outcome: 'interrupted', stopReason: 'superseded' });
    state.turn = null;
    state.lastTurn = null;
    state.isJoined = false;
    state.isFresh = (numberOf(thread.createdAt) ?? 0) * 1000 >= (state.begunAt ?? 0) - START_MS_MAX;
  } else if (state.isStarted && (textOf(settings.model) ?? state.model) === state.model) return true;
  threadStarted(work, thread, settings);
  return true;
}

function threadStatus(work: WatchedWork, params: JsonObject): boolean {
  const { state } = work;
  const id = textOf(params.threadId);
  if (id === undefined || state.others.includes(id)) return true;
  const isActive = objectOf(params.status).type === 'active';
  if (id === state.thread) {
    settleAllowed(work);
    if (!state.isJoined) join(work, id);
  } else if (isActive) join(work, id);
  return true;
}

/** Asks for everything about a thread, and for its latest turns. */
function join(work: WatchedWork, threadId: string): void {
  if (Object.values(work.state.rpc.pending).some(({ note }) => note === threadId)) return;
  const initialTurnsPage = { limit: TURNS_LISTED, sortDirection: 'desc', itemsView: 'full' };
  sendCodexRequest(work, 'thread/resume', { threadId, excludeTurns: true, initialTurnsPage }, threadId);
}

function response(work: WatchedWork, id: string, result: JsonObject, error: JsonObject | undefined): boolean {
  const { state, ledger } = work;
  const { method, note } = state.rpc.pending[id] ?? { method: '', note: null };
  delete state.rpc.pending[id];
  switch (method) {
    case 'initialize':
      state.userAgent = textOf(result.userAgent) ?? null;
      ledger.write({ method: 'initialized' });
      if (state.thread === null) sendCodexRequest(work, 'thread/loaded/list', {});
      else join(work, state.thread);
      return true;
    case 'thread/loaded/list':
      if (note === 'replayed') settleAnswered(work);
      else if (note === 'resolved') {
        settleAllowed(work);
        settleRefused(work);
      } else
        for (const thread of listOf(result.data).slice(0, THREADS_READ_MAX))
          sendCodexRequest(work, 'thread/read', { threadId: thread });
      return true;
    case 'thread/read': {
      const thread = objectOf(result.thread);
      if (error || state.thread !== null) return true;
      newThread(work, thread);
      const found = textOf(thread.id);
      if (found !== undefined && found === state.thread && objectOf(thread.status).type === 'active') join(work, found);
      return true;
    }
    case 'thread/resume':
      joined(work, note ?? '', result, error);
      return true;
    case 'turn/start':
      state.unconfirmed = null;
      if (error)
        ledger.endTurn({
          outcome: 'failed',
          stopReason: 'not-started',
          error: { code: String(error.code), message: textOf(error.message) ?? 'Codex refused the prompt' },
        });
      return true;
    default:
      if (error) {
        const text = textOf(error.message) ?? 'Codex refused a request';
        ledger.emit({ kind: 'notice', level: 'error', code: method || 'error', text });
      }
      return true;
  }
}

function joined(work: WatchedWork, id: string, result: JsonObject, error: JsonObject | undefined): void {
  const { state } = work;
  const thread = objectOf(result.thread);
  if (error) {
    // A thread without a turn cannot be joined yet, and one without a file never can.
    if (id !== state.thread) remember(state.others, id);
    return;
  }
  newThread(work, thread, result);
  if (textOf(thread.id) !== state.thread) return;
  state.isJoined = true;
  catchUp(work, objectOf(result.initialTurnsPage));
  const { unconfirmed } = state;
  if (unconfirmed !== null) sendCodexRequest(work, 'turn/start', unconfirmed.params);
  // Open requests are repeated before the next answer, so those that are not repeated were answered meanwhile.
  if (Object.keys(work.ledger.state.asks).length > 0)
    sendCodexRequest(work, 'thread/loaded/list', { limit: 1 }, 'replayed');
}

function asked(work: WatchedWork, id: string | number, method: string, params: JsonObject): boolean {
  const { state, ledger } = work;
  const key = openKey(state.asked, id);
  const isKnown = takeApproval(work, id, method, params);
  const now = key ?? openKey(state.asked, id);
  if (now === undefined) return isKnown;
  remember(state.repeated, now);
  // An answer that the last connection may not have delivered is sent again; the server accepts only one.
  if (Object.hasOwn(state.given, now)) ledger.write(state.given[now]);
  return isKnown;
}

function capabilities(work: WatchedWork): Capabilities {
  const { state, ledger } = work;
  const { steer, stopTask } = ownerCapabilities(work);
  /** Keeps the request and its answer until the server has accepted an answer. */
  const given = <T>(key: string, answer: () => T): T => {
    const ask = state.asked[key];
    const result = answer();
    const [line] = ledger.writes.slice(-1).map((text) => JSON.parse(text) as unknown);
    if (ask) state.asked[key] = ask;
    if (ask && isObject(line)) state.given[key] = line;
    return result;
  };
  return {
    areAnswersHeld: true,
    prompt(prompt) {
      const params = { threadId: state.thread, ...turnOf(prompt) };
      state.unconfirmed = { clientId: prompt.clientId, params };
      sendCodexRequest(work, 'turn/start', params);
    },
    ...(steer && { steer }),
    interrupt() {
      if (state.turn === null) return;
      state.isInterrupting = true;
      sendCodexRequest(work, 'turn/interrupt', { threadId: state.thread, turnId: state.turn });
    },
    permission: (key, choice) => given(key, () => answerPermission(work, key, choice)),
    question: (key, answers) => given(key, () => answerQuestion(work, key, answers)),
    ...(stopTask && { stopTask }),
  };
}
