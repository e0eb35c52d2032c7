import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionFaults } from './connection-faults.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { HeldBytes } from './held-bytes.ts';
import type { JoinEntrance } from '../nodes/join-entrance.ts';
import { makeGatewayServer } from './server.ts';
import { TrustedProxies } from './trusted-proxies.ts';
import type { WebSockets } from '../websocket/websockets.ts';

const options = {
  names: { hosts: new Set<string>(), origins: new Set<string>(), proxies: new TrustedProxies(), page: '/below' },
  mayBeStripped: false,
  basePath: '/below',
  authenticator: {} as Authenticator,
  certificate: null,
  sockets: {} as WebSockets,
  entrance: {} as JoinEntrance,
  held: new HeldBytes(),
  get faults() {
    return new ConnectionFaults({ say: (line) => expect.unreachable(line), onEndless: () => {} });
  },
};

test('[DOOR-4] a route without a row in the table of roles cannot be registered', async () => {
  const withRoute = (url: string): Promise<unknown> =>
    makeGatewayServer({ ...options, routes: [(app) => void app.get(url, () => ({}))] });
  await expect(withRoute('/api/sessions')).resolves.toMatchObject({ listening: false });
  await expect(withRoute('/api/secrets')).rejects.toThrow('GET /api/secrets has no row');
});

test('[API-1] a path that cannot be decoded is answered with problem details, as every other error', async () => {
  const hosts = new Set<string>();
  const server = await makeGatewayServer({ ...options, names: { ...options.names, hosts }, basePath: '', routes: [] });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  hosts.add(host);
  const answer = await fetch(`http://${host}/api/sessions/%ff`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json; charset=utf-8']);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.json()).toMatchObject({ code: 'REQUEST_INVALID' });
});
