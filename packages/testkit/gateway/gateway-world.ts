/** Runs a daemon with a gateway under attack: temporary tokens of four kinds, raw connections, and an owner who works. */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Client } from '@spool/client';
import type { Role } from '@spool/protocol';
import { statusField, TestDaemon } from '@spool/testkit';
import type { Random } from '../faults/random.ts';

export const KINDS = ['owner', 'operator', 'prompter', 'viewer', 'none'] as const;

export type VisitorKind = (typeof KINDS)[number];

/** A visitor; `viewer` is limited to one session, from now on, like a share link. */
export interface Visitor {
  readonly id: string;
  readonly token: string;
}

export class GatewayWorld {
  readonly random: Random;
  readonly isTls: boolean;
  readonly daemon = new TestDaemon();
  readonly open = new Set<Socket>();
  client!: Client;
  port = 0;
  session = '';
  /** The number of browsers that got a pass. */
  logins = 0;

  constructor(random: Random, isTls: boolean) {
    this.random = random;
    this.isTls = isTls;
  }

  async start(): Promise<void> {
    const flags = this.isTls ? ['--tls', 'self-signed'] : [];
    const port = ['--port', this.daemon.gatewayPort];
    ({ port: this.port } = await this.daemon.json<{ port: number }>('web', '--no-open', ...port, ...flags));
    this.client = await this.daemon.client();
    const busy = 'while sleep 0.05; do echo "$RANDOM of many lines"; done';
    const size = { cols: 80, rows: 24 };
    const { id } = await this.client.run({ command: ['bash', '-c', busy], name: 'busy', size });
    this.session = id;
  }

  async visitor(kind: VisitorKind, livesMs?: number): Promise<Visitor> {
    if (kind === 'none') return { id: '', token: '' };
    const scope = kind === 'viewer' ? { sessions: [this.session], from: Date.now() } : undefined;
    const expiresAt = livesMs === undefined ? undefined : Date.now() + livesMs;
    const role: Role = kind;
    const { token, info } = await this.client.doors.createToken({ kind: 'token', role, scope, expiresAt });
    return { id: info.id, token };
  }

  async revoke({ id }: Visitor): Promise<void> {
    if (id !== '') await this.client.doors.revokeToken(id).catch(() => {}); // it has expired
  }

  /** Opens a connection, with TLS also past its handshake; a refused connection is closed. */
  async dial(): Promise<Socket> {
    const socket = this.isTls
      ? connectTls({ port: this.port, host: '127.0.0.1', rejectUnauthorized: false })
      : connectPlain(this.port, '127.0.0.1');
    this.#keep(socket);
    const opened = this.isTls ? 'secureConnect' : 'connect';
    await new Promise<void>((resolve) => socket.once(opened, () => resolve()).once('close', () => resolve()));
    return socket;
  }

  /** Opens a connection below TLS. */
  async dialRaw(): Promise<Socket> {
    const socket = connectPlain(this.port, '127.0.0.1');
    this.#keep(socket);
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()).once('close', () => resolve()));
    return socket;
  }

  head(method: string, path: string, { token }: Pick<Visitor, 'token'>, more: readonly string[] = []): string {
    const auth = token === '' ? [] : [`Authorization: Bearer ${token}`];
    return [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${this.port}`, ...auth, ...more, '\r\n'].join('\r\n');
  }

  upgrade(visitor: Visitor, dialect: string): string {
    return this.head('GET', `/ws?session=${this.session}`, visitor, [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Protocol: ${dialect}`,
    ]);
  }

  /** Leaves in one of the ways in which clients leave. */
  leave(socket: Socket): void {
    const way = this.random.next();
    if (way < 0.4) reset(socket);
    else if (way < 0.7) socket.destroy();
    else if (way < 0.9) socket.end();
    // otherwise the connection stays, silent
  }

  async sleep(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Returns the memory of a process; 0 if it is gone. */
  memoryBytes(pid: number): number {
    return parseInt(statusField(pid, 'VmRSS') || '0', 10) * 1024;
  }

  #keep(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => {}).on('close', () => this.open.delete(socket));
    if (this.random.next() < 0.8) socket.resume(); // the others do not read
  }
}

/** Closes a socket like a program that dies with unread bytes: by RST, not by FIN. */
export function reset(socket: Socket): void {
  if ('resetAndDestroy' in socket && !('encrypted' in socket)) socket.resetAndDestroy();
  else socket.destroy();
}

/** Returns a frame of a WebSocket, masked with zeros; its length may promise more bytes than it has. */
export function webSocketFrame(
  opcode: number,
  payload: Uint8Array,
  { isFinal = true, claims = payload.length } = {},
): Buffer {
  const head = Buffer.alloc(14);
  head[0] = (isFinal ? 0x80 : 0) | opcode;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(claims), 2);
  return Buffer.concat([head, payload]);
}
