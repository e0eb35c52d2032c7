/**
 * Decides about a request: it is refused, changed, or passed on. All statements of a client about its own rights are replaced by
 * those of its token. Keeps DOOR-9 and DOOR-15.
 */
import { FRAME_ROLES, mayDo, type Op, OP_ROLES, type Role, SpoolError } from '@spool/protocol';
import { requestSince } from './beginning.ts';
import { checkCommand, checkPromptText, commandForRole } from './commands.ts';
import { mayKnowAll } from './redaction.ts';
import { tooLow } from './refusal.ts';
import type { Scope } from './scope.ts';

export type Request = { readonly op: Op } & Readonly<Record<string, unknown>>;

/** Throws the error for the client. A request that the role forbids is refused before the session is looked up. */
export function checkRole(role: Role, isLimited: boolean, request: Readonly<Record<string, unknown>>): Request {
  const op = String(request['op']);
  // A request that is unknown to this version may have any effect.
  if (!Object.hasOwn(OP_ROLES, op)) throw new SpoolError('REQUEST_UNKNOWN', { op: op.slice(0, 40) });
  const needed = OP_ROLES[op as Op];
  if (!mayDo(role, needed)) throw tooLow(op, role, needed);
  // The request is about the whole daemon, not about a session.
  if (isLimited && (needed === 'owner' || op === 'status')) throw tooLow(op, role, needed);
  // A forced prompt is typed into any dialog.
  if (op === 'prompt' && (request['force'] === true || request['clear'] === true) && !mayType(role))
    throw tooLow('prompt with force or clear', role, 'operator');
  if (op === 'prompt') checkPromptText(role, request['text']);
  if (op === 'command') checkCommand(role, request['command']);
  return request as Request;
}

function mayType(role: Role): boolean {
  return mayDo(role, FRAME_ROLES.input as Role);
}

/** Rewrites a request that needs no lookup: at once, so that requests keep their order without delay. */
export function rewriteForRole(role: Role, { inside: _inside, ...asked }: Request): Request {
  // `inside` is only for terminals of this machine: a remote client could name any session, and so keep others from being shown
  // there.
  const request: Request = { ...asked, op: asked['op'] as Op };
  // How a line is redacted depends on its beginning.
  if (request.op === 'watchEvents' && typeof request['from'] === 'number' && !mayKnowAll(role))
    return { ...request, from: { lineAt: request['from'] } };
  if (request.op === 'command') return { ...request, command: commandForRole(role, request['command']) };
  if (mayType(role)) return request;
  // The program must see only the size, the focus and the colours of viewers that may type.
  if (request.op === 'view') {
    const { channel, wantsSnapshot, historyLines } = request;
    return { op: 'view', channel, wantsSnapshot, historyLines };
  }
  if (request.op !== 'attach') return request;
  const { size: _size, colours: _colours, ...looking } = request;
  return { ...looking, op: 'attach', isReadOnly: true, takeover: false };
}

/** Rewrites a request of a token that is limited to some sessions, or to the time after a start. */
export async function rewriteForScope(scope: Scope, request: Request): Promise<Request> {
  return await requestSince(scope, await rewriteForSessions(scope, request));
}

async function rewriteForSessions(scope: Scope, request: Request): Promise<Request> {
  const { op } = request;
  switch (op) {
    case 'run': {
      const labels = scope.labelsOfNew;
      if (labels === null) throw new SpoolError('NOT_ALLOWED', { reason: 'this token is for some sessions only' });
      // A repeated request to start a session is answered with that session, but never with one outside the scope.
      if (await scope.isTakenOutside(String(request['id'])))
        throw new SpoolError('ID_TAKEN', { session: String(request['id']) });
      return { ...request, labels: { ...(request['labels'] as object | undefined), ...labels } };
    }
    case 'events': {
      const named = request['sessions'];
      await scope.learn();
      if (!Array.isArray(named)) return request; // the answers are filtered
      return { ...request, sessions: await Promise.all(named.map((one) => scope.resolve(String(one)))) };
    }
    case 'grids': {
      const tiles = Array.isArray(request['tiles']) ? (request['tiles'] as readonly { session?: unknown }[]) : [];
      const resolved = tiles.map(async (tile) => ({ ...tile, session: await scope.resolve(String(tile.session)) }));
      return { ...request, tiles: await Promise.all(resolved) };
    }
    case 'list':
    case 'view':
    case 'unwatch':
    case 'UNSUBSCRIBE_WORKER_OUTPUT':
      return request;
    case 'SUBSCRIBE_WORKER_OUTPUT':
      return { ...request, agent: await scope.resolve(String(request['agent'] ?? '')) };
    default:
      return { ...request, session: await scope.resolve(String(request['session'] ?? '')) };
  }
}

/** Returns whether a request is recorded in the audit log: only requests that change something are. */
export function isRecorded(op: Op): boolean {
  return op === 'attach' || !mayDo('viewer', OP_ROLES[op]);
}
