import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

test('[PAGE-41] a device that is switched off leaves the list of the gateway', async () => {
  const asked: string[] = [];
  const gateway = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const subscriptions = [{ id: 'mine', service: 'x' }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ publicKey: 'k', subscriptions }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;
  let isSubscribed = true;
  const unsubscribe = async (): Promise<void> => void (isSubscribed = false);
  const getRegistration = async (): Promise<object> => ({
    pushManager: { getSubscription: async () => ({ unsubscribe }) },
  });
  vi.stubGlobal('location', new URL(origin));
  vi.stubGlobal('document', { baseURI: origin, addEventListener: () => {}, querySelector: () => null });
  vi.stubGlobal('window', { addEventListener: () => {}, location: new URL(origin) });
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration } });
  const { holdPass } = await import('../link/pass.ts');
  holdPass({ pass: 'pass', passMs: 3_600_000 });
  const { stopPush } = await import('./push.ts');
  expect(await stopPush()).toBe('off');
  expect(isSubscribed).toBe(false);
  expect(asked).toEqual(['GET /api/push', 'DELETE /api/push/mine']);
  gateway.close();
});
