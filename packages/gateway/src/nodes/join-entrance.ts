/**
 * Accepts the links of joined nodes, at `/join`: a node proves its key, and then serves this machine over the same connection.
 * Keeps NODE-24.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { admitNode, LinkVersionError } from './handshake.ts';
import type { MachineKey } from './machine-key.ts';
import { NodeLink } from './node-link.ts';
import type { NodeRecord } from './records.ts';
import type { NodeRegistry } from './registry.ts';
import { duplexOver } from './socket-duplex.ts';

/** The maximum size of a message, which is a part of an HTTP/2 stream. */
export const LINK_MESSAGE_BYTES_MAX = 1024 * 1024;

/**
 * The maximum of bytes from a machine that has not proved its key: one message of some hundred bytes, and the frames of the
 * WebSocket.
 */
const UNPROVED_BYTES_MAX = 4096;

/** The last part of the path of this entrance. */
export const JOIN_PATH = '/join';

export class JoinEntrance {
  readonly #key: MachineKey;
  readonly #registry: NodeRegistry;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: LINK_MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    // The last message of the handshake and the first of HTTP/2 may arrive together; the listener changes in between.
    allowSynchronousEvents: false,
  });

  constructor(key: MachineKey, registry: NodeRegistry) {
    this.#key = key;
    this.#registry = registry;
  }

  /** Takes over a socket; `onKnown` is called when the node has proved its key. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, onKnown: () => void): void {
    let bytes = head.length;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > UNPROVED_BYTES_MAX) socket.destroy();
    };
    this.#server.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => {}); // `close` follows
      socket.on('data', count);
      const onProved = (): void => {
        socket.off('data', count);
        onKnown();
      };
      this.#admit(client, onProved).catch((error: unknown) => {
        client.close();
        if (!(error instanceof LinkVersionError)) return;
        const { record, version } = (error as LinkVersionError<NodeRecord>).node;
        this.#registry.explain(record.name, { reason: error.message, version });
      });
    });
  }

  async #admit(client: WebSocket, onKnown: () => void): Promise<void> {
    const { record, version } = await admitNode(client, this.#key, (publicKey) => this.#registry.byKey(publicKey));
    onKnown();
    const closed = Promise.withResolvers<void>();
    this.#registry.connect(record, new NodeLink(duplexOver(client), version, closed.resolve), closed.promise);
  }
}
