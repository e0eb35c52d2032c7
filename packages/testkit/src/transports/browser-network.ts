/**
 * The network of a browser in a test, as a SOCKS proxy, so that addresses, hosts and origins do not change: it can hold all
 * traffic back and continue later (a tunnel), forget connections (a router that was restarted), or close them.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isForgotten: boolean;
}

export class BrowserNetwork implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #isCut = false;
  /** The number of connections so far. */
  connections = 0;
  /** Returns whether to close a connection that begins with these bytes: `GET /ws HTTP/1.1…`. */
  refuses: (first: string) => boolean = () => false;

  private constructor() {
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(): Promise<BrowserNetwork> {
    const network = new BrowserNetwork();
    await new Promise<void>((resolve) => network.#server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  /** The option for the context of a browser. Without the bypass, loopback would not use the proxy. */
  get proxy(): { readonly server: string; readonly bypass: string } {
    const { port } = this.#server.address() as { port: number };
    return { server: `socks5://127.0.0.1:${port}`, bypass: '<-loopback>' };
  }

  /** Holds back all traffic, in both directions, without an error. */
  cut(): void {
    this.#isCut = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Delivers the traffic that was held back. */
  heal(): void {
    this.#isCut = false;
    for (const { client, server, isForgotten } of this.#pairs) {
      if (isForgotten) continue;
      client.resume();
      server.resume();
    }
  }

  /** Forgets open connections, which become silent; new connections work. */
  forgetAll(): void {
    for (const pair of this.#pairs) {
      pair.isForgotten = true;
      pair.client.pause();
      pair.server.pause();
    }
  }

  closeAll(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.closeAll();
  }

  #accept(client: Socket): void {
    client.on('error', () => {}); // `close` follows
    this.connections++;
    client.once('data', () => {
      client.write(Uint8Array.of(5, 0)); // no authentication
      client.once('data', (request: Buffer) => this.#join(client, request.readUInt16BE(request.length - 2)));
    });
  }

  /** Connects to this machine, whatever the name of the host is. */
  #join(client: Socket, port: number): void {
    client.pause();
    const server = connect(port, '127.0.0.1', () => {
      client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      if (!this.#isCut) client.resume();
    });
    const pair: Pair = { client, server, isForgotten: false };
    this.#pairs.add(pair);
    if (this.#isCut) server.pause();
    client.once('data', (bytes) => {
      if (this.refuses(bytes.toString('latin1'))) client.destroy();
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {}); // `close` follows
      from.on('close', () => {
        this.#pairs.delete(pair);
        if (!pair.isForgotten) to.destroy();
      });
    }
  }
}
