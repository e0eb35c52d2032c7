/** The gateway: finds its port, opens its doors, and reports to the keeper that it serves. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '@spool/client/node';
import type { Client } from '@spool/client';
import {
  doorsFolder,
  type GatewayInfo,
  type GatewayOptions,
  type GatewayStart,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import type { Server as TlsServer } from 'node:tls';
import { type Certificate, inUrl } from './tls/certificate.ts';
import { certificateSource } from './tls/certificate-source.ts';
import { localNames, type OwnCa } from './tls/own-ca.ts';
import { trustServer } from './tls/trust-page.ts';
import { OwnNames, publicPlace } from './own-names.ts';
import { type Served, serveByTailscale, tailscaleName } from './tailscale.ts';
import { TrustedProxies } from './trusted-proxies.ts';
import { Auditor } from './auditor.ts';
import { EventStreams } from './events/event-streams.ts';
import { Guardian } from './guardian.ts';
import { LastUsed } from './last-used.ts';
import { ActionLinks } from './notices/action-links.ts';
import type { Place } from './notices/messages.ts';
import { NoticeDesk, type NoticeDeskOptions } from './notices/notice-desk.ts';
import { PushBook } from './notices/push-book.ts';
import { PageFiles } from './page-files.ts';
import { lastPort, listen, listenFrom } from './ports.ts';
import { askRoutes } from './routes/asks.ts';
import { pageRoutes } from './routes/page.ts';
import { loginRoutes } from './routes/login.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { pageToolRoutes } from './routes/page-tools.ts';
import { pushRoutes } from './routes/push.ts';
import { addRoutes } from './routes/route.ts';
import { SESSION_ROUTES } from './routes/sessions.ts';
import { makeServer } from './server.ts';
import { TokenBook } from './token-book.ts';
import { WebSockets } from './websockets.ts';

/** Without TLS, here only. */
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost'];

/** No name that anybody calls: those in the certificate count. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Between two attempts to reach a keeper. */
const KEEPER_AGAIN_MS = 200;

export class Gateway {
  readonly #start: GatewayStart;
  readonly #folder: string;
  #served: Served | null = null;

  constructor(start: GatewayStart) {
    this.#start = start;
    this.#folder = doorsFolder(start.home);
  }

