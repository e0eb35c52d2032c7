/**
 * The HTTP server: the front door first, then the token and its role, then the routes. Each route has its row in the table of
 * roles; one without cannot be registered. Keeps DOOR-3, DOOR-4 and
 * DOOR-5.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { isRole, mayDo, ROUTE_ROLES, type RouteRole, SpoolError } from '@spool/protocol';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Certificate } from './tls/certificate.ts';
import { type Names, refusalOf } from './front-door.ts';
import { type Guardian, hasBearer } from './guardian.ts';
import { problemOf } from './problem.ts';
import { Strangers } from './strangers.ts';
import type { WebSockets } from './websockets.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;

export interface ServerOptions {
  readonly names: Names;
  readonly basePath: string;
  /** A proxy may have taken the base path away. */
  readonly mayBeStripped: boolean;
  readonly guardian: Guardian;
  readonly certificate: Certificate | null;
  readonly sockets: WebSockets;
  readonly routes: readonly ((app: FastifyInstance) => void)[];
}

export async function makeServer(options: ServerOptions): Promise<Server> {
  const { names, basePath, guardian } = options;
  const limits = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    // Clients that offer HTTP/2 in the clear (Java's does, unasked) are answered as if they had not.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  };
  const { certificate } = options;
  const server: Server = certificate
    ? (createTlsServer({ ...limits, cert: certificate.cert, key: certificate.key }) as Server)
    : createServer(limits);
  const strangers = new Strangers(server);
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    rewriteUrl: ({ url = '/' }) => pathWithin(url, options),
    // A path that cannot be decoded is refused before any hook.
    frameworkErrors: (error, _request, reply) => sendProblem(error, reply.headers(HEADERS)),
    serverFactory: (handler) =>
      server.on('request', (request, response) => {
        const refusal = refusalOf(request, names);
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
    enter(request, guardian, basePath, strangers);
  });
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
  server.on('upgrade', (request, socket, head) => upgrade(options, strangers, request, socket, head));
  await app.ready();
  return server;
}

/** With the base path before it, whether or not a proxy has taken it away. */
function pathWithin(
  url: string,
  { basePath, mayBeStripped }: Pick<ServerOptions, 'basePath' | 'mayBeStripped'>,
): string {
  const isWithin = url === basePath || url.startsWith(`${basePath}/`) || url.startsWith(`${basePath}?`);
  return isWithin || !mayBeStripped ? url : `${basePath}${url}`;
}

/** Sent with every answer. */
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

/** Lets a request in, or throws why not. */
function enter(request: FastifyRequest, guardian: Guardian, basePath: string, strangers: Strangers): void {
  const { url } = request.routeOptions;
  if (url === undefined) return; // not found
  const needed = roleOf(request.method === 'HEAD' ? 'GET' : request.method, url, basePath);
  checkUnsafe(request);
  if (needed === 'anyone') return;
  const isAsked = needed === 'asked';
  request.principal = isAsked ? guardian.identifyAsked(request.raw) : guardian.identify(request.raw);
  strangers.know(request.raw);
  const least = isAsked ? 'prompter' : needed;
  if (!isRole(least) || mayDo(request.principal.role, least)) return;
  throw new SpoolError('ROLE_TOO_LOW', { role: request.principal.role, needed: least });
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** A form or an image on another site can send requests too, but none with this type, and none from our origin. */
function checkUnsafe({ method, headers }: FastifyRequest): void {
  if (SAFE.has(method)) return;
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (hasBody && !/^application\/json(;\s*charset=utf-8)?$/i.test(headers['content-type'] ?? ''))
    throw new SpoolError('CONTENT_TYPE_REFUSED');
  if (hasBearer(headers) || headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
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
  strangers: Strangers,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  socket.on('error', () => {});
  try {
    const refusal = refusalOf(request, options.names);
    if (refusal) throw new SpoolError(refusal.code);
    // Dialects name their session in the query, which is no secret.
    if (pathWithin(request.url ?? '', options).split('?')[0] !== `${options.basePath}/ws`)
      throw new SpoolError('NOT_FOUND');
    if (request.headers.origin === undefined && !hasBearer(request.headers)) throw new SpoolError('ORIGIN_REFUSED');
    const principal = options.guardian.identify(request);
    strangers.know(request);
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
