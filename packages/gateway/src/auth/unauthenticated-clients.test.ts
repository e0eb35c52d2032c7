import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Socket as PlainSocket, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type UnauthenticatedLimits, UnauthenticatedClients } from './unauthenticated-clients.ts';

const open: (Server | Socket)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) {
    if ('closeAllConnections' in one) one.closeAllConnections();
    if ('destroy' in one) one.destroy();
    else one.close();
  }
});

const NEVER_MS = 1_000_000;

/** Serves requests: `/token` has a valid token; `/page` is an answer without one that does not end. */
async function serve(
  limits: UnauthenticatedLimits,
): Promise<{ unauthenticated: UnauthenticatedClients; dial: (text?: string) => Promise<Socket> }> {
  const server = createServer();
  const unauthenticated = new UnauthenticatedClients(server, limits);
  server.on('request', (request, response) => {
    if (request.url === '/token') unauthenticated.know(request);
    if (request.url === '/login') return; // answered when its whole body has arrived
    if (request.url === '/page') response.writeHead(200);
    response.write('begun');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  async function dial(text = ''): Promise<Socket> {
    const accepted = new Promise((resolve) => server.once('connection', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    open.push(socket);
    await accepted;
    if (text === '') return socket.resume();
    socket.write(text);
    if (text.endsWith('\r\n\r\n')) await new Promise((resolve) => socket.once('data', resolve));
    return socket.resume();
  }
  return { unauthenticated, dial };
}

const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

test('[DOOR-17] too many strangers: the oldest goes, and whoever has shown a token stays', async () => {
  const { unauthenticated, dial } = await serve({ countMax: 3, withinMs: NEVER_MS, answerMs: NEVER_MS });
  const known = await dial(ask('/token'));
  const sockets = [await dial(), await dial('GET / HT'), await dial()];
  expect(unauthenticated.count).toBe(3);
  const ends = [closed(sockets[0]!), closed(sockets[1]!)];
  const later = [await dial(), await dial()];
  await Promise.all(ends);
  expect([known, sockets[2]!, ...later].map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  expect(unauthenticated.count).toBe(3);
});

test('[DOOR-17] a stranger is closed in time, whatever it has sent; one that reads the page is not', async () => {
  const { unauthenticated, dial } = await serve({ countMax: 100, withinMs: 200, answerMs: NEVER_MS });
  const known = await dial(ask('/token'));
  const page = await dial(ask('/page'));
  const started = performance.now();
  const silent = [
    await dial(),
    await dial('GET / HTTP/1.1\r\nHost'),
    await dial('POST / HTTP/1.1\r\nHost: x\r\nContent-Le'),
  ];
  await Promise.all(silent.map(closed));
  expect(performance.now() - started).toBeGreaterThan(190);
  await expect.poll(() => unauthenticated.count, { timeout: 20_000 }).toBe(1);
  expect([known.destroyed, page.destroyed]).toEqual([false, false]);
});

test('[DOOR-17] nobody reads the page for ever', async () => {
  const { dial } = await serve({ countMax: 100, withinMs: 200, answerMs: 1 });
  await closed(await dial(ask('/page')));
});

test('[DOOR-25] connections that were reset before they were accepted have no address, and are no one', async () => {
  const server = createServer();
  const unauthenticated = new UnauthenticatedClients(server, { countMax: 3, withinMs: 1, answerMs: NEVER_MS });
  const gone = (): Socket => {
    const socket = new PlainSocket();
    expect(socket.remoteAddress).toBe(undefined);
    server.emit('connection', socket);
    return socket;
  };
  const sockets = [gone(), gone()];
  expect([unauthenticated.count, ...sockets.map(({ destroyed }) => destroyed)]).toEqual([0, true, true]);
  const late = await serve({ countMax: 3, withinMs: 1, answerMs: NEVER_MS });
  await closed(await late.dial()); // the timers of earlier connections have fired without effect
});

test('[DOOR-17] half a login holds the door no longer than silence: whole headers, and a body that never ends', async () => {
  const { unauthenticated, dial } = await serve({ countMax: 100, withinMs: 200, answerMs: NEVER_MS });
  const socket = await dial();
  socket.write('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"code":');
  await closed(socket);
  expect(unauthenticated.count).toBe(0);
});
