import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Principal } from '../auth/principal.ts';
import { SubprotocolClient } from './subprotocol-client.ts';

test('[REM-7] a client that floods messages is not read while one of them is dealt with', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.on('listening', resolve));
  const taken: number[] = [];
  const go = Promise.withResolvers<void>();
  const paused = new Promise<boolean>((resolve) =>
    server.on('connection', (socket, request) => {
      new SubprotocolClient(socket, {} as Principal, {} as Authenticator, request).listen(async (data) => {
        if (taken.push(data.length) === 1) resolve(socket.isPaused);
        await go.promise;
      });
    }),
  );
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  onTestFinished(() => client.terminate());
  await new Promise((resolve) => client.on('open', resolve));
  const COUNT = 1000;
  for (let at = 0; at < COUNT; at++) client.send(Buffer.alloc(60_000));
  expect(await paused).toBe(true);
  expect(client.bufferedAmount).toBeGreaterThan(20_000_000); // the network holds some messages, the gateway one
  go.resolve();
  await expect.poll(() => taken.length, { timeout: 60_000 }).toBe(COUNT);
});
