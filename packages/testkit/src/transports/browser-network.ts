/**
 * The network of a browser in a test, as a SOCKS proxy, so that addresses, hosts and origins stay as they are: it can hold
 * everything back and let it go on (a tunnel), forget connections (a router that was restarted), or close them.
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
  /** So far. */
  connections = 0;
  /** Whether a connection is closed that begins with these bytes: `GET /ws HTTP/1.1…`. */
  refuses: (first: string) => boolean = () => false;

  private constructor() {
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(): Promise<BrowserNetwork> {
    const network = new BrowserNetwork();
    await new Promise<void>((resolve) => network.#server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  /** For the context of a browser. Without the bypass, loopback would go past it. */
  get proxy(): { readonly server: string; readonly bypass: string } {
    const { port } = this.#server.address() as { port: number };
    return { server: `socks5://127.0.0.1:${port}`, bypass: '<-loopback>' };
  }

  /** Nothing passes, in either direction, and nobody is told. */
  cut(): void {
    this.#isCut = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** What was held back arrives. */
  heal(): void {
    this.#isCut = false;
    for (const { client, server, isForgotten } of this.#pairs) {
      if (isForgotten) continue;
      client.resume();
      server.resume();
    }
  }

  /** What is open is never heard of again; new connections work. */
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

  /** Whatever the name of the host is: tests stay on this machine. */
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
