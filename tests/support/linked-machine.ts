/**
 * Another machine, as a test plays it: it links to the gateway of a daemon over each road, with the rights that the daemon gives it. So a test
 * decides what this machine sends, as a program that has been taken over could.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { askNodes } from '@spool/client/nodes';
import { homeFrom, nodeSocketBeside, type Role, type TokenInfo } from '@spool/protocol';
import type { TestDaemon } from '@spool/testkit';
import { type WebSocket, WebSocketServer } from 'ws';
import { admitNode } from '../../packages/gateway/src/nodes/handshake.ts';
import { MachineKey } from '../../packages/gateway/src/nodes/machine-key.ts';
import { NodeLink } from '../../packages/gateway/src/nodes/node-link.ts';
import { duplexOver } from '../../packages/gateway/src/nodes/socket-duplex.ts';
import { dialGateway } from '../../packages/gateway/src/nodes/url-road.ts';
import type { TestGateway } from './gateway.ts';

export const LINK_ROADS = ['join', 'url', 'ssh'] as const;
export type LinkRoad = (typeof LINK_ROADS)[number];

/** A link with its rights: the id of a token there. */
interface GrantedLink {
  readonly link: NodeLink;
  readonly token: string;
}

export class LinkedMachine implements AsyncDisposable {
  readonly #gateway: TestGateway;
  readonly #folder = mkdtempSync(`${tmpdir()}/spool-linked-`);
  readonly #key = MachineKey.in(this.#folder);
  readonly #links: NodeLink[] = [];
  #server: Server | null = null;
  #role: Role = 'viewer';
  #latest: NodeLink | null = null;

  /** This machine is called `laptop` there. */
  constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  /** Links to the daemon as a machine with this role. */
  async link(road: LinkRoad, role: Role): Promise<GrantedLink> {
    const before = new Set((await this.#tokens()).map(({ id }) => id));
    const link = await this.#over(road, role);
    this.#links.push(link);
    const made = (await this.#tokens()).find(({ id }) => !before.has(id))!;
    return { link, token: made.id };
  }

  async #tokens(): Promise<readonly TokenInfo[]> {
    const client = await this.#gateway.daemon.client();
    return await client.doors.tokens();
  }

  async #over(road: LinkRoad, role: Role): Promise<NodeLink> {
    const { daemon, origin } = this.#gateway;
    if (road === 'url') {
      const { token } = await this.#gateway.token(role, '--name', 'laptop');
      return new NodeLink(await dialGateway({ url: origin, token }), '', () => {});
    }
    if (road === 'ssh') return await linkOverSsh(daemon, { role });
    this.#role = role;
    const url = `http://127.0.0.1:${await this.#listen()}`;
    await askNodes('join', { url, code: 'code', name: 'build1', role }, { env: daemon.env });
    // The answer came after this link, and after the end of an earlier one.
    return this.#latest!;
  }

  /** Invites every machine, and lets the one in that dials. Returns the port. */
  async #listen(): Promise<number> {
    if (this.#server === null) {
      const sockets = new WebSocketServer({ noServer: true, allowSynchronousEvents: false });
      const server = createServer((_request, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ name: 'laptop', publicKey: this.#key.publicKey, role: this.#role }));
      });
      server.on('upgrade', (request, socket, head) =>
        sockets.handleUpgrade(request, socket, head, (client) => void this.#admit(client).catch(() => client.close())),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#server = server;
    }
    return (this.#server.address() as AddressInfo).port;
  }

  async #admit(client: WebSocket): Promise<void> {
    const { version } = await admitNode(client, this.#key, (publicKey) => ({ publicKey }));
    this.#latest = new NodeLink(duplexOver(client), version, () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links) link.close();
    await askNodes('leave', { name: 'laptop' }, { env: this.#gateway.daemon.env }).catch(() => {}); // it has not joined
    this.#server?.closeAllConnections();
    await new Promise((resolve) => (this.#server === null ? resolve(null) : this.#server.close(resolve)));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Links as `spool node serve` does there, at the other end of ssh: with new rights, or with those of a token. */
export async function linkOverSsh(
  daemon: TestDaemon,
  rights: { readonly role: Role } | { readonly token: string },
): Promise<NodeLink> {
  const socket = connect(nodeSocketBeside(homeFrom(daemon.env, process.getuid!()).socket));
  socket.write(`${JSON.stringify({ ask: 'serve', name: 'laptop', ...rights })}\n`);
  const answer = await new Promise<{ readonly error?: object }>((resolve) => {
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      const end = bytes.indexOf('\n') + 1;
      if (end < bytes.length) socket.unshift(bytes.subarray(end));
      resolve(JSON.parse(bytes.toString('utf8', 0, end)) as { error?: object });
    });
  });
  if (answer.error) throw Object.assign(new Error('refused'), answer.error);
  return new NodeLink(socket, '', () => {});
}
