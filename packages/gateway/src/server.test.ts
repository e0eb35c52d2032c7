import { expect, test } from 'vitest';
import type { Guardian } from './guardian.ts';
import { makeServer } from './server.ts';
import { TrustedProxies } from './trusted-proxies.ts';
import type { WebSockets } from './websockets.ts';

test('[DOOR-4] a route without a row in the table of roles cannot be registered', async () => {
  const options = {
    names: { hosts: new Set<string>(), origins: new Set<string>(), proxies: new TrustedProxies(), page: '/below' },
    mayBeStripped: false,
    basePath: '/below',
    guardian: {} as Guardian,
    certificate: null,
    sockets: {} as WebSockets,
  };
  const withRoute = (url: string): Promise<unknown> =>
    makeServer({ ...options, routes: [(app) => void app.get(url, () => ({}))] });
  await expect(withRoute('/api/sessions')).resolves.toBeDefined();
  await expect(withRoute('/api/secrets')).rejects.toThrow('GET /api/secrets has no row');
});
