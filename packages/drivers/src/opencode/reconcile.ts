/**
 * Catches up after a gap in the agent's events. They have no numbers and are not sent again, so the agent's own record is read and
 * handled like events. Everything here may be read twice: parts, tools and requests are recognised by their ids. Keeps HTTP-2 and
 * HTTP-40.
 */
import type { AgentFault } from '@spool/protocol/agent';
import { type JsonObject, listOf, objectOf, textOf } from '../json-value.ts';
import { endTurn, failTurn, messageUpdated, permissionAsked } from './events.ts';
import { faultOf, partUpdated } from './parts.ts';
import { call, type OpenCodeState, type OpenCodeWork } from './state.ts';

/** The number of messages that are read: a turn has one for each step. */
const MESSAGES_READ = 100;
/** The time after which an accepted prompt counts as being worked on. */
const LOOK_AGAIN_MS = 1500;
const REPLIES_MAX = 50;
const AGAIN_MS = 500;
/** The limit of repeated replies, for an agent that is alive and does not answer. */
const REPEATED_MAX = 50;

/** Requests everything that may have been missed. */
export function readRecord(work: OpenCodeWork): void {
  const { state, ledger } = work;
  state.asksBefore = Object.keys(ledger.state.asks);
  const path = `/session/${state.session}`;
  call(work, `GET ${path}/message?limit=${MESSAGES_READ}`);
  call(work, 'GET /permission');
  call(work, 'GET /question');
  call(work, `GET ${path}/todo`);
  call(work, `GET ${path}`);
  call(work, 'GET /session/status');
}

export function connected(work: OpenCodeWork): void {
  const { state, ledger } = work;
  if (state.options.isReadOnly || ++state.connections === 1 || state.session === null) return;
  if (state.options.isWatching && state.awaitsBusy)
    state.lost = { code: 'lost', message: 'the connection was lost before the agent had taken the prompt' };
  const text = 'The connection to the agent was lost and is back; what it did meanwhile is read from its record.';
  ledger.emit({ kind: 'notice', level: 'info', code: 'reconnected', text });
  readRecord(work);
}

/** Handles the messages of the running turn, the oldest first. */
export function messagesRead(work: OpenCodeWork, messages: readonly unknown[]): void {
  const { state, ledger } = work;
  for (const message of messages.map(objectOf)) {
    const info = objectOf(message.info);
    if (state.options.isWatching) beginMissedTurn(work, info);
    if (!ledger.state.turn || (textOf(info.id) ?? '') <= state.turnAfter) continue;
    messageUpdated(work, info);
    for (const part of listOf(message.parts)) partUpdated(work, objectOf(part));
    if (info.role !== 'assistant') continue;
    state.awaitsBusy = false; // it is being answered, or was answered
    const error = faultOf(info.error);
    if (info.error !== undefined && error.code !== 'MessageAbortedError' && !state.error) failTurn(work, error);
  }
}

/** Starts the turn of a prompt that was typed while no client watched. */
function beginMissedTurn(work: OpenCodeWork, info: JsonObject): void {
  const { state, ledger } = work;
  if (info.role !== 'user' || (textOf(info.id) ?? '') <= state.lastMessage) return;
  if (ledger.state.turn && state.lastMessage === state.turnAfter) return; // the first message of the running turn
  state.awaitsBusy = false;
  endTurn(work);
  state.turnAfter = state.lastMessage;
  state.isIdle = false;
  ledger.ensureTurn('user');
}

/** Handles the requests that wait for an answer. A request that was open before and is missing now was answered, or is void. */
export function pendingRead(work: OpenCodeWork, type: 'permission' | 'question', asked: readonly unknown[]): void {
  const { state, ledger } = work;
  const pending = asked.map((each) => textOf(objectOf(each).id) ?? '');
  for (const each of asked.map(objectOf)) {
    const request = textOf(each.id) ?? '';
    // Our reply never arrived, so it is sent again. The agent ignores a repeated reply.
    if (type === 'permission' && Object.hasOwn(state.replies, request))
      call(work, `POST /permission/${request}/reply`, state.replies[request]);
    // An open request is not asked again: the record that was just read may show more of its tool than the person has seen.
    else if (type === 'permission' && !ledger.hasAsked(request)) permissionAsked(work, each);
  }
  for (const request of state.asksBefore)
    if (ledger.state.asks[request]?.type === type && !pending.includes(request)) ledger.answeredElsewhere(request);
}

/** Handles the statuses by session; a session that is missing is idle. */
export function statusRead(work: OpenCodeWork, statuses: JsonObject): void {
  const { state, ledger } = work;
  if (!ledger.state.turn || state.session === null) return;
  const type = textOf(objectOf(statuses[state.session]).type) ?? 'idle';
  if (type !== 'idle') {
    state.awaitsBusy = false;
    state.isIdle = false;
  } else if (!state.isLookedAtAgain) {
    // Either it has not begun, which will soon be visible, or it is over, and the record that was read before may lack its end.
    state.isLookedAtAgain = true;
    return lookAgain(work, state.awaitsBusy ? { afterMs: LOOK_AGAIN_MS } : {});
  } else if (state.awaitsBusy && state.lost) {
    failTurn(work, state.lost);
  } else {
    state.awaitsBusy = false;
    endTurn(work);
  }
  state.isLookedAtAgain = false;
}

/** Reads the status and the record again, because the turn may be over by then, with its events missed or still on their way. */
function lookAgain(work: OpenCodeWork, when: { readonly afterMs?: number }): void {
  call(work, `GET /session/${work.state.session}/message?limit=${MESSAGES_READ}`, undefined, when);
  call(work, 'GET /session/status', undefined, when);
}

/**
 * Handles a call with the prompt that was cut off. An agent might work twice on a repeated prompt, so the record decides whether
 * the agent has it.
 */
export function promptLost(work: OpenCodeWork, error: AgentFault): void {
  work.state.lost = error;
  lookAgain(work, { afterMs: LOOK_AGAIN_MS });
}

/** Sends a lost reply again. The agent accepts the first, so a reply may be sent twice. */
export function sentAgain(work: OpenCodeWork, http: string): boolean {
  const { state } = work;
  const request = /^POST \/permission\/([^/]+)\/reply$/.exec(http)?.[1] ?? '';
  if (!Object.hasOwn(state.replies, request) || state.repeated >= REPEATED_MAX) return false;
  state.repeated++;
  call(work, http, state.replies[request], { afterMs: AGAIN_MS });
  return true;
}

export function rememberReply(state: OpenCodeState, request: string, body: unknown): void {
  state.replies[request] = body;
  for (const old of Object.keys(state.replies).slice(0, -REPLIES_MAX)) delete state.replies[old];
}
