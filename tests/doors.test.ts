/** Attacks on the doors, from outside. Each row was seen to succeed without its defence. */
import { TestDaemon } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

let daemon: TestDaemon;
let gateway: TestGateway;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

test('[DOOR-2] other names than ours are refused on every path, before everything else', async () => {
  const { token } = await gateway.token('owner');
  const { port } = gateway;
  const hosts = [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `0.0.0.0:${port}`,
    `[::]:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `LOCALHOST:${port}`,
    `127.0.0.1.:${port}`,
  ];
  for (const host of hosts)
    for (const path of ['/', '/api/sessions', '/healthz', '/nothing']) {
      const { status, code } = await gateway.ask(path, { token, headers: { host } });
      expect([host, path, status, code]).toEqual([host, path, 421, 'HOST_REFUSED']);
    }
  expect((await gateway.ask('/api/sessions', { token })).status).toBe(200);
});

test('[DOOR-2] other origins are refused on every path and upgrade, with a token or a cookie', async () => {
  const { token } = await gateway.token('owner');
  const cookie = await gateway.login();
  const { port } = gateway;
  const origins = [
    'https://evil.example',
    'null',
    `http://127.0.0.1:${port + 1}`,
    `http://127.0.0.1.evil:${port}`,
    `http://localhost.evil:${port}`,
    `HTTP://127.0.0.1:${port}`,
    `http://127.0.0.1.:${port}`,
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}`,
  ];
  const ways = { bearer: { authorization: `Bearer ${token}` }, cookie: { cookie }, none: {} };
  for (const origin of origins)
    for (const [way, headers] of Object.entries(ways)) {
      const { status } = await gateway.ask('/api/sessions', { headers: { ...headers, origin } });
      const socket = await gateway.socket({ ...headers, origin }).then(
        () => 'open',
        (error: Error) => error.message,
      );
      expect([origin, way, status, socket]).toEqual([origin, way, 403, 'refused with 403']);
    }
});

test('[DOOR-6] the page has a strict policy with a nonce of its own, and an unknown asset is no page', async () => {
  const [one, two] = [await gateway.ask('/'), await gateway.ask('/')];
  const [first, second] = [one, two].map(({ headers }) => String(headers['content-security-policy']));
  expect(first).not.toBe(second);
  expect(first).toMatch(/^default-src 'none'; script-src 'self' 'nonce-\S+'; .*require-trusted-types-for 'script'/);
  expect(first).not.toMatch(/unsafe/);
  for (const path of [
    '/assets/old-1234.js',
    '/assets/../gateway.mjs',
    '/assets/%2e%2e/gateway.mjs',
    '/assets/',
    '/etc',
  ])
    expect([path, (await gateway.ask(path)).status]).toEqual([path, 404]);
});
