/**
 * A network between a client and a gateway: it delays traffic, forgets connections, closes them, or is unavailable. Like a
 * reverse proxy, it puts the gateway's own name into the `Host` header.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class FlakyProxy implements AsyncDisposable {
  readonly #target: number;
  readonly #pairs = new Set<{ readonly client: Socket; readonly server: Socket; isForgotten: boolean }>();
  #server: Server | null = null;
  /** The delay in each direction. */
  delayMs = 0;
  port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  /** Listens; after `kill` on the same port as before. */
  async start(): Promise<this> {
    const server = createServer((client) => this.#accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as { port: number }).port;
    this.#server = server;
    return this;
  }

  /** Closes all open connections. */
  closeAll(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  /** Drops all traffic of open connections without an error, like a pulled cable. New connections work. */
  forgetAll(): void {
    for (const pair of this.#pairs) pair.isForgotten = true;
  }

  /** Stops listening, and closes all connections. */
  kill(): void {
    this.#server?.close();
    this.#server = null;
    this.closeAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
  }

  #accept(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    const pair = { client, server, isForgotten: false };
    this.#pairs.add(pair);
    let isFirst = true;
    const pass = (to: Socket, bytes: Buffer): void => {
      setTimeout(() => {
        if (!pair.isForgotten && !to.destroyed) to.write(bytes);
      }, this.delayMs);
    };
    client.on('data', (bytes) => {
      const mine = isFirst
        ? Buffer.from(bytes.toString('latin1').replace(`:${this.port}\r\n`, `:${this.#target}\r\n`), 'latin1')
        : bytes;
      isFirst = false;
      pass(server, mine);
    });
    server.on('data', (bytes) => pass(client, bytes));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => {}); // `close` follows
      one.on('close', () => {
        if (!pair.isForgotten) other.destroy();
        this.#pairs.delete(pair);
      });
    }
  }
}
