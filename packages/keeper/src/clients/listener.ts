/**
 * Accepts clients on the daemon's sockets, and refuses them while file descriptors are low: each refused client gets a
 * clear error. Keeps DOOR-8 (the peer's user id) and the client part of LIFE-8.
 */
import { constants } from 'node:os';
import { native, POLL } from '@spool/native';
import type { FdWatch } from '@spool/native/fd-watch';
import { openFiles } from '@spool/native/open-files';
import { type DaemonEvent, SpoolError } from '@spool/protocol';
import type { DriverTraffic } from '../agents/driver-host.ts';
import { ClientConnection, type ConnectionHandlers } from './connection.ts';
import { debug } from '../daemon-log.ts';
import type { FileBudget } from './file-budget.ts';

/** The delay before the next attempt to accept a connection, after there was no free fd. */
const ACCEPT_AGAIN_MS = 100;
const OUT_OF_FDS: ReadonlySet<number> = new Set([constants.errno.EMFILE, constants.errno.ENFILE]);

/** The maximum of refused clients that are connected; further clients wait in the socket's queue. */
const REFUSED_MAX = 8;

export class Listener {
  readonly #watch: FdWatch;
  readonly #files: FileBudget;
  readonly #handlers: Omit<ConnectionHandlers, 'onClose'>;
  readonly #connections = new Set<ClientConnection>();
  readonly #refused = new Set<ClientConnection>();

  constructor(watch: FdWatch, files: FileBudget, handlers: Omit<ConnectionHandlers, 'onClose'>) {
    this.#watch = watch;
    this.#files = files;
    this.#handlers = handlers;
  }

  /** The number of connected clients. */
  get count(): number {
    return this.#connections.size;
  }

  listen(listenFd: number): void {
    const watch = this.#watch;
    watch.watch(listenFd, POLL.readable, () => {
      const fd = this.#refused.size < REFUSED_MAX ? native.accept(listenFd) : -constants.errno.EMFILE;
      if (fd >= 0) return this.#welcome(fd);
      if (!OUT_OF_FDS.has(-fd)) return; // the client has disconnected again
      // The waiting connection would make the poller call this again at once, in an endless loop.
      watch.change(listenFd, 0);
      setTimeout(() => watch.change(listenFd, POLL.readable), ACCEPT_AGAIN_MS);
    });
  }

  /** Serves a driver, which has access only to its session. */
  serveDriver(fd: number, session: string, traffic: DriverTraffic): () => void {
    const connection = new ClientConnection(
      this.#watch,
      fd,
      { ...this.#handlers, onClose: () => {} },
      { driverOf: session },
    );
    connection.onHeard = () => traffic.onHeard();
    connection.onOutput = () => traffic.onOutput();
    return () => connection.close();
  }

  /** Sends an event to every client that has subscribed to it. */
  emit(event: DaemonEvent): void {
    for (const connection of this.#connections) {
      for (const [channel, wants] of connection.feeds) if (wants(event)) connection.event(channel, event);
    }
  }

  /** Returns whether a client listens for events of this type about this session. */
  wants(event: DaemonEvent): boolean {
    for (const { feeds } of this.#connections) for (const wants of feeds.values()) if (wants(event)) return true;
    return false;
  }

  /** Sends an error that belongs to no request to all clients. */
  failAll(error: SpoolError): void {
    for (const connection of this.#connections) connection.fail(0, error);
  }

  #welcome(fd: number): void {
    if (native.peerUid(fd) !== process.getuid!()) return native.close(fd);
    const isRefused = !this.#files.mayConnect(this.#connections.size);
    const connections = isRefused ? this.#refused : this.#connections;
    const refusal = isRefused ? new SpoolError('TOO_MANY_CONNECTIONS', { limit: openFiles().limit }) : null;
    const onClose = (closed: ClientConnection): void => {
      connections.delete(closed);
      debug(`${closed.who} has left; ${this.count} clients are connected`);
    };
    debug(
      isRefused ? `a client is refused: ${refusal!.message}` : `a client has connected, beside ${this.count} others`,
    );
    connections.add(new ClientConnection(this.#watch, fd, { ...this.#handlers, onClose }, { refusal }));
  }
}
