/**
 * The link to a node, on the machine that uses the node: an HTTP/2 connection whose server is the node, even if the node has
 * dialled. Each client gets a separate stream with its own window, so that one that does not read delays only itself. The streams
 * are not interpreted here: offsets, credit and roles are between the client and the node. Keeps NODE-3, NODE-61 and NODE-65. Keeps NODE-7 for a node
 * that does not answer.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { ERROR_CODES, type ErrorCode, isRole, type Role, SpoolError } from '@spool/protocol';
import { farewellIn } from './farewell.ts';
import { helloText, LINK_VERSIONS, newChallenge } from './handshake.ts';
import { watchHealth } from './link-health.ts';
import { isSignedBy } from './machine-key.ts';
import { askNode } from './node-requests.ts';
import type { RelayedAnswer, RelayedRequest } from './relayed-routes.ts';

/** The user on whose behalf a stream is opened. The node records the name, and grants no more rights than this role has. */
export interface NodeUser {
  readonly name: string;
  readonly role: Role;
}

/** An open link to a node, over any road. */
export interface NodeConnection {
  /** The version of Spool on the node. */
  readonly version: string;
  /** The reason that the node has given for the end of the link. */
  readonly farewell?: string | undefined;
  /** Opens a stream of frames. Rejects with the node's refusal, or if the node does not answer. */
  open(user: NodeUser): Promise<Duplex>;
  /** Sends a request about the folder of a session. Absent for a road that carries only frames. */
  ask?(user: NodeUser, request: RelayedRequest): Promise<RelayedAnswer>;
  close(): void;
}

/** The answer of a node to a machine that has dialled it. */
export interface NodeIntroduction {
  readonly version: string;
  readonly publicKey: string;
  /** The rights of the caller on the node. */
  readonly role: Role;
}

/** The unread bytes that a node may send on one stream, and on all together. */
export const STREAM_WINDOW_BYTES = 256 * 1024;
export const LINK_WINDOW_BYTES = 4 * 1024 * 1024;

/** The time limit of a node's answer to a new stream: it only opens a connection to its own daemon. */
const ANSWER_MS_MAX = 10_000;

export const FRAMES_PATH = '/frames';
export const HELLO_PATH = '/hello';
export const USER_HEADER = 'spool-user';
export const ROLE_HEADER = 'spool-role';
export const CHALLENGE_HEADER = 'spool-challenge';
/** The versions of the link that the caller speaks, and the version that the node has chosen. */
export const LINK_HEADER = 'spool-link';
export const VERSION_HEADER = 'spool-version';
export const KEY_HEADER = 'spool-key';
export const SIGNATURE_HEADER = 'spool-signature';
/** The code of a refusal. */
export const ERROR_HEADER = 'spool-error';

export class NodeLink implements NodeConnection {
  version: string;
  farewell: string | undefined;
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
    this.#session.on('goaway', (_code, _last, data) => (this.farewell ??= farewellIn(data)));
    // An HTTP/2 session does not end while a write is pending, and nor do its streams.
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

  /** Asks a node that was dialled for its identity: its key is proved, and the version of the link is agreed on. */
  async meet(): Promise<NodeIntroduction> {
    const challenge = newChallenge();
    const { stream, headers } = await this.#request(
      {
        ':path': HELLO_PATH,
        [CHALLENGE_HEADER]: challenge,
        [LINK_HEADER]: `${LINK_VERSIONS.min}-${LINK_VERSIONS.max}`,
      },
      ANSWER_MS_MAX,
    );
    stream.close(constants.NGHTTP2_NO_ERROR);
    const [version, publicKey, signature, role] = [VERSION_HEADER, KEY_HEADER, SIGNATURE_HEADER, ROLE_HEADER].map(
      (name) => String(headers[name] ?? ''),
    ) as [string, string, string, string];
    if (!isRole(role) || !isSignedBy(publicKey, helloText(challenge), signature))
      throw new SpoolError('NOT_ALLOWED', { reason: 'the machine at this address does not prove its key' });
    this.version = version.slice(0, 100);
    return { version: this.version, publicKey, role };
  }

  /** `withinMs` is for tests. */
  async open({ name, role }: NodeUser, withinMs = ANSWER_MS_MAX): Promise<ClientHttp2Stream> {
    const user = { ':path': FRAMES_PATH, [USER_HEADER]: encodeURIComponent(name), [ROLE_HEADER]: role };
    return (await this.#request(user, withinMs)).stream;
  }

  async #request(
    asked: OutgoingHttpHeaders,
    withinMs: number,
  ): Promise<{ readonly stream: ClientHttp2Stream; readonly headers: IncomingHttpHeaders }> {
    if (!this.isOpen) throw new SpoolError('CONNECTION_LOST');
    const stream = this.#session.request({ ':method': 'POST', ...asked }, { endStream: false });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders & IncomingHttpStatusHeader>();
    const late = setTimeout(() => {
      reject(new SpoolError('NODE_AWAY', { reason: 'the node is connected, and does not answer' }));
      stream.close(constants.NGHTTP2_CANCEL);
    }, withinMs);
    this.#streams.add(stream);
    stream.on('error', () => {}); // `close` follows
    stream.once('close', () => this.#streams.delete(stream));
    stream.once('response', resolve);
    stream.once('close', () => reject(new SpoolError('CONNECTION_LOST')));
    const headers = await promise.finally(() => clearTimeout(late));
    if (headers[':status'] === constants.HTTP_STATUS_OK) return { stream, headers };
    stream.close(constants.NGHTTP2_CANCEL);
    throw refusalIn(headers);
  }

  /** Sends a request beside the streams of frames. */
  async ask({ name, role }: NodeUser, request: RelayedRequest): Promise<RelayedAnswer> {
    if (!this.isOpen) throw new SpoolError('CONNECTION_LOST');
    return await askNode(this.#session, { [USER_HEADER]: encodeURIComponent(name), [ROLE_HEADER]: role }, request);
  }

  close(): void {
    this.#session.destroy();
    for (const stream of this.#streams) stream.destroy();
  }
}

/** Returns the refusal of a node; an unknown code is from another version. */
function refusalIn(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): SpoolError {
  const code = headers[ERROR_HEADER];
  if (typeof code === 'string' && Object.hasOwn(ERROR_CODES, code))
    return new SpoolError(code as ErrorCode, { reason: 'refused by the node' });
  return new SpoolError('NOT_ALLOWED', { reason: `the node has refused the stream (${headers[':status']})` });
}
