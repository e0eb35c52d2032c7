/** Creates the parts of the gateway and connects them. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { doorsFolder, fleetsFile, type GatewayStart, joinsFile, nodesFile, nodeSocketBeside } from '@spool/protocol';
import { openRequest } from './auth/answer-note.ts';
import { Auditor } from './auth/auditor.ts';
import type { ConnectionFaults } from './http/connection-faults.ts';
import { EventStreams } from './http/events/event-streams.ts';
import { Authenticator } from './auth/authenticator.ts';
import { HeldBytes } from './http/held-bytes.ts';
import { LastUsed } from './auth/last-used.ts';
import { ActionLinks } from './push/action-links.ts';
import { NoticeSender } from './push/notice-sender.ts';
import { PushTargets } from './push/push-targets.ts';
import type { OwnNames } from './http/own-names.ts';
import { PageFiles, pagesBeside } from './http/page-files.ts';
import type { Placement } from './http/placement.ts';
import { askRoutes } from './http/routes/asks.ts';
import { eventRoutes } from './http/routes/events.ts';
import { healthRoutes } from './http/routes/health.ts';
import { loginRoutes } from './http/routes/login.ts';
import { pageRoutes } from './http/routes/page.ts';
import { pageToolRoutes } from './http/routes/page-tools.ts';
import { pushRoutes } from './http/routes/push.ts';
import { addRoutes } from './http/routes/route.ts';
import { SESSION_ROUTES } from './http/routes/sessions.ts';
import { Passes } from './auth/passes.ts';
import { makeGatewayServer } from './http/server.ts';
import { TokenCache } from './auth/token-cache.ts';
import { ActiveRequests } from './http/active-requests.ts';
import { WebSockets } from './websocket/websockets.ts';
import { Fleets } from './nats/fleets.ts';
import { DialledNodes } from './nodes/dialled-nodes.ts';
import { JoinEntrance } from './nodes/join-entrance.ts';
import { JoinedMachines } from './nodes/joined-machines.ts';
import { MachineKey } from './nodes/machine-key.ts';
import { listenForClients } from './nodes/node-socket.ts';
import { LINK_DIALECT, speakLink } from './nodes/link-dialect.ts';
import { fleetFileAt, joinFileAt, nodeFileAt } from './nodes/records.ts';
import { NodeRegistry } from './nodes/registry.ts';
import { NodeNotices } from './nodes/node-notices.ts';
import { RelayedRoutes } from './nodes/relayed-routes.ts';
import { ServedLinks } from './nodes/served-links.ts';
import { SeenSessions } from './nodes/seen-sessions.ts';
import { nodeRoutes } from './http/routes/nodes.ts';
import { nodeToolRoutes, onNodes } from './http/routes/node-tools.ts';

export interface WiredServer {
  readonly server: Server;
  readonly noticeSender: NoticeSender;
  /** The address, known when the server listens; no client is admitted before. */
  readonly place: { port: number; url: string };
  /** Says to other machines that this gateway ends. */
  leave(): Promise<void>;
}

export async function wire(
  { home, sockets: paths }: GatewayStart,
  { basePath, outside, proxies, source }: Placement,
  names: OwnNames,
  keeper: Client,
  faults: ConnectionFaults,
): Promise<WiredServer> {
  const folder = doorsFolder(home);
  const place = { port: 0, url: '' };
  const tokenCache = new TokenCache(folder);
  tokenCache.watch();
  const auditor = new Auditor((entries) => keeper.doors.record(entries));
  const lastUsed = new LastUsed(folder);
  const links = new ActionLinks();
  const pushTargets = new PushTargets(folder);
  const bind: ConnectionFaults['bind'] = (act) => faults.bind(act);
  const activeRequests = new ActiveRequests((await keeper.status()).openFiles?.connectionsMax, bind);
  const held = new HeldBytes();
  const authenticator = new Authenticator({
    tokenCache,
    sockets: paths,
    directory: {
      get: (session) => keeper.get(session),
      list: (options) => keeper.list(options),
      offsetAt: (session, time) => keeper.offsetAt(session, time),
      openRequest: (session, request) => openRequest(keeper, session, request),
    },
    place,
    auditor,
    lastUsed,
    passes: new Passes(),
    links,
    proxies,
    activeRequests,
  });
  const page = fileURLToPath(new URL('./web', import.meta.url));
  const key = MachineKey.in(folder);
  const registry = new NodeRegistry(nodeFileAt(nodesFile(home)), new SeenSessions(`${folder}/nodes`));
  const notices = new NodeNotices(keeper);
  registry.onNotification = (node, notification) => void notices.pass(node, notification);
  const tools = pageToolRoutes(authenticator);
  const relayed = new RelayedRoutes(tools, authenticator);
  const served = new ServedLinks();
  const services = { authenticator, key, relayed, served };
  const joined = new JoinedMachines({ ...services, file: joinFileAt(joinsFile(home)), keeper });
  const fleets = new Fleets({
    file: fleetFileAt(fleetsFile(home)),
    seedFile: `${folder}/nats.nk`,
    services,
    keeper,
    registry,
  });
  listenForClients(paths.map(nodeSocketBeside), {
    registry,
    joined,
    dialled: new DialledNodes(registry, fleets),
    fleets,
    services,
    keeper,
  });
  tokenCache.onChange = () => {
    joined.closeRevoked();
    fleets.closeRevoked();
    const isValid = (id: string): boolean => tokenCache.isValid(id);
    activeRequests.closeRevoked(isValid);
    lastUsed.forget(isValid);
    pushTargets.remove(({ token }) => !isValid(token));
  };
  const sockets = new WebSockets(authenticator, held, registry, {
    [LINK_DIALECT]: speakLink(services),
  });
  const events = new EventStreams(keeper, `${Date.now().toString(36)}${randomBytes(3).toString('hex')}`, bind);
  const noticeSender = new NoticeSender({
    keeper,
    configFile: `${home.config}/config.json`,
    tokenCache,
    pushTargets,
    place: () => (place.url === '' ? null : { url: place.url, links }),
  });
  const api = [
    ...SESSION_ROUTES,
    ...tools,
    ...eventRoutes(events),
    ...pushRoutes(pushTargets, () => noticeSender.settings['notify.pushServices']),
    ...askRoutes(links),
  ];
  const server = await makeGatewayServer({
    names,
    basePath,
    mayBeStripped: outside !== null,
    authenticator,
    certificate: source?.current ?? null,
    sockets,
    entrance: new JoinEntrance(key, registry),
    faults,
    held,
    routes: [
      pageRoutes(new PageFiles(page, pagesBeside(page))),
      loginRoutes({ authenticator, keeper, place }),
      nodeRoutes({ authenticator, keeper, registry, key }),
      nodeToolRoutes(registry, onNodes(tools)),
      addRoutes(authenticator, api),
      healthRoutes({
        keeper,
        sockets: () => sockets,
        faults: () => faults.counts,
        routes: [...api, ...onNodes(tools)],
      }),
    ],
  });
  const leave = async (): Promise<void> => {
    joined.end();
    await served.end();
    await fleets.end();
  };
  return { server, noticeSender, place, leave };
}
