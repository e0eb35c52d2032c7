/** The gateway: finds its port, opens its doors, and reports to the keeper that it serves. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { connect } from '@spool/client/node';
import type { Client } from '@spool/client';
import {
  doorsFolder,
  GATEWAY_PORT,
  type GatewayInfo,
  type GatewayStart,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import type { Names } from './front-door.ts';
import { inUrl, readCertificate } from './certificate.ts';
import { Auditor } from './auditor.ts';
import { EventStreams } from './events/event-streams.ts';
import { Guardian } from './guardian.ts';
import { LastUsed } from './last-used.ts';
import { PageFiles } from './page-files.ts';
import { pageRoutes } from './routes/page.ts';
import { loginRoutes } from './routes/login.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { addRoutes } from './routes/route.ts';
import { SESSION_ROUTES } from './routes/sessions.ts';
import { makeServer } from './server.ts';
import { TokenBook } from './token-book.ts';
import { WebSockets } from './websockets.ts';

/** Ports that are tried, from 7733 on. */
const PORTS_TRIED = 500;

/** How long the last port may still be in use by a gateway that is ending. */
const SAME_PORT_MS = 2000;
const PORT_AGAIN_MS = 50;

/** Without TLS, here only. */
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost'];

/** No name that anybody calls: those in the certificate count. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Between two attempts to reach a keeper. */
const KEEPER_AGAIN_MS = 200;

export class Gateway {
  readonly #start: GatewayStart;
  readonly #folder: string;

  constructor(start: GatewayStart) {
    this.#start = start;
    this.#folder = doorsFolder(start.home);
  }

  async run(): Promise<never> {
    let info: GatewayInfo;
    try {
      info = await this.#open();
    } catch (error) {
      const known = SpoolError.is(error)
        ? error
        : new SpoolError('GATEWAY_START_FAILED', { reason: (error as Error).message });
      process.stderr.write(`gateway: ${known.message}\n`);
      await (await this.#keeper()).doors.serve({ failure: toWireError(known) });
      process.exit(1);
    }
    for (;;) {
      try {
        await using keeper = await this.#keeper();
        await keeper.doors.serve({ info });
        process.exit(0);
      } catch {
        await pause(KEEPER_AGAIN_MS); // no keeper for longer than a client waits: its successor will come
      }
    }
  }

  async #keeper(): Promise<Client> {
    const { SPOOL_SOCKET: _socket, ...env } = process.env;
    return await connect({ env, start: false, who: 'gateway' });
  }

  async #open(): Promise<GatewayInfo> {
    const { options } = this.#start;
    const { host = '127.0.0.1', basePath = '' } = options;
    const certificate = options.tls ? readCertificate(options.tls) : null;
    if (!certificate && !LOOPBACK.includes(host))
      throw new SpoolError('GATEWAY_START_FAILED', {
        reason: `${host} is reachable from other machines, which needs TLS: give --tls-cert and --tls-key`,
      });
    const book = new TokenBook(this.#folder);
    book.watch();
    const hosts = new Set<string>();
    const origins = new Set<string>();
    const names: Names = { hosts, origins };
    // The guardian needs the port, which is known when the server listens; nobody is let in before.
    const place = { port: 0 };
    const keeper = await this.#keeper();
    const auditor = new Auditor((entries) => keeper.doors.record(entries));
    const lastUsed = new LastUsed(this.#folder);
    const guardian = new Guardian({
      book,
      sockets: this.#start.sockets,
      directory: keeper,
      place,
      auditor,
      lastUsed,
    });
    const sockets = new WebSockets(guardian);
    const events = new EventStreams(keeper, `${Date.now().toString(36)}${randomBytes(3).toString('hex')}`);
    const api = [...SESSION_ROUTES, ...eventRoutes(events)];
    book.onChange = () => {
      sockets.closeRevoked((id) => book.isValid(id));
      events.closeRevoked((id) => book.isValid(id));
      lastUsed.forget((id) => book.isValid(id));
    };
    const page = new PageFiles(fileURLToPath(new URL('./web', import.meta.url)));
    const server = await makeServer({
      names,
      basePath,
      guardian,
      certificate,
      sockets,
      routes: [
        pageRoutes(page),
        loginRoutes({ guardian, keeper, basePath, place, isSecure: certificate !== null }),
        addRoutes(guardian, api),
        healthRoutes({ keeper, sockets: () => sockets, routes: api }),
      ],
    });
    const port = await this.#listen(server, host);
    place.port = port;
    const scheme = certificate ? 'https' : 'http';
    const own = EVERYWHERE.includes(host) ? (certificate?.names ?? []) : [inUrl(host), ...(certificate?.names ?? [])];
    for (const name of [...LOOPBACK, ...own]) {
      const { host: called, origin } = new URL(`${scheme}://${name}:${port}`); // without the scheme's own port, as browsers do
      for (const one of [called, `${name}:${port}`]) hosts.add(one);
      origins.add(origin);
    }
    this.#remember(port);
    const url = new URL(`${scheme}://${certificate ? (own[0] ?? LOOPBACK[0]) : LOOPBACK[0]}:${port}${basePath}/`).href;
    return { pid: process.pid, host, port, url, startedAt: Date.now(), options };
  }

  /** The port that was asked for; else the one of the last gateway, so that open pages find it again; else the next free one. */
  async #listen(server: Server, host: string): Promise<number> {
    const { port } = this.#start.options;
    if (port !== undefined) return await listenOn(server, host, port, SAME_PORT_MS);
    const last = this.#lastPort();
    if (last !== null) {
      try {
        return await listenOn(server, host, last, SAME_PORT_MS);
      } catch {
        // Somebody else has it by now
      }
    }
    for (let next = GATEWAY_PORT; ; next++) {
      try {
        return await listenOn(server, host, next, 0);
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!isTaken || next >= GATEWAY_PORT + PORTS_TRIED) throw error;
      }
    }
  }

  #lastPort(): number | null {
    try {
      return Number(readFileSync(`${this.#folder}/last-port`, 'utf8')) || null;
    } catch {
      return null; // the first gateway
    }
  }

  #remember(port: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#folder}/last-port`, String(port), { mode: 0o600 });
  }
}

/** Tries for `withinMs`: the port of a gateway that has just ended may be in use for a moment. */
async function listenOn(server: Server, host: string, port: number, withinMs: number): Promise<number> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as { port: number }).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() >= until) throw error;
      await pause(PORT_AGAIN_MS);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