  async run(): Promise<never> {
    const { options } = this.#start;
    if (options === 'sender') return await this.#desk(await this.#keeper(), () => null).run();
    let info: GatewayInfo;
    try {
      info = await this.#open(options);
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
        return await this.end();
      } catch {
        await pause(KEEPER_AGAIN_MS); // no keeper for longer than a client waits: its successor will come
      }
    }
  }

  async #keeper(): Promise<Client> {
    const { SPOOL_SOCKET: _socket, ...env } = process.env;
    return await connect({ env, start: false, who: 'gateway' });
  }

  #desk(
    keeper: Client,
    place: () => Place | null,
    parts: Partial<Pick<NoticeDeskOptions, 'book' | 'pushBook'>> = {},
  ): NoticeDesk {
    const { book = new TokenBook(this.#folder), pushBook = new PushBook(this.#folder) } = parts;
    return new NoticeDesk({ keeper, configFile: `${this.#start.home.config}/config.json`, book, pushBook, place });
  }

  async #open(options: GatewayOptions): Promise<GatewayInfo> {
    const { host = '127.0.0.1' } = options;
    const isEverywhere = EVERYWHERE.includes(host);
    const source = options.tls ? certificateSource(options.tls, { host, isEverywhere, folder: this.#folder }) : null;
    if (!source && !LOOPBACK.includes(host))
      throw new SpoolError('GATEWAY_START_FAILED', {
        reason: `${host} is reachable from other machines, which needs TLS: give --tls-cert and --tls-key, or --tls own`,
      });
    const machine = options.tailscale ? await tailscaleName(lastPort(this.#folder)) : null;
    const outside = publicPlace(machine === null ? options.publicUrl : `https://${machine}`);
    const basePath = options.basePath ?? outside?.path ?? '';
    const proxies = new TrustedProxies(options.trustedProxies);
    const book = new TokenBook(this.#folder);
    book.watch();
    const names = new OwnNames(source ? 'https' : 'http', proxies, outside);
    // The guardian needs the port, which is known when the server listens; nobody is let in before.
    const place = { port: 0, url: '' };
    const keeper = await this.#keeper();
    const auditor = new Auditor((entries) => keeper.doors.record(entries));
    const lastUsed = new LastUsed(this.#folder);
    const links = new ActionLinks();
    const pushBook = new PushBook(this.#folder);
    const guardian = new Guardian({
      book,
      sockets: this.#start.sockets,
      directory: keeper,
      place,
      auditor,
      lastUsed,
      links,
      proxies,
    });
    const sockets = new WebSockets(guardian);
    const events = new EventStreams(keeper, `${Date.now().toString(36)}${randomBytes(3).toString('hex')}`);
    const desk = this.#desk(keeper, () => (place.url === '' ? null : { url: place.url, links }), { book, pushBook });
    const api = [
      ...SESSION_ROUTES,
      ...pageToolRoutes(guardian),
      ...eventRoutes(events),
      ...pushRoutes(pushBook, () => desk.settings['notify.pushServices']),
      ...askRoutes(links),
    ];
    book.onChange = () => {
      sockets.closeRevoked((id) => book.isValid(id));
      events.closeRevoked((id) => book.isValid(id));
      guardian.requests.closeRevoked((id) => book.isValid(id));
      lastUsed.forget((id) => book.isValid(id));
      pushBook.remove(({ token }) => !book.isValid(token));
    };
    const page = new PageFiles(fileURLToPath(new URL('./web', import.meta.url)));
    const server = await makeServer({
      names,
      basePath,
      mayBeStripped: outside !== null,
      guardian,
      certificate: source?.current ?? null,
      sockets,
      routes: [
        pageRoutes(page),
        loginRoutes({ guardian, keeper, basePath, place, isSecure: (request) => names.isSecure(request) }),
        addRoutes(guardian, api),
        healthRoutes({ keeper, sockets: () => sockets, routes: api }),
      ],
    });
    const port = await listen(server, { host, port: options.port, folder: this.#folder });
    place.port = port;
    const call = (certificate: Certificate | undefined): readonly string[] => {
      const own = [...(isEverywhere ? [] : [inUrl(host)]), ...(certificate?.names ?? [])];
      names.set([...LOOPBACK, ...own], port);
      return own;
    };
    const own = call(source?.current);
    source?.follow((next) => {
      (server as unknown as TlsServer).setSecureContext({ cert: next.cert, key: next.key });
      call(next);
    });
    const name = (source && own[0]) ?? LOOPBACK[0]!;
    const trust = source?.ca ? await this.#explainTrust(source.ca, { host, name, port, url: () => place.url }) : null;
    if (machine !== null) this.#served = await serveByTailscale(machine, port);
    const url = outside
      ? `${outside.origin}${basePath}/`
      : new URL(`${names.scheme}://${name}:${port}${basePath}/`).href;
    place.url = url;
    void desk.run();
    return { pid: process.pid, host, port, url, startedAt: Date.now(), options, ...(trust && { trust }) };
  }

  /** On the next port that is free. */
  async #explainTrust(
    ca: OwnCa,
    { host, name, port, url }: { host: string; name: string; port: number; url: () => string },
  ): Promise<GatewayInfo['trust']> {
    const hosts = new Set<string>();
    let own = '';
    const server = trustServer(ca, { hosts, url: () => own, gatewayUrl: url });
    const found = await listenFrom(server, host, port + 1);
    for (const one of [name, ...LOOPBACK]) hosts.add(`${one}:${found}`);
    for (const one of localNames(host, EVERYWHERE.includes(host))) hosts.add(`${inUrl(one)}:${found}`);
    own = `http://${name}:${found}/`;
    return { url: own, fingerprint: ca.fingerprint };
  }

  /** Gives back what was taken outside of this process. */
  async end(): Promise<never> {
    const served = this.#served;
    this.#served = null;
    await served?.stop();
    process.exit(0);
  }
}
