/**
 * The link to a machine that uses this one as its node: this side serves HTTP/2 on it. Each stream is a client like any other of the
 * gateway: it has a guarded link to the keeper, with the role that this machine has granted, or the lower one of the user
 * on whose behalf it was opened. The audit log names that user. Keeps NODE-5.
 */
import { constants, type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { isRole, mayDo, type Role, toWireError } from '@spool/protocol';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Principal, principalOf } from '../auth/principal.ts';
import { watchHealth } from './link-health.ts';
import { FRAMES_PATH, LINK_WINDOW_BYTES, ROLE_HEADER, STREAM_WINDOW_BYTES, USER_HEADER } from './node-link.ts';

/** The unsent bytes above which a stream is not read further, or its keeper. */
const UNSENT_BYTES_MAX = 256 * 1024;

/** The maximum of streams of one link: each is a connection to the keeper. */
const STREAMS_MAX = 1000;

const USER_CHARS_MAX = 100;

export interface ServedMachine {
  /** The name of that machine, for the audit log. */
  readonly name: string;
  /** The id of the token record with its rights here. */
  readonly token: string;
}

/** Serves a machine that has been authenticated. Returns the function that ends it. */
export function serveMachine(
  duplex: Duplex,
  machine: ServedMachine,
  authenticator: Authenticator,
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
    serveStream(stream, headers, machine, authenticator);
  });
  watchHealth(session, duplex);
  return () => session.destroy();
}

function serveStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  machine: ServedMachine,
  authenticator: Authenticator,
): void {
  if (stream.destroyed || stream.closed) return; // it was reset in the same piece of data, and cannot be answered
  const refuse = (status: number): void => stream.respond({ ':status': status }, { endStream: true });
  if (headers[':path'] !== FRAMES_PATH) return refuse(constants.HTTP_STATUS_NOT_FOUND);
  const principal = userOf(headers, machine, authenticator);
  if (principal === null) return refuse(constants.HTTP_STATUS_FORBIDDEN);
  let over: () => void;
  try {
    over = authenticator.activeRequests.open(principal, 'socket', () => stream.close(constants.NGHTTP2_CANCEL));
  } catch {
    return refuse(constants.HTTP_STATUS_SERVICE_UNAVAILABLE);
  }
  stream.respond({ ':status': constants.HTTP_STATUS_OK });
  const link = authenticator.open(principal, {
    onData(bytes) {
      if (!stream.destroyed && !stream.write(bytes) && stream.writableLength > UNSENT_BYTES_MAX) link.pause();
    },
    onClose: () => stream.close(),
  });
  stream.on('drain', () => link.resume());
  stream.on('data', (bytes: Buffer) => {
    try {
      link.send(bytes);
    } catch (error) {
      // Bytes that are not frames, or a token that was revoked a moment ago.
      stream.close(
        toWireError(error).code === 'TOKEN_REFUSED' ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_PROTOCOL_ERROR,
      );
      return link.close();
    }
    if (link.bufferedBytes <= UNSENT_BYTES_MAX) return;
    stream.pause();
    link.onDrain(() => stream.resume());
  });
  stream.once('end', () => link.close());
  stream.once('close', () => {
    over();
    link.close();
  });
}

/** Returns the user of a stream, with the lower of two roles: that of the machine, and the one that it has sent for the user. */
function userOf(
  headers: IncomingHttpHeaders,
  { name, token }: ServedMachine,
  authenticator: Authenticator,
): Principal | null {
  const granted = authenticator.peer(token);
  const role = headers[ROLE_HEADER];
  const user = decoded(headers[USER_HEADER]);
  if (granted === null || !isRole(role) || user === null) return null;
  return { ...principalOf(granted), name: `${user}@${name}`, role: lower(granted.role, role) };
}

function lower(a: Role, b: Role): Role {
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
