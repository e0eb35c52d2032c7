/** Which part of the gateway knows which: made here, and nowhere else. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { doorsFolder, type GatewayStart } from '@spool/protocol';
import { Auditor } from './auditor.ts';
import { EventStreams } from './events/event-streams.ts';
import { Guardian } from './guardian.ts';
import { LastUsed } from './last-used.ts';
import { ActionLinks } from './notices/action-links.ts';
import { NoticeDesk } from './notices/notice-desk.ts';
import { PushBook } from './notices/push-book.ts';
import type { OwnNames } from './own-names.ts';
import { PageFiles } from './page-files.ts';
import type { Placement } from './placement.ts';
import { askRoutes } from './routes/asks.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { loginRoutes } from './routes/login.ts';
import { pageRoutes } from './routes/page.ts';
import { pageToolRoutes } from './routes/page-tools.ts';
import { pushRoutes } from './routes/push.ts';
import { addRoutes } from './routes/route.ts';
import { SESSION_ROUTES } from './routes/sessions.ts';
import { makeServer } from './server.ts';
import { TokenBook } from './token-book.ts';
import { Visits } from './visits.ts';
import { WebSockets } from './websockets.ts';

export interface Wired {
  readonly server: Server;
  readonly desk: NoticeDesk;
  /** Known when the server listens; nobody is let in before. */
  readonly place: { port: number; url: string };
}

export async function wire(
  { home, sockets: paths }: GatewayStart,
  { basePath, outside, proxies, source }: Placement,
  names: OwnNames,
  keeper: Client,
): Promise<Wired> {
  const folder = doorsFolder(home);
  const place = { port: 0, url: '' };
  const book = new TokenBook(folder);
  book.watch();
  const auditor = new Auditor((entries) => keeper.doors.record(entries));
  const lastUsed = new LastUsed(folder);
  const links = new ActionLinks();
  const pushBook = new PushBook(folder);
  const visits = new Visits((await keeper.status()).openFiles?.connectionsMax);
  const guardian = new Guardian({
    book,
    sockets: paths,
    directory: keeper,
    place,
    auditor,
    lastUsed,
    links,
    proxies,
    visits,
  });
  book.onChange = () => {
    const isValid = (id: string): boolean => book.isValid(id);
    visits.closeRevoked(isValid);
    lastUsed.forget(isValid);
    pushBook.remove(({ token }) => !isValid(token));
  };
  const sockets = new WebSockets(guardian);
  const events = new EventStreams(keeper, `${Date.now().toString(36)}${randomBytes(3).toString('hex')}`);
  const desk = new NoticeDesk({
    keeper,
    configFile: `${home.config}/config.json`,
    book,
    pushBook,
    place: () => (place.url === '' ? null : { url: place.url, links }),
  });
  const api = [
    ...SESSION_ROUTES,
    ...pageToolRoutes(guardian),
    ...eventRoutes(events),
    ...pushRoutes(pushBook, () => desk.settings['notify.pushServices']),
    ...askRoutes(links),
  ];
  const server = await makeServer({
    names,
    basePath,
    mayBeStripped: outside !== null,
    guardian,
    certificate: source?.current ?? null,
    sockets,
    routes: [
      pageRoutes(new PageFiles(fileURLToPath(new URL('./web', import.meta.url)))),
      loginRoutes({ guardian, keeper, basePath, place, isSecure: (request) => names.isSecure(request) }),
      addRoutes(guardian, api),
      healthRoutes({ keeper, sockets: () => sockets, routes: api }),
    ],
  });
  return { server, desk, place };
}
