import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type StrangerLimits, Strangers } from './strangers.ts';

const open: (Server | Socket)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) {
    if ('closeAllConnections' in one) one.closeAllConnections();
    if ('destroy' in one) one.destroy();
    else one.close();
  }
});

const NEVER_MS = 1_000_000;

/** `/token` shows one; `/page` is an answer without one that does not end. */
async function serve(
  limits: StrangerLimits,
): Promise<{ strangers: Strangers; dial: (text?: string) => Promise<Socket> }> {
  const server = createServer();
  const strangers = new Strangers(server, limits);
  server.on('request', (request, response) => {
    if (request.url === '/token') strangers.know(request);
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
  return { strangers, dial };
}

const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

test('[DOOR-17] too many strangers: the oldest goes, and whoever has shown a token stays', async () => {
  const { strangers, dial } = await serve({ countMax: 3, withinMs: NEVER_MS, answerMs: NEVER_MS });
  const known = await dial(ask('/token'));
  const sockets = [await dial(), await dial('GET / HT'), await dial()];
  expect(strangers.count).toBe(3);
  const ends = [closed(sockets[0]!), closed(sockets[1]!)];
  const later = [await dial(), await dial()];
  await Promise.all(ends);
  expect([known, sockets[2]!, ...later].map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  expect(strangers.count).toBe(3);
});

test('[DOOR-17] a stranger is closed in time, whatever it has sent; one that reads the page is not', async () => {
  const { strangers, dial } = await serve({ countMax: 100, withinMs: 200, answerMs: NEVER_MS });
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
  await expect.poll(() => strangers.count, { timeout: 20_000 }).toBe(1);
  expect([known.destroyed, page.destroyed]).toEqual([false, false]);
});

test('[DOOR-17] nobody reads the page for ever', async () => {
  const { dial } = await serve({ countMax: 100, withinMs: 200, answerMs: 1 });
  await closed(await dial(ask('/page')));
});
