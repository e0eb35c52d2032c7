/**
 * Hides everything before the start time of a shared link. One table covers all requests, another all answers and events, so that a
 * new one does not compile until it has a row. The present screen is shown unchanged. Keeps DOOR-49.
 */
import { type Op, type SessionInfo, SpoolError, type StatusInfo } from '@spool/protocol';
import type { Request } from './requests.ts';
import type { Scope } from './scope.ts';

type Rewrite = (request: Request, first: number, since: number) => Request;

const REFUSE: Rewrite = () => {
  throw new SpoolError('NOT_ALLOWED', { reason: 'this link shows the present only' });
};

/** Passes a request on, because its answer and frames contain nothing from before, or `sessionSince` removes it on the way. */
const PRESENT: Rewrite = (request) => request;

/** Starts at the first allowed byte, or later. */
const fromFirst: Rewrite = (request, first) => {
  const { from } = request;
  return { ...request, from: typeof from === 'number' ? Math.max(from, first) : first };
};

const REQUESTS_SINCE: { readonly [K in Op]: Rewrite } = {
  watch: (request, ...beginning) => (request['from'] === 'end' ? request : fromFirst(request, ...beginning)),
  SUBSCRIBE_WORKER_OUTPUT: (request, ...beginning) =>
    request['from'] === undefined ? request : fromFirst(request, ...beginning),
  attach: (request, ...beginning) => ({
    ...(request['from'] === undefined ? request : fromFirst(request, ...beginning)),
    historyLines: 0,
  }),
  view: ({ historyLines: _lines, op, ...request }) => ({ ...request, op }),
  screen: (request, ...beginning) =>
    request['at'] === undefined ? { ...request, historyLines: 0 } : REFUSE(request, ...beginning),
  marks: fromFirst,
  offsetAt: (request, _first, since) => ({ ...request, time: Math.max(Number(request['time']), since) }),
  explain: REFUSE,
  watchEvents: REFUSE,
  list: PRESENT,
  get: PRESENT,
  grids: PRESENT,
  unwatch: PRESENT,
  wait: PRESENT,
  events: PRESENT,
  UNSUBSCRIBE_WORKER_OUTPUT: PRESENT,
  prompt: PRESENT,
  answer: PRESENT,
  command: PRESENT,
  run: PRESENT,
  update: PRESENT,
  resize: PRESENT,
  stop: PRESENT,
  kill: PRESENT,
  signal: PRESENT,
  closeInput: PRESENT,
  remove: PRESENT,
  type: PRESENT,
  status: REFUSE,
  renew: REFUSE,
  testNotification: REFUSE,
  shutdown: REFUSE,
  gateway: REFUSE,
  createToken: REFUSE,
  listTokens: REFUSE,
  revokeToken: REFUSE,
  audit: REFUSE,
  serveGateway: REFUSE,
  appendEvents: REFUSE,
  putCheckpoint: REFUSE,
  getCheckpoint: REFUSE,
  redeemToken: REFUSE,
  recordAudit: REFUSE,
  nodeNotice: REFUSE,
  notices: REFUSE,
  noticeDone: REFUSE,
};

/** Returns the request that a token with a start time may make; its session has been looked up. Throws NOT_ALLOWED. */
export async function requestSince(scope: Scope, request: Request): Promise<Request> {
  if (scope.from === undefined) return request;
  const session = request.op === 'SUBSCRIBE_WORKER_OUTPUT' ? request['agent'] : request['session'];
  const first = typeof session === 'string' ? await scope.firstOffset(session) : 0;
  return REQUESTS_SINCE[request.op](request, first, scope.from);
}

/** Returns a session without texts and milestones from before. */
export function sessionSince(since: number | undefined, session: SessionInfo): SessionInfo {
  if (since === undefined) return session;
  const { driver } = session;
  const { prompt: _prompt, ...rest } = driver ?? {};
  return {
    ...session,
    milestone: null,
    status: statusSince(since, session.status),
    ...(driver && { driver: rest as typeof driver }),
  };
}

/** The last words and the cost of an agent may be from before, even in a status that begins now. */
function statusSince(since: number, { said: _said, usage: _usage, ...status }: StatusInfo): StatusInfo {
  return status.since < since ? { ...status, why: '' } : status;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an event without content from before the start; null if it is about that time. A summary contains the last lines and every
 * milestone of a session.
 */
export function eventSince(since: number | undefined, event: Json): Json | null {
  if (since === undefined) return event;
  const { type, session, status } = event;
  if (type === 'session-summary') return null;
  return {
    ...event,
    ...(isObject(session) && { session: sessionSince(since, session as SessionInfo) }),
    ...(isObject(status) && { status: statusSince(since, status as StatusInfo) }),
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
