/**
 * Answers requests about the folder of a session that come over a link from another machine, whose page shows files, changes and
 * searches of this node. They are the routes of this gateway, with the same roles. Keeps NODE-44.
 */
import { isRole, mayDo, ROUTE_ROLES, SpoolError } from '@spool/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Principal } from '../auth/principal.ts';
import { problemOf } from '../http/problem.ts';
import { checked, type Route } from '../http/routes/route.ts';
import { guardedClient } from '../websocket/guarded-client.ts';

export interface RelayedRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The body as JSON; empty for none. */
  readonly body: string;
}

export interface RelayedAnswer {
  readonly status: number;
  /** The answer, or the problem, as JSON. */
  readonly text: string;
}

export class RelayedRoutes {
  readonly #routes: readonly { readonly route: Route; readonly pattern: RegExp }[];
  readonly #authenticator: Authenticator;

  constructor(routes: readonly Route[], authenticator: Authenticator) {
    this.#authenticator = authenticator;
    this.#routes = routes.map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(':id', '([^/]+)')}$`),
    }));
  }

  /** Answers a request with the rights of this user. Never throws. */
  async answer(principal: Principal, request: RelayedRequest, signal: AbortSignal): Promise<RelayedAnswer> {
    try {
      return { status: 200, text: JSON.stringify(await this.#run(principal, request, signal)) };
    } catch (error) {
      const problem = problemOf(error);
      return { status: problem.status, text: JSON.stringify(problem) };
    }
  }

  async #run(principal: Principal, { method, path, body }: RelayedRequest, signal: AbortSignal): Promise<unknown> {
    const [bare = '', query = ''] = path.split('?');
    const found = this.#routes.find(({ route, pattern }) => route.method === method && pattern.test(bare));
    if (!found) throw new SpoolError('NOT_FOUND');
    const { route, pattern } = found;
    const needed = ROUTE_ROLES[`${route.method} ${route.path}` as keyof typeof ROUTE_ROLES];
    if (!isRole(needed) || !mayDo(principal.role, needed)) {
      const session = pattern.exec(bare)?.[1] ?? '';
      this.#authenticator.auditor.recordRefusal(principal, `${route.method} ${route.path}: ROLE_TOO_LOW`, session);
      throw new SpoolError('ROLE_TOO_LOW', { role: principal.role, needed: String(needed) });
    }
    await using client = guardedClient(this.#authenticator, principal);
    return await route.run({
      id: decodeURIComponent(pattern.exec(bare)?.[1] ?? ''),
      query: checked(route.query, Object.fromEntries(new URLSearchParams(query)), 'query'),
      body: checked(route.body, body === '' ? undefined : (JSON.parse(body) as unknown), 'body'),
      client,
      signal,
      // These routes use only the sender of a request, and their result is the answer.
      request: { principal } as FastifyRequest,
      reply: null as unknown as FastifyReply,
    });
  }
}
