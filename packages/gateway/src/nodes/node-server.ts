/**
 * Serves a machine that uses this one as its node: this side is the HTTP/2 server of their link. Each stream is a client like any
 * other of the gateway. It has a guarded link to the keeper with the lower of two roles: the one that this machine has granted, and
 * that of the user on whose behalf it was opened. The audit log names that user. Keeps NODE-5 and NODE-26.
 */
import { constants, type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { type ErrorCode, isRole, mayDo, type Role, toWireError, VERSION } from '@spool/protocol';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Principal } from '../auth/principal.ts';
import { helloText, LINK_VERSIONS } from './handshake.ts';
import { watchHealth } from './link-health.ts';
import type { MachineKey } from './machine-key.ts';
import {
  CHALLENGE_HEADER,
  ERROR_HEADER,
  FRAMES_PATH,
  HELLO_PATH,
  KEY_HEADER,
  LINK_HEADER,
  LINK_WINDOW_BYTES,
  ROLE_HEADER,
  SIGNATURE_HEADER,
  STREAM_WINDOW_BYTES,
  USER_HEADER,
  VERSION_HEADER,
} from './node-link.ts';
import { answerNode } from './node-requests.ts';
import type { RelayedRoutes } from './relayed-routes.ts';
import type { ServedLinks } from './served-links.ts';

/** The number of unsent bytes above which neither a stream nor its keeper is read. */
const UNSENT_BYTES_MAX = 256 * 1024;

/** The maximum of streams of one link: each is a connection to the keeper. */
const STREAMS_MAX = 1000;

const USER_CHARS_MAX = 100;
const CHALLENGE_CHARS_MAX = 100;

export interface ServedMachine {
  /** The name of that machine, for the audit log. */
  readonly name: string;
  /** Returns the rights of that machine; null once they are revoked. */
  granted(): Principal | null;
}

export interface NodeServices {
  readonly authenticator: Authenticator;
  readonly key: MachineKey;
  /** The requests that are answered besides frames. */
  readonly relayed?: RelayedRoutes;
  /** The links on which the end of the gateway is announced. */
  readonly served?: ServedLinks;
}

/** Serves a machine that has been authenticated. Returns a function that ends the service. */
export function serveMachine(
  duplex: Duplex,
  machine: ServedMachine,
  services: NodeServices,
  onClose: () => void,
): () => void {
  const session = performServerHandshake(duplex, {
    settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxConcurrentStreams: STREAMS_MAX },
  });
  session.setLocalWindowSize(LINK_WINDOW_BYTES);
  session.on('error', () => {}); // `close` follows
  duplex.once('close', () => session.destroy());
  session.once('close', () => {
    duplex.destroy();
    onClose();
  });
  session.on('stream', (stream, headers) => {
    stream.on('error', () => {}); // `close` follows
    serveRequest(stream, headers, machine, services);
  });
  watchHealth(session, duplex);
  services.served?.add(session);
  return () => session.destroy();
}

