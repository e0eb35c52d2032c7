import { spawn } from 'node:child_process';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionFaults, OUTSIDE_A_MINUTE } from './connection-faults.ts';

/** Starts a separate process: an uncaught exception would end the tests. */
async function start(): Promise<{ port: number; ways: string[]; said: string[]; exited: () => number | null }> {
  const child = spawn(process.execPath, [new URL('testing/faulty-server.ts', import.meta.url).pathname], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const said: string[] = [];
  const { port, ways } = await new Promise<{ port: number; ways: string[] }>((resolve) =>
    createInterface(child.stdout).on('line', (line) => {
      const told = JSON.parse(line) as { port: number; ways: string[]; said?: string };
      if (told.said === undefined) resolve(told);
      else said.push(told.said);
    }),
  );
  return { port, ways, said, exited: () => child.exitCode };
}

/** Sends a request with half a body, then the rest, then disconnects; resolves when the other side has closed. */
async function visit(port: number, way: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
    .on('error', () => {})
    .resume();
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  const upgrade = way === 'upgrade' ? 'Connection: Upgrade\r\nUpgrade: websocket\r\n' : 'Content-Length: 9\r\n';
  socket.write(`POST /${way} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\nhalf`);
  if (way === 'upgrade') setTimeout(() => socket.write('more'), 50);
  if (way === 'left' || way === 'socket') setTimeout(() => socket.resetAndDestroy(), 50);
  await closed;
}

const isWell = (port: number): Promise<number> =>
  new Promise((resolve, reject) =>
    get({ port, host: '127.0.0.1', path: '/well', agent: false }, ({ statusCode }) => resolve(statusCode!)).on(
      'error',
      reject,
    ),
  );

test('[DOOR-25] whatever goes wrong for a connection, whenever, closes that connection and nothing else', async () => {
  const { port, ways, said, exited } = await start();
  const bystander = connect(port, '127.0.0.1');
  onTestFinished(() => void bystander.destroy());
  await new Promise((resolve) => bystander.on('connect', resolve));
  for (const way of [...ways, 'upgrade']) {
    const before = said.length;
    await visit(port, way);
    if (way !== 'stream') await expect.poll(() => [way, said.length - before], { timeout: 20_000 }).toEqual([way, 1]);
    expect(await isWell(port)).toBe(200);
  }
  expect(new Set(said)).toEqual(new Set(['a fault of a connection, which is closed: Error: on purpose']));
  expect([exited(), bystander.destroyed]).toEqual([null, false]);
});

test('[DOOR-25] a fault outside of every connection is logged and counted, and the gateway ends only if they do not', () => {
  const said: string[] = [];
  const counts: object[] = [];
  let ends = 0;
  const faults = new ConnectionFaults({
    say: (line) => said.push(line),
    onEndless: () => ends++,
    onCount: (count) => counts.push(count),
  });
  for (let count = 0; count < OUTSIDE_A_MINUTE; count++) faults.take(new Error('again'));
  expect([ends, said.length, counts.at(-1)]).toEqual([0, 20, { connections: 0, outside: OUTSIDE_A_MINUTE }]);
  expect(said[0]).toMatch(/^a fault outside of every connection: Error: again\n {4}at /);
  faults.take('a word');
  expect(ends).toBe(1);
});

test('[DOOR-25] what is given away runs for the connection that gave it, and never throws to the caller', async () => {
  const said: string[] = [];
  const faults = new ConnectionFaults({ say: (line) => said.push(line), onEndless: () => {} });
  const server = createServer();
  faults.guard(server);
  onTestFinished(() => void server.close());
  const given = new Promise<() => void>((resolve) =>
    server.on('request', () =>
      resolve(
        faults.bind(() => {
          throw new Error('late');
        }),
      ),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const call = await given;
  call(); // called from outside, as a revocation does
  await closed;
  expect(said).toEqual([expect.stringMatching(/^a fault of a connection, which is closed: Error: late/)]);
  expect(faults.counts).toEqual({ connections: 1, outside: 0 });
});
