/**
 * The HTTP server: the origin check first, then the token and its role, then the routes. Each route has its row in the table of
 * roles; a route without one cannot be registered. Keeps DOOR-3, DOOR-4, DOOR-5 and DOOR-56.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { isRole, mayDo, ROUTE_ROLES, type RouteRole, SpoolError } from '@spool/protocol';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ConnectionFaults } from './connection-faults.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { Certificate } from '../tls/certificate.ts';
import { type AcceptedNames, checkOrigin } from '../auth/origin-check.ts';
import { type Authenticator, hasProgramToken } from '../auth/authenticator.ts';
import { JOIN_PATH, type JoinEntrance } from '../nodes/join-entrance.ts';
import { problemOf } from './problem.ts';
import { UnauthenticatedClients } from '../auth/unauthenticated-clients.ts';
import type { WebSockets } from '../websocket/websockets.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;

export interface ServerOptions {
  readonly names: AcceptedNames;
  readonly basePath: string;
  /** Whether a proxy may have removed the base path. */
  readonly mayBeStripped: boolean;
  readonly authenticator: Authenticator;
  readonly certificate: Certificate | null;
  readonly sockets: WebSockets;
  readonly entrance: JoinEntrance;
  readonly faults: ConnectionFaults;
  readonly held: HeldBytes;
  readonly routes: readonly ((app: FastifyInstance) => void)[];
}

export async function makeGatewayServer(options: ServerOptions): Promise<Server> {
  const { names, basePath, authenticator } = options;
  const limits = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    // Clients that offer HTTP/2 without TLS (as Java's client does by default) are answered as if they had not.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  };
  const { certificate } = options;
  const server: Server = certificate
    ? (createTlsServer({ ...limits, cert: certificate.cert, key: certificate.key }) as Server)
    : createServer(limits);
  options.faults.guard(server);
  const unauthenticated = new UnauthenticatedClients(server);
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    rewriteUrl: ({ url = '/' }) => pathWithin(url, options),
    // A path that cannot be decoded is refused before any hook.
    frameworkErrors: (error, _request, reply) => sendProblem(error, reply.headers(HEADERS)),
    serverFactory: (handler) =>
      server.on('request', (request, response) => {
        const refusal = checkOrigin(request, names);
        if (refusal === null) return handler(request, response);
        const problem = JSON.stringify(problemOf(new SpoolError(refusal.code)));
        response.writeHead(refusal.status, { 'content-type': 'application/problem+json', connection: 'close' });
        response.end(problem);
      }),
  });
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD') roleOf(one, url, basePath);
  });
  app.decorateRequest('principal', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    enter(request, authenticator, basePath, unauthenticated);
  });
  boundBodies(app, options.held);
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => sendProblem(error, reply));
  app.setNotFoundHandler(() => {
    throw new SpoolError('NOT_FOUND');
  });
  await app.register(
    async (within) => {
      for (const add of options.routes) add(within);
    },
    { prefix: basePath },
  );
  server.on('upgrade', (request, socket, head) => upgrade(options, unauthenticated, request, socket, head));
  await app.ready();
  return server;
}

/** Counts the received part of an incomplete body, and an unread answer, for the token of the request. */
function boundBodies(app: FastifyInstance, held: HeldBytes): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const account = held.open(request.principal, () => request.raw.destroy());
    let bytes = 0;
    payload.on('data', (chunk: Uint8Array) => account.set((bytes += chunk.length)));
    payload.once('close', () => account.end());
    reply.raw.once('close', () => account.end());
    done(null, payload);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.principal !== null && (typeof payload === 'string' || Buffer.isBuffer(payload))) {
      const account = held.open(request.principal, () => reply.raw.destroy());
      account.set(payload.length);
      reply.raw.once('close', () => account.end());
    }
    done(null, payload);
  });
}

