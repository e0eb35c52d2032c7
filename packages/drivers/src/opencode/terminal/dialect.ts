/**
 * OpenCode in its own terminal: the dialect of its HTTP interface, watched by a second client of the same server (decision 231).
 * The terminal creates the sessions, and this client follows the one in which the terminal works. Keeps CHAN-4 and CHAN-5 for
 * OpenCode: the result of a reply shows whether it was the first, so an answer counts when the server has accepted it.
 */
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json-value.ts';
import type { DialectOptions } from '../../dialect.ts';
import type { Capabilities } from '../../ledger/commands.ts';
import type { Work } from '../../ledger/stepper.ts';
import { relayed } from '../../relay/relayed.ts';
import { serveCapabilities, serveMessage } from '../dialect.ts';
import { event } from '../events.ts';
import { readRecord } from '../reconcile.ts';
import { call, initialOpenCode, type OpenCodeState } from '../state.ts';

/** The number of subagents' sessions that are remembered. */
const CHILDREN_MAX = 200;
/** The maximum time between the start of the terminal and the first connection. */
const START_MS_MAX = 20_000;

export interface WatchedOpenCode extends OpenCodeState {
  relay: string | null;
  /** The time of the first connection. */
  begunAt: number | null;
  /** The sessions that another session has started. */
  children: string[];
  /** The reports about requests whose own answer has no status yet, by request. */
  reports: Record<string, { type: string; properties: JsonObject }>;
}

type WatchedOpenCodeWork = Work<WatchedOpenCode>;

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
  }),
  message,
  connected(work) {
    const { state, ledger } = work;
    state.begunAt ??= ledger.at;
    call(work, 'GET /command');
    if (state.session === null) call(work, 'GET /session');
  },
  capabilities,
  resumable: ({ state }) => state.session,
  program: ({ state }) => (state.version === null ? null : { name: 'OpenCode', version: state.version }),
  typeOf: (line) => textOf(line.type) ?? textOf(objectOf(line.message).type) ?? 'unknown',
});

function message(work: WatchedOpenCodeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  if (line.http !== undefined) return answered(work, line);
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
  if (request === undefined || !ask?.held || (status >= 400 && status !== NOT_FOUND)) return serveMessage(work, line);
  if (status < 400) ledger.answerTaken(request);
  else {
    // Another answer was first; its report is still on its way, or has arrived.
    const report = state.reports[request];
    if (report) event(work, report.type, report.properties);
    else ask.isAnswered = true;
  }
  delete state.reports[request];
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
  if (!ask?.held || ask.isAnswered) return event(work, type, properties);
  state.reports[request] = { type, properties };
  return true;
}

function capabilities(work: WatchedOpenCodeWork): Capabilities {
  const { setModel: _model, setMode: _mode, ...rest } = serveCapabilities(work);
  return { ...rest, areAnswersHeld: true };
}
