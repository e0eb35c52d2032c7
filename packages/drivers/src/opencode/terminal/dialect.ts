/**
 * OpenCode in its own terminal: the dialect of its HTTP interface, watched by a second client of the same server (decision 231).
 * The terminal creates the sessions, and this client follows the one in which the terminal works. Keeps CHAN-4 and CHAN-5 for
 * OpenCode: the result of a reply shows whether it was the first, so an answer counts when the server has accepted it.
 */
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json-value.ts';
import type { DialectOptions } from '../../dialect.ts';
import type { Capabilities } from '../../ledger/commands.ts';
import { relayed } from '../../relay/relayed.ts';
import { serveCapabilities, serveMessage } from '../dialect.ts';
import { event } from '../events.ts';
import { readRecord } from '../reconcile.ts';
import { call, initialOpenCode } from '../state.ts';
import { isSettling, settle, settleByReports, type WatchedOpenCode, type WatchedOpenCodeWork } from './reports.ts';

/** The number of subagents' sessions that are remembered. */
const CHILDREN_MAX = 200;
/** The maximum time between the start of the terminal and the first connection. */
const START_MS_MAX = 20_000;

const REPLY = /^POST \/(?:permission|question)\/([^/]+)\/(?:reply|reject)$/;
const NOT_FOUND = 404;

export const opencodeTerminal = relayed<WatchedOpenCode>({
  source: 'opencode',
  initial: (options: DialectOptions) => ({
    ...initialOpenCode(options),
    relay: null,
    begunAt: null,
    children: [],
    reports: {},
    waiting: [],
  }),
  message,
  connected(work) {
    const { state, ledger } = work;
    state.begunAt ??= ledger.at;
    settleByReports(work, message); // the last connection has no more answers
    call(work, 'GET /command');
    if (state.session === null) call(work, 'GET /session');
  },
  gone: (work) => settleByReports(work, message),
  capabilities,
  resumable: ({ state }) => state.session,
  program: ({ state }) => (state.version === null ? null : { name: 'OpenCode', version: state.version }),
  typeOf: (line) => textOf(line.type) ?? textOf(objectOf(line.message).type) ?? 'unknown',
});

function message(work: WatchedOpenCodeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  if (line.http !== undefined) return answered(work, line);
  if (isSettling(work, message)) {
    state.waiting.push(line);
    return true;
  }
  const properties = objectOf(line.properties);
  switch (line.type) {
    case 'session.created':
    case 'session.updated':
      return session(work, line, objectOf(properties.info));
    case 'session.status': {
      // The terminal may return to an older session, and now works in it.
      const id = textOf(properties.sessionID);
      const isOther = id !== undefined && id !== state.session && !state.children.includes(id);
      if (isOther && objectOf(properties.status).type === 'busy' && !ledger.state.turn) {
        state.session = id;
        call(work, `GET /session/${id}`);
      }
      return serveMessage(work, line);
    }
    case 'permission.replied':
    case 'question.replied':
    case 'question.rejected':
      return replied(work, String(line.type), properties);
    default:
      return serveMessage(work, line);
  }
}

/** Handles news about a session: a new one of the terminal is followed, others only if they are already watched. */
function session(work: WatchedOpenCodeWork, line: JsonObject, info: JsonObject): boolean {
  const { state } = work;
  const id = textOf(info.id) ?? '';
  if (textOf(info.parentID) !== undefined) {
    state.children = [...state.children.slice(1 - CHILDREN_MAX), id];
    return true;
  }
  if (line.type === 'session.updated' && state.session !== null && id !== state.session) return true;
  const isFound = state.session === null && line.type === 'session.updated' && isOfThisRun(work, info);
  const isKnown = serveMessage(work, line);
  if (isFound) readRecord(work); // it was made before the connection, perhaps with a prompt
  return isKnown;
}

/** Returns whether the session was made since the terminal was started. */
function isOfThisRun({ state }: WatchedOpenCodeWork, { time }: JsonObject): boolean {
  return (numberOf(objectOf(time).created) ?? 0) >= (state.begunAt ?? 0) - START_MS_MAX;
}

/** Handles the answer to a call. */
function answered(work: WatchedOpenCodeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const http = textOf(line.http) ?? '';
  const status = numberOf(line.status) ?? 0;
  if (http === 'GET /session') {
    found(work, listOf(line.body).filter(isObject));
    return true;
  }
  const request = REPLY.exec(http)?.[1];
  const ask = request === undefined ? undefined : ledger.state.asks[request];
  if (request === undefined || !ask?.held) return serveMessage(work, line);
  const isReported = Object.hasOwn(state.reports, request);
  if (status < 400) settle(work, request, true, message);
  else if (isReported && status === NOT_FOUND) settle(work, request, false, message);
  else if (isReported) settleByReports(work, message);
  else if (status === NOT_FOUND) ask.held.isLate = true; // the report is still on its way
  else return serveMessage(work, line);
  return true;
}

/** Follows the session that the terminal created before the connection. */
function found(work: WatchedOpenCodeWork, sessions: readonly JsonObject[]): void {
  const { state } = work;
  const created = ({ time }: JsonObject): number => numberOf(objectOf(time).created) ?? 0;
  const [latest] = sessions
    .filter((info) => textOf(info.parentID) === undefined && isOfThisRun(work, info))
    .toSorted((a, b) => created(b) - created(a));
  if (state.session !== null || latest === undefined) return;
  event(work, 'session.updated', { info: latest });
  readRecord(work);
}

/**
 * Handles a report that a request was answered. If an answer of a client is on its way, the result of that call shows whether it
 * was this one.
 */
function replied(work: WatchedOpenCodeWork, type: string, properties: JsonObject): boolean {
  const { state, ledger } = work;
  const request = textOf(properties.requestID) ?? textOf(properties.permissionID) ?? '';
  const ask = ledger.state.asks[request];
  if (!ask?.held || ask.held.isLate) return event(work, type, properties);
  state.reports[request] = { type, properties, at: ledger.at };
  return true;
}

function capabilities(work: WatchedOpenCodeWork): Capabilities {
  const { setModel: _model, setMode: _mode, ...rest } = serveCapabilities(work);
  return { ...rest, areAnswersHeld: true };
}