/** Returns the path with the base path, which a proxy may have removed. */
function pathWithin(
  url: string,
  { basePath, mayBeStripped }: Pick<ServerOptions, 'basePath' | 'mayBeStripped'>,
): string {
  const isWithin = url === basePath || url.startsWith(`${basePath}/`) || url.startsWith(`${basePath}?`);
  return isWithin || !mayBeStripped ? url : `${basePath}${url}`;
}

/** The headers of every answer. */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

function roleOf(method: string, url: string, basePath: string): RouteRole {
  const row = `${method} ${url.slice(basePath.length) || '/'}`;
  if (!Object.hasOwn(ROUTE_ROLES, row)) throw new Error(`the route ${row} has no row in ROUTE_ROLES`);
  return ROUTE_ROLES[row as keyof typeof ROUTE_ROLES];
}

/** Admits a request, or throws the refusal. */
function enter(
  request: FastifyRequest,
  authenticator: Authenticator,
  basePath: string,
  unauthenticated: UnauthenticatedClients,
): void {
  const { url } = request.routeOptions;
  if (url === undefined) return; // the route does not exist
  const needed = roleOf(request.method === 'HEAD' ? 'GET' : request.method, url, basePath);
  checkUnsafe(request);
  if (needed === 'anyone') return;
  const isAsked = needed === 'asked';
  request.principal = isAsked ? authenticator.identifyAsked(request.raw) : authenticator.identify(request.raw);
  unauthenticated.know(request.raw);
  const least = isAsked ? 'prompter' : needed;
  if (!isRole(least) || mayDo(request.principal.role, least)) return;
  throw new SpoolError('ROLE_TOO_LOW', { role: request.principal.role, needed: least });
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Refuses cross-site requests: a form or an image on another site can send requests too, but not with this type or from our origin.
 */
function checkUnsafe({ method, headers }: FastifyRequest): void {
  if (SAFE.has(method)) return;
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (hasBody && !/^application\/json(;\s*charset=utf-8)?$/i.test(headers['content-type'] ?? ''))
    throw new SpoolError('CONTENT_TYPE_REFUSED');
  if (hasProgramToken(headers) || headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  throw new SpoolError('ORIGIN_REFUSED');
}

function sendProblem(error: Error & { statusCode?: number }, reply: FastifyReply): void {
  const problem = problemOf(knownError(error));
  void reply.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

function knownError(error: Error & { statusCode?: number }): Error {
  if (SpoolError.is(error)) return error;
  if (error.statusCode === 413) return new SpoolError('FRAME_TOO_LARGE', { most: BODY_BYTES_MAX });
  if (error.statusCode === 415) return new SpoolError('CONTENT_TYPE_REFUSED');
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new SpoolError('REQUEST_INVALID', { reason: error.message });
  process.stderr.write(`gateway: a fault: ${error.stack}\n`);
  return new SpoolError('INTERNAL');
}

function upgrade(
  options: ServerOptions,
  unauthenticated: UnauthenticatedClients,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  socket.on('error', () => {});
  try {
    const refusal = checkOrigin(request, options.names);
    if (refusal) throw new SpoolError(refusal.code);
    // Dialects name their session in the query, which is not a secret.
    const path = pathWithin(request.url ?? '', options).split('?')[0];
    // A node has no token: it proves its key in the first messages. Browsers, which send their origin, are not nodes.
    if (path === `${options.basePath}${JOIN_PATH}` && request.headers.origin === undefined)
      return options.entrance.accept(request, socket, head, () => unauthenticated.know(request));
    if (path !== `${options.basePath}/ws`) throw new SpoolError('NOT_FOUND');
    if (request.headers.origin === undefined && !hasProgramToken(request.headers))
      throw new SpoolError('ORIGIN_REFUSED');
    const principal = options.authenticator.identify(request);
    unauthenticated.know(request);
    options.sockets.accept(request, socket, head, principal);
  } catch (error) {
    const problem = problemOf(error);
    const body = JSON.stringify(problem);
    socket.end(
      [
        `HTTP/1.1 ${problem.status} Refused`,
        'Connection: close',
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
  }
}