function serveRequest(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  machine: ServedMachine,
  { authenticator, key, relayed }: NodeServices,
): void {
  if (stream.destroyed || stream.closed) return; // the stream was reset in the same piece of data, and cannot be answered
  const refuse = (status: number, code: ErrorCode): void =>
    stream.respond({ ':status': status, [ERROR_HEADER]: code }, { endStream: true });
  const granted = machine.granted();
  if (granted === null) return refuse(constants.HTTP_STATUS_FORBIDDEN, 'TOKEN_REFUSED');
  const path = headers[':path'];
  if (path === HELLO_PATH) {
    const version = agreedVersion(headers[LINK_HEADER]);
    if (version === null) return refuse(constants.HTTP_STATUS_BAD_REQUEST, 'VERSION_UNSUPPORTED');
    const challenge = String(headers[CHALLENGE_HEADER] ?? '').slice(0, CHALLENGE_CHARS_MAX);
    return stream.respond(
      {
        ':status': constants.HTTP_STATUS_OK,
        [VERSION_HEADER]: VERSION,
        [LINK_HEADER]: String(version),
        [KEY_HEADER]: key.publicKey,
        [SIGNATURE_HEADER]: key.sign(helloText(challenge)),
        [ROLE_HEADER]: granted.role,
      },
      { endStream: true },
    );
  }
  const isRequest = relayed !== undefined && path?.startsWith('/api/') === true;
  if (path !== FRAMES_PATH && !isRequest) return refuse(constants.HTTP_STATUS_NOT_FOUND, 'REQUEST_UNKNOWN');
  const principal = endUser(granted, machine.name, decoded(headers[USER_HEADER]), headers[ROLE_HEADER]);
  if (principal === null) return refuse(constants.HTTP_STATUS_FORBIDDEN, 'NOT_ALLOWED');
  let over: () => void;
  try {
    const kind = isRequest ? 'request' : 'socket';
    over = authenticator.activeRequests.open(principal, kind, () => stream.close(constants.NGHTTP2_CANCEL));
  } catch {
    return refuse(constants.HTTP_STATUS_SERVICE_UNAVAILABLE, 'TOO_MANY_VISITS');
  }
  if (isRequest) {
    stream.once('close', over);
    return void answerNode(stream, headers, principal, relayed);
  }
  stream.respond({ ':status': constants.HTTP_STATUS_OK });
  stream.once('close', over);
  serveFrames(stream, principal, authenticator, {
    close: () => stream.close(),
    reset: (isRevoked) => stream.close(isRevoked ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_PROTOCOL_ERROR),
  });
}

interface StreamEnds {
  /** Called when the keeper has closed its connection. */
  close(): void;
  /** Called when the bytes of the client are refused. */
  reset(isRevoked: boolean): void;
}

/** Connects a stream of frames to the keeper, through the guard. */
function serveFrames(stream: Duplex, principal: Principal, authenticator: Authenticator, ends: StreamEnds): void {
  const link = authenticator.open(principal, {
    onData(bytes) {
      if (!stream.destroyed && !stream.write(bytes) && stream.writableLength > UNSENT_BYTES_MAX) link.pause();
    },
    onClose: () => ends.close(),
  });
  stream.on('drain', () => link.resume());
  stream.on('data', (bytes: Buffer) => {
    try {
      link.send(bytes);
    } catch (error) {
      // The bytes are not frames, or the token was revoked a moment ago.
      ends.reset(toWireError(error).code === 'TOKEN_REFUSED');
      return link.close();
    }
    if (link.bufferedBytes <= UNSENT_BYTES_MAX) return;
    stream.pause();
    link.onDrain(() => stream.resume());
  });
  stream.once('end', () => link.close());
  stream.once('close', () => link.close());
}

/**
 * Returns the user of a stream, with the lower of two roles: that of the machine, and the one that the machine has sent for the
 * user.
 */
function endUser(granted: Principal, machine: string, user: string | null, role: unknown): Principal | null {
  if (!isRole(role) || user === null) return null;
  return { ...granted, name: `${user}@${machine}`, role: lowerRole(granted.role, role) };
}

/** Returns the version of the link that both sides speak; null if there is none. */
function agreedVersion(range: unknown): number | null {
  const [, min, max] = /^(\d{1,6})-(\d{1,6})$/.exec(String(range)) ?? [];
  const version = Math.min(Number(max), LINK_VERSIONS.max);
  return version >= Math.max(Number(min), LINK_VERSIONS.min) ? version : null;
}

export function lowerRole(a: Role, b: Role): Role {
  return mayDo(a, b) ? b : a;
}

function decoded(value: string | readonly string[] | undefined): string | null {
  if (typeof value !== 'string') return null;
  try {
    const user = decodeURIComponent(value);
    return user.length <= USER_CHARS_MAX && /^[^\u0000-\u001f\u007f-\u009f]+$/u.test(user) ? user : null;
  } catch {
    return null; // not encoded
  }
}
