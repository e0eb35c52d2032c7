/** A server that receives notifications, like a webhook, an ntfy server or a push service; the test decides its answers. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: Record<string, unknown>;
}

export class Receiver {
  readonly received: ReceivedPost[] = [];
  /** The statuses of the next answers; afterwards 200. */
  readonly statuses: number[] = [];
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        const isJson = request.headers['content-type'] === 'application/json';
        const json = isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {};
        this.received.push({ path: request.url!, headers: request.headers, body, json });
        response.writeHead(this.statuses.shift() ?? this.status, { location: '/elsewhere' }).end();
      });
    });
  }

  static async start(): Promise<Receiver> {
    const made = new Receiver();
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
