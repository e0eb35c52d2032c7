/**
 * Starts a gateway of a test's daemon, and reaches it like any client: plain HTTP with any headers, and WebSockets with frames.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { encodeFrame, type Frame, FrameReader, FrameType, type Role } from '@spool/protocol';
import type { TestDaemon } from '@spool/testkit';
import { WebSocket } from 'ws';

export interface GatewayResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The code of a problem. */
  readonly code: string | undefined;
}

export interface GatewayRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  readonly token?: string;
}

export class TestGateway {
  readonly daemon: TestDaemon;
  readonly port: number;
  /** The code of the launch URL. */
  readonly code: string;
  readonly url: string;

  private constructor(daemon: TestDaemon, { url, port }: { url: string; port: number }) {
    this.daemon = daemon;
    this.port = port;
    this.url = url;
    this.code = new URL(url).hash.replace('#code=', '');
  }

  static async start(daemon: TestDaemon, ...flags: string[]): Promise<TestGateway> {
    const port = flags.includes('--port') ? [] : ['--port', daemon.gatewayPort];
    const opened = await daemon.json<{ url: string; port: number }>('web', '--no-open', ...port, ...flags);
    return new TestGateway(daemon, opened);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async token(role: Role, ...flags: string[]): Promise<{ id: string; token: string }> {
    return await this.daemon.json('token', 'create', '--role', role, ...flags);
  }

  /** Sends a request; without `headers` like a program: with a bearer token and JSON. */
  async ask(path: string, { method, headers = {}, body, token }: GatewayRequestOptions = {}): Promise<GatewayResponse> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return await new Promise((resolve, reject) => {
      const asking = request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          method: method ?? (text === undefined ? 'GET' : 'POST'),
          agent: false,
          headers: {
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(text !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          let all = '';
          response.setEncoding('utf8').on('data', (part: string) => (all += part));
          response.on('end', () => {
            const isProblem = response.headers['content-type']?.startsWith('application/problem+json') === true;
            const code = isProblem ? (JSON.parse(all) as { code: string }).code : undefined;
            resolve({ status: response.statusCode!, headers: response.headers, text: all, code });
          });
        },
      );
      asking.on('error', reject).end(text);
    });
  }

