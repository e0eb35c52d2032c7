/**
 * A route with its schemas. What comes in is validated against them, and the description of the API is made from them, so that the two
 * cannot differ. Keeps API-1.
 */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { requestFault } from '@spool/protocol/request-fault';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { guardedClient } from '../guarded-client.ts';
import type { Guardian } from '../guardian.ts';

export interface Ask<Query, Body> {
  /** Of the path. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Does what the token of this request may do, and nothing else. */
  readonly client: Client;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
}

export interface Route<Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in the table of roles. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Default: the server's limit. */
  readonly bodyBytesMax?: number;
  readonly answer: z.ZodType;
  /** Default: JSON. */
  readonly answerType?: string;
  run(ask: Ask<Query, Body>): Promise<unknown>;
}

/** Keeps the types of one route together; a list of routes has none. */
export function route<Query, Body>(made: Route<Query, Body>): Route {
  return made as unknown as Route;
}

export function addRoutes(guardian: Guardian, routes: readonly Route[]): (app: FastifyInstance) => void {
  return (app) => {
    for (const { method, path, query, body, bodyBytesMax, run } of routes)
      app.route<{ Params: { id?: string } }>({
        method,
        url: path,
        ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
        async handler(request, reply) {
          const leaving = new AbortController();
          reply.raw.once('close', () => leaving.abort());
          const over = guardian.visits.open(request.principal!, 'request', () => reply.raw.destroy());
          reply.raw.once('close', over);
          await using client = guardedClient(guardian, request.principal!);
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

function checked(schema: z.ZodType | undefined, given: unknown, where: string): unknown {
  const parsed = (schema ?? z.strictObject({})).safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const { field, sentence: reason } = requestFault(parsed.error.issues);
  throw new SpoolError('REQUEST_INVALID', { where, field, reason });
}
