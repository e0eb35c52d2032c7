/**
 * What a request becomes on its way in: refused, changed, or passed on. Everything that a client says about its own rights is replaced
 * by what its token says. Keeps DOOR-9 and DOOR-15.
 */
import { FRAME_ROLES, mayDo, type Op, OP_ROLES, type Role, SpoolError } from '@spool/protocol';
import { mayKnowAll } from './redaction.ts';
import type { Scope } from './scope.ts';

export type Request = { readonly op: Op } & Readonly<Record<string, unknown>>;

/** Throws what the client is answered. Anything that a role forbids is forbidden before the session is looked for. */
export function checkRole(role: Role, isLimited: boolean, request: Readonly<Record<string, unknown>>): Request {
  const op = String(request['op']);
  // An op that this version does not know may do anything.
  if (!Object.hasOwn(OP_ROLES, op)) throw new SpoolError('REQUEST_UNKNOWN', { op: op.slice(0, 40) });
  const needed = OP_ROLES[op as Op];
  if (!mayDo(role, needed)) throw tooLow(op, role, needed);
  // The daemon as a whole is no session.
  if (isLimited && (needed === 'owner' || op === 'status')) throw tooLow(op, role, needed);
  // A forced prompt types into whatever is asked.
  if (op === 'prompt' && (request['force'] === true || request['clear'] === true) && !mayType(role))
    throw tooLow('prompt with force or clear', role, 'operator');
  return request as Request;
}

export function mayType(role: Role): boolean {
  return mayDo(role, FRAME_ROLES.input as Role);
}

export function tooLow(what: string, role: Role, needed: string): SpoolError {
  return new SpoolError('ROLE_TOO_LOW', { what, role, needed });
}

/** Without a scope to look up: at once, so that requests keep their order and cost nothing. */
export function rewriteForRole(role: Role, { inside: _inside, ...asked }: Request): Request {
  // `inside` is of the machine's own terminals: a client could name any session, and keep others from being shown there.
  const request: Request = { ...asked, op: asked['op'] as Op };
  // What is redacted in a line depends on its beginning.
  if (request.op === 'watchEvents' && typeof request['from'] === 'number' && !mayKnowAll(role))
    return { ...request, from: { lineAt: request['from'] } };
  if (request.op !== 'attach' || mayType(role)) return request;
  const { size: _size, colours: _colours, ...looking } = request;
  return { ...looking, op: 'attach', isReadOnly: true, takeover: false };
}

/** For a token that is limited to some sessions. */
export async function rewriteForScope(scope: Scope, request: Request): Promise<Request> {
  const { op } = request;
  switch (op) {
    case 'run': {
      const labels = scope.labelsOfNew;
      if (labels === null) throw new SpoolError('NOT_ALLOWED', { reason: 'this token is for some sessions only' });
      // The request that started a session is answered with that session: not with another's.
      if (await scope.isTakenOutside(String(request['id'])))
        throw new SpoolError('ID_TAKEN', { session: String(request['id']) });
      return { ...request, labels: { ...(request['labels'] as object | undefined), ...labels } };
    }
    case 'events': {
      const named = request['sessions'];
      await scope.learn();
      if (!Array.isArray(named)) return request; // filtered on their way out
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
      return await fromAllowed(
        scope,
        { ...request, agent: await scope.resolve(String(request['agent'] ?? '')) },
        'agent',
      );
    default:
      return await fromAllowed(
        scope,
        { ...request, session: await scope.resolve(String(request['session'] ?? '')) },
        'session',
      );
  }
}

/** A link that was shared from a time on shows nothing from before. */
async function fromAllowed(scope: Scope, request: Request, key: string): Promise<Request> {
  if (scope.from === undefined) return request;
  const first = await scope.firstOffset(String(request[key]));
  const from = request['from'];
  const later = typeof from === 'number' ? Math.max(from, first) : first;
  switch (request.op) {
    case 'watch':
      return from === 'end' ? request : { ...request, from: later };
    case 'SUBSCRIBE_WORKER_OUTPUT':
      return from === undefined ? request : { ...request, from: later };
    case 'attach':
      return { ...request, historyLines: 0, ...(from !== undefined && { from: later }) };
    case 'marks':
      return { ...request, from: later };
    case 'screen':
      if (request['at'] !== undefined)
        throw new SpoolError('NOT_ALLOWED', { reason: 'this link shows the present only' });
      return { ...request, historyLines: 0 };
    case 'explain':
    case 'watchEvents':
      throw new SpoolError('NOT_ALLOWED', { reason: 'this link shows the present only' });
    default:
      return request;
  }
}

/** What changes something is in the audit log; what only reads is not. */
export function isRecorded(op: Op): boolean {
  return op === 'attach' || !mayDo('viewer', OP_ROLES[op]);
}
