/**
 * The link to a node, seen from the machine that uses it: an HTTP/2 connection whose server is the node, although the node may have
 * dialled. Each client gets its own stream, with its own window, so that one that does not read delays only itself. The
 * streams are not interpreted here: offsets, credit and roles are between the client and the node. Keeps NODE-3, and NODE-7 for a node that does not answer.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import { type Role, SpoolError } from '@spool/protocol';
import { watchHealth } from './link-health.ts';

/** The user on whose behalf a stream is opened. The node records the name, and gives no more rights than this role has. */
export interface NodeUser {
  readonly name: string;
  readonly role: Role;
}

/** The bytes that a node may send on one stream, and on all together, before they are read. */
export const STREAM_WINDOW_BYTES = 256 * 1024;
export const LINK_WINDOW_BYTES = 4 * 1024 * 1024;

/** The time in which a node must have answered a new stream: it only opens a connection to its own daemon. */
const ANSWER_MS_MAX = 10_000;

export const FRAMES_PATH = '/frames';
export const USER_HEADER = 'spool-user';
export const ROLE_HEADER = 'spool-role';

export class NodeLink {
  readonly version: string;
  readonly #session: ClientHttp2Session;
  readonly #streams = new Set<ClientHttp2Stream>();

  /** `duplex` leads to a node that has been authenticated. */
  constructor(duplex: Duplex, version: string, onClose: () => void) {
    this.version = version;
    this.#session = connect('http://node', {
      createConnection: () => duplex,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.#session.on('error', () => {}); // `close` follows
    this.#session.on('connect', () => this.#session.setLocalWindowSize(LINK_WINDOW_BYTES));
    // A session of HTTP/2 does not end while a write is pending, and its streams neither.
    duplex.once('close', () => this.close());
    this.#session.once('close', () => {
      duplex.destroy();
      onClose();
    });
    watchHealth(this.#session, duplex);
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Opens a stream of frames. Rejects with the node's refusal, or if it does not answer. `withinMs` is for tests. */
  async open({ name, role }: NodeUser, withinMs = ANSWER_MS_MAX): Promise<ClientHttp2Stream> {
    if (!this.isOpen) throw new SpoolError('CONNECTION_LOST');
    const stream = this.#session.request(
      { ':method': 'POST', ':path': FRAMES_PATH, [USER_HEADER]: encodeURIComponent(name), [ROLE_HEADER]: role },
      { endStream: false },
    );
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const late = setTimeout(() => {
      reject(new SpoolError('NODE_AWAY', { reason: 'the node is connected, and does not answer' }));
      stream.close(constants.NGHTTP2_CANCEL);
    }, withinMs);
    this.#streams.add(stream);
    stream.on('error', () => {}); // `close` follows
    stream.once('close', () => this.#streams.delete(stream));
    stream.once('response', (headers) => resolve(headers[':status'] ?? 0));
    stream.once('close', () => reject(new SpoolError('CONNECTION_LOST')));
    const status = await promise.finally(() => clearTimeout(late));
    if (status === constants.HTTP_STATUS_OK) return stream;
    stream.close(constants.NGHTTP2_CANCEL);
    throw new SpoolError('NOT_ALLOWED', { reason: `the node has refused the stream (${status})` });
  }

  close(): void {
    this.#session.destroy();
    for (const stream of this.#streams) stream.destroy();
  }
}
