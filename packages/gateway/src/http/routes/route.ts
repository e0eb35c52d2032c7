/**
 * A route with its schemas. Requests are validated against them, and the description of the API is generated from them, so that
 * the two cannot differ. Keeps API-1.
 */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { requestFault } from '@spool/protocol/request-fault';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { guardedClient } from '../../websocket/guarded-client.ts';
import type { Authenticator } from '../../auth/authenticator.ts';

interface RouteRequest<Query, Body> {
  /** The session id in the path. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The client with exactly the rights of this request's token. */
  readonly client: Client;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The signal that is aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface Route<Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path, as in the table of roles. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** The maximum size of the body (default: the server's limit). */
  readonly bodyBytesMax?: number;
  readonly answer: z.ZodType;
  /** The content type of the answer (default: JSON). */
  readonly answerType?: string;
  run(ask: RouteRequest<Query, Body>): Promise<unknown>;
}

/** Ties the types of one route together; they are lost in a list of routes. */
export function route<Query, Body>(made: Route<Query, Body>): Route {
  return made as unknown as Route;
}

export function addRoutes(authenticator: Authenticator, routes: readonly Route[]): (app: FastifyInstance) => void {
  return (app) => {
    for (const { method, path, query, body, bodyBytesMax, run } of routes)
      app.route<{ Params: { id?: string } }>({
        method,
        url: path,
        ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
        async handler(request, reply) {
          const leaving = new AbortController();
          reply.raw.once('close', () => leaving.abort());
          const over = authenticator.activeRequests.open(request.principal!, 'request', () => reply.raw.destroy());
          reply.raw.once('close', over);
          await using client = guardedClient(authenticator, request.principal!);
          const asked = {
            id: request.params.id ?? '',
            query: checked(query, request.query, 'query'),
            body: checked(body, request.body, 'body'),
          };
          return await run({ ...asked, client, request, reply, signal: leaving.signal });
        },
      });
  };
}

/** Returns the query or body as the schema describes it. Throws REQUEST_INVALID. */
export function checked(schema: z.ZodType | undefined, given: unknown, where: string): unknown {
  const parsed = (schema ?? z.strictObject({})).safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const { field, sentence: reason } = requestFault(parsed.error.issues);
  throw new SpoolError('REQUEST_INVALID', { where, field, reason });
}
