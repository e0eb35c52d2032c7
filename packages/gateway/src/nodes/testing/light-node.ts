/**
 * A node for the benchmark of fleets: it joins a machine with the real handshake and serves real frames over HTTP/2, but has no daemon behind
 * it. It lists the sessions that it is given.
 */
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { gatewayAddress } from '@spool/client/remote';
import { encodeFrame, encodeJson, FrameReader, FrameType, PROTOCOL_VERSION, type SessionInfo } from '@spool/protocol';
import { WebSocket } from 'ws';
import { introduceNode } from '../handshake.ts';
import { acceptedInvite } from '../invite.ts';
import { MachineKey } from '../machine-key.ts';
import { duplexOver } from '../socket-duplex.ts';

export class LightNode {
  readonly name: string;
  readonly #key: MachineKey;
  readonly #url: string;
  readonly #sessions: readonly SessionInfo[];
  #primary = '';
  #socket: WebSocket | null = null;
  #session: ServerHttp2Session | null = null;
  /** The protocol of its frames. */
  protocol = PROTOCOL_VERSION;
  /** The lists that it was asked for. */
  lists = 0;

  constructor(name: string, folder: string, url: string, sessions: readonly SessionInfo[]) {
    this.name = name;
    this.#key = MachineKey.in(`${folder}/${name}`);
    this.#url = url.replace(/\/$/, '');
    this.#sessions = sessions;
  }

  async join(code: string): Promise<void> {
    this.#primary = (await acceptedInvite(gatewayAddress(this.#url), code, this.name, this.#key)).publicKey;
    await this.dial();
  }

  /** Dials, and serves from then on. `as` is a release that it claims to be. */
  async dial(as?: Parameters<typeof introduceNode>[3]): Promise<void> {
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/join`, { allowSynchronousEvents: false });
    socket.on('error', () => {}); // `close` follows
    await introduceNode(socket, this.#key, this.#primary, as);
    this.#socket = socket;
    this.#session = performServerHandshake(duplexOver(socket));
    this.#session.on('error', () => {});
    this.#session.on('stream', (stream) => this.#serve(stream));
  }

  /** Ends the link, as a machine that is switched off would if the network reported it. */
  end(): void {
    this.#session?.destroy();
    this.#socket?.terminate();
  }

  /** Reads and answers nothing any more, as a machine that has lost its network. */
  fallSilent(): void {
    this.#tcp.pause();
  }

  /** The bytes of its link in both directions. */
  get bytes(): number {
    return this.#tcp.bytesRead + this.#tcp.bytesWritten;
  }

  get #tcp(): Socket {
    return (this.#socket as unknown as { readonly _socket: Socket })._socket;
  }

  #serve(stream: ServerHttp2Stream): void {
    stream.respond({ ':status': 200 });
    stream.on('error', () => {}); // `close` follows
    const reader = new FrameReader();
    stream.on('data', (bytes: Buffer) =>
      reader.push(bytes, ({ type, channel, payload }) => {
        if (type === FrameType.hello)
          return void stream.write(encodeJson(FrameType.hello, 0, { protocol: this.protocol, version: '0.1.0' }));
        if (type !== FrameType.request) return;
        const ask = JSON.parse(Buffer.from(payload).toString()) as { op: string; states?: readonly string[] };
        const reply = (answer: object): void => void stream.write(encodeJson(FrameType.reply, channel, answer));
        if (ask.op === 'events') return reply({});
        if (ask.op !== 'list')
          return void stream.write(encodeFrame(FrameType.error, channel, Buffer.from('{"code":"REQUEST_UNKNOWN"}')));
        this.lists++;
        const isForEnded = ask.states !== undefined && !ask.states.includes('running');
        const sessions = isForEnded ? [] : this.#sessions;
        reply({ sessions, matching: sessions.length, next: null });
      }),
    );
  }
}
