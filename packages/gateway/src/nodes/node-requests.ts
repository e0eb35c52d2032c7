/**
 * Requests and answers on a link to a node, beside the streams of frames: each is one HTTP/2 request. This file has both sides.
 * Keeps NODE-44.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Readable } from 'node:stream';
import { SpoolError } from '@spool/protocol';
import type { Principal } from '../auth/principal.ts';
import type { RelayedAnswer, RelayedRequest, RelayedRoutes } from './relayed-routes.ts';

/** The maximum size of a body in each direction: an upload, or the changes of a working tree. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

/** The time limit of a node's answer. */
const ANSWER_MS_MAX = 30_000;

/** Sends a request to a node; the headers name the user. */
export async function askNode(
  session: ClientHttp2Session,
  user: Readonly<Record<string, string>>,
  { method, path, body }: RelayedRequest,
): Promise<RelayedAnswer> {
  let stream: ClientHttp2Stream;
  try {
    stream = session.request({ ':method': method, ':path': path, ...user }, { endStream: false });
  } catch {
    throw new SpoolError('CONNECTION_LOST'); // the node has just announced that it disconnects
  }
  const { promise, resolve, reject } = Promise.withResolvers<RelayedAnswer>();
  const late = setTimeout(() => {
    reject(new SpoolError('NODE_AWAY', { reason: 'the node is connected, and does not answer' }));
  }, ANSWER_MS_MAX);
  let status = 0;
  stream.on('error', () => {}); // `close` follows
  stream.once('response', (headers) => (status = headers[':status'] ?? 0));
  void readBody(stream).then((text) => {
    if (status === 0) reject(new SpoolError('CONNECTION_LOST')); // the stream was reset before its answer
    else resolve({ status, text });
  }, reject);
  stream.end(body);
  try {
    return await promise;
  } catch (error) {
    stream.close(constants.NGHTTP2_CANCEL); // an answer beyond the limit could be endless
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Answers a request of another machine. */
export async function answerNode(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  principal: Principal,
  routes: RelayedRoutes,
): Promise<void> {
  const leaving = new AbortController();
  stream.once('close', () => leaving.abort());
  try {
    const body = await readBody(stream);
    const asked = { method: headers[':method'] ?? '', path: headers[':path'] ?? '', body };
    const { status, text } = await routes.answer(principal, asked, leaving.signal);
    if (stream.destroyed || stream.closed) return;
    stream.respond({ ':status': status, 'content-type': 'application/json' });
    stream.end(text);
  } catch {
    stream.close(constants.NGHTTP2_CANCEL); // the sender has disconnected, or has sent too much
  }
}

/** Reads a body. An iterator would destroy the stream when it ends, before the answer is sent. */
function readBody(stream: Readable): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  stream.on('data', (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) reject(new SpoolError('FRAME_TOO_LARGE', { most: BODY_BYTES_MAX }));
    else parts.push(part);
  });
  stream.once('end', () => resolve(Buffer.concat(parts).toString()));
  stream.once('close', () => reject(new SpoolError('CONNECTION_LOST')));
  return promise;
}
