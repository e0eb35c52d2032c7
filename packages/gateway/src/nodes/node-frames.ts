/**
 * Relays the frames of a client of this gateway to a node, in place of a link to the keeper. The frames are not interpreted here:
 * the node checks each against the role of this client, and names the client in its audit log. Keeps NODE-43.
 */
import type { Duplex } from 'node:stream';
import { SpoolError } from '@spool/protocol';
import type { Principal } from '../auth/principal.ts';
import type { FrameGate, FrameLink, GuardedLinkHandlers } from '../websocket/guarded-link.ts';
import type { NodeUser } from './node-link.ts';
import type { NodeRegistry } from './registry.ts';

/** The maximum length of the name of a user, as a node accepts it. */
const USER_CHARS_MAX = 100;

/** Returns whether a client may use nodes: a limited token is for sessions of this machine. */
export function mayUseNodes({ scope, link }: Principal): boolean {
  return scope.sessions === undefined && scope.from === undefined && link === undefined;
}

/** Returns the identity of the client for the node. Throws if it may not use nodes. */
export function nodeUserOf(principal: Principal): NodeUser {
  const { name, role } = principal;
  if (!mayUseNodes(principal))
    throw new SpoolError('NOT_ALLOWED', { reason: 'this token is for some sessions of this machine' });
  return { name: name.replaceAll(/[\u0000-\u001f\u007f-\u009f]/gu, ' ').slice(0, USER_CHARS_MAX) || 'client', role };
}

/** Returns the gate to a node. Throws NODE_UNKNOWN. */
export function nodeGate(registry: NodeRegistry, node: string): FrameGate {
  if (!registry.names.includes(node)) throw new SpoolError('NODE_UNKNOWN', { node });
  return { open: (principal, handlers) => new NodeFrames(registry.open(node, nodeUserOf(principal)), handlers) };
}

class NodeFrames implements FrameLink {
  #stream: Duplex | null = null;
  /** The bytes that arrived before the stream was open. */
  readonly #waiting: Uint8Array[] = [];
  readonly #drained: (() => void)[] = [];
  #isPaused = false;
  #isClosed = false;

  constructor(opening: Promise<Duplex>, handlers: GuardedLinkHandlers) {
    opening.then(
      (stream) => {
        if (this.#isClosed) return void stream.destroy();
        this.#stream = stream;
        stream.on('data', (bytes: Uint8Array) => handlers.onData(bytes));
        stream.once('close', () => handlers.onClose());
        if (this.#isPaused) stream.pause();
        for (const bytes of this.#waiting.splice(0)) stream.write(bytes);
        for (const drained of this.#drained.splice(0)) this.onDrain(drained);
      },
      () => handlers.onClose(),
    );
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (this.#stream) this.#stream.write(bytes);
    else this.#waiting.push(bytes);
  }

  get bufferedBytes(): number {
    const waiting = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    return waiting + (this.#stream?.destroyed === false ? this.#stream.writableLength : 0);
  }

  onDrain(drained: () => void): void {
    if (this.#stream === null && !this.#isClosed) this.#drained.push(drained);
    else if (this.#stream?.writableNeedDrain && !this.#stream.destroyed) this.#stream.once('drain', drained);
    else queueMicrotask(drained);
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stream?.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.destroy();
  }
}