  /** Follows events, from after `lastId` on. Rejects with the status of a refusal. */
  async events(token: string, query = '', lastId?: string): Promise<TestEvents> {
    return await new Promise((resolve, reject) => {
      request(
        {
          host: '127.0.0.1',
          port: this.port,
          path: `/api/events${query}`,
          agent: false,
          headers: { authorization: `Bearer ${token}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
        },
        (response) => {
          if (response.statusCode === 200) return resolve(new TestEvents(response));
          response.resume();
          reject(new Error(`refused with ${response.statusCode}`));
        },
      )
        .on('error', reject)
        .end();
    });
  }

  /** Logs in like a browser, with a new key. */
  async login(code = this.code): Promise<TestBrowser> {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const answer = await this.ask('/api/login', {
      body: { code, key: publicPoint(keys.publicKey) },
      headers: { origin: this.origin },
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    const { id, pass } = JSON.parse(answer.text) as { id: string; pass: string };
    return new TestBrowser(this, id, keys.privateKey, pass);
  }

  /** Connects a WebSocket; rejects with the status of a refusal. */
  async socket(headers: Readonly<Record<string, string>>): Promise<FrameSocket> {
    const client = new WebSocket(`ws://127.0.0.1:${this.port}/ws`, { headers });
    return await new Promise((resolve, reject) => {
      client.on('open', () => resolve(new FrameSocket(client)));
      client.on('unexpected-response', (_request, { statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      client.on('error', reject);
    });
  }

  /** Connects like a program: with a token, and past the hello. */
  async frames(token: string): Promise<FrameSocket> {
    const socket = await this.socket({ authorization: `Bearer ${token}` });
    await socket.hello();
    return socket;
  }
}

/** A browser that has logged in, like the page: a private key, and the pass of the login. */
export class TestBrowser {
  readonly gateway: TestGateway;
  readonly id: string;
  readonly pass: string;
  readonly #key: KeyObject;

  constructor(gateway: TestGateway, id: string, key: KeyObject, pass: string) {
    this.gateway = gateway;
    this.id = id;
    this.pass = pass;
    this.#key = key;
  }

  /** The headers that its page sends. */
  get headers(): { readonly authorization: string; readonly origin: string } {
    return { authorization: `Bearer ${this.pass}`, origin: this.gateway.origin };
  }

  sign(challenge: string, { origin = this.gateway.origin, device = this.id } = {}): string {
    const text = ['spool pass', origin, device, challenge].join('\n');
    return sign('sha256', Buffer.from(text), { key: this.#key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  }

  /** Requests another pass, like a page after a reload. */
  async renew(): Promise<GatewayResponse> {
    const headers = { origin: this.gateway.origin };
    const { text } = await this.gateway.ask('/api/challenge', { body: {}, headers });
    const { challenge } = JSON.parse(text) as { challenge: string };
    const body = { device: this.id, challenge, signature: this.sign(challenge) };
    return await this.gateway.ask('/api/pass', { body, headers });
  }
}

/** Returns a public key as browsers export it: an uncompressed point. */
export function publicPoint(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');
}

export interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A reader of `/api/events`, like a browser's EventSource. */
export class TestEvents {
  readonly events: StreamedEvent[] = [];
  /** The last id, also of a block without data. */
  lastId = '';
  readonly closed: Promise<void>;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    let rest = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) this.#take(block);
    });
    this.closed = new Promise((resolve) => response.on('error', () => {}).on('close', resolve));
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  close(): void {
    this.#response.destroy();
  }

  #take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data !== undefined)
      this.events.push({
        id: this.lastId,
        type: fields.get('event')!,
        data: JSON.parse(data) as StreamedEvent['data'],
      });
  }
}

export type TestFrame = Frame & { readonly json: unknown };

export class FrameSocket {
  readonly client: WebSocket;
  readonly frames: TestFrame[] = [];
  readonly closed: Promise<number>;
  readonly #reader = new FrameReader();
  readonly #waiting = new Set<() => void>();
  #channel = 0;

  constructor(client: WebSocket) {
    this.client = client;
    this.closed = new Promise((resolve) => client.on('close', resolve));
    client.on('message', (data: Buffer) => {
      this.#reader.push(data, (frame) => {
        const payload = new Uint8Array(frame.payload);
        const isData = frame.type === FrameType.output || frame.type === FrameType.snapshot;
        const json: unknown = isData || payload.length === 0 ? null : JSON.parse(Buffer.from(payload).toString());
        this.frames.push({ ...frame, payload, json });
      });
      for (const look of this.#waiting) look();
    });
  }

  send(type: FrameType, channel: number, json: unknown): void {
    this.client.send(encodeFrame(type, channel, Buffer.from(JSON.stringify(json))));
  }

  async hello(): Promise<TestFrame> {
    this.send(FrameType.hello, 0, { protocol: 1, version: 'test', who: 'somebody else' });
    return await this.next(({ type }) => type === FrameType.hello || type === FrameType.error);
  }

  /** Returns the reply, or the error, as `{code}`. */
  async request(op: string, ask: object = {}): Promise<Record<string, unknown>> {
    const channel = ++this.#channel;
    this.send(FrameType.request, channel, { op, ...ask });
    const answered = [FrameType.reply, FrameType.error] as readonly number[];
    const found = await this.next((frame) => frame.channel === channel && answered.includes(frame.type));
    return found.json as Record<string, unknown>;
  }

  async next(isWanted: (frame: TestFrame) => boolean): Promise<TestFrame> {
    for (;;) {
      const found = this.frames.find(isWanted);
      if (found) return found;
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
        void this.closed.then((code) => reject(new Error(`closed with ${code}`)));
      });
    }
  }

  close(): void {
    this.client.terminate();
  }
}
