/** Tests attacks on the gateway, from outside. Each row was seen to succeed without its defence. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { TestDaemon } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestGateway } from './support/gateway.ts';

/** The length of the secret part of a token; it may contain any letter that separates parts, too. */
const SECRET_CHARACTERS = 43;

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

test('[DOOR-2] other origins are refused on every path and upgrade, with a token or the pass of a browser', async () => {
  const { token } = await gateway.token('owner');
  const { authorization } = (await gateway.login()).headers;
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
  const ways = { bearer: { authorization: `Bearer ${token}` }, pass: { authorization }, none: {} };
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

/** Sends raw bytes on a separate socket; returns all bytes of the answer until the end. */
async function raw(text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let all = '';
    socket.setEncoding('latin1').on('data', (part: string) => (all += part));
    socket.on('close', () => resolve(all)).on('error', reject);
    socket.write(text); // `end` is not used: a client that has left is not answered
  });
}

test('[DOOR-2] no host, two hosts and a host in the request line are refused', async () => {
  const { token } = await gateway.token('owner');
  const own = `Host: 127.0.0.1:${gateway.port}\r\n`;
  const rest = `Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
  const first = async (text: string): Promise<string> => (await raw(text)).split(' ')[1]!;
  expect({
    own: await first(`GET /api/sessions HTTP/1.1\r\n${own}${rest}`),
    none: await first(`GET /api/sessions HTTP/1.1\r\n${rest}`),
    noneAndOld: await first(`GET /api/sessions HTTP/1.0\r\n${rest}`),
    two: await first(`GET /api/sessions HTTP/1.1\r\n${own}Host: evil\r\n${rest}`),
    twice: await first(`GET /api/sessions HTTP/1.1\r\n${own}${own}${rest}`),
    absolute: await first(`GET http://127.0.0.1:${gateway.port}/api/sessions HTTP/1.1\r\n${own}${rest}`),
    twoOrigins: await first(
      `GET /api/sessions HTTP/1.1\r\n${own}Origin: ${gateway.origin}\r\nOrigin: http://evil\r\n${rest}`,
    ),
  }).toEqual({
    own: '200',
    none: '400',
    noneAndOld: '421',
    two: '421',
    twice: '421',
    absolute: '421',
    twoOrigins: '403',
  });
});

test('[DOOR-3] a form or a script of another site changes nothing, even with the pass of our page', async () => {
  const { url } = await daemon.json<{ url: string }>('web', '--no-open');
  const { authorization } = (await gateway.login(new URL(url).hash.slice(6))).headers;
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'target' });
  const body = '{"text":"x"}';
  const path = '/api/sessions/target/input';
  const ways: Record<string, Record<string, string>> = {
    form: { 'content-type': 'application/x-www-form-urlencoded', origin: gateway.origin },
    text: { 'content-type': 'text/plain', origin: gateway.origin },
    'text that says json': { 'content-type': 'text/plain; application/json', origin: gateway.origin },
    'no type': { 'content-type': '', origin: gateway.origin },
    'no origin': {},
    'same site': { 'sec-fetch-site': 'same-site' },
    'cross site': { 'sec-fetch-site': 'cross-site' },
  };
  for (const [way, headers] of Object.entries(ways)) {
    const { status } = await gateway.ask(path, { body, headers: { authorization, ...headers } });
    expect([way, status >= 400]).toEqual([way, true]);
  }
  expect((await client.get('target')).offset).toBe(0);
  const page = await gateway.ask(path, { body, headers: { authorization, origin: gateway.origin } });
  const fetched = await gateway.ask(path, { body, headers: { authorization, 'sec-fetch-site': 'same-origin' } });
  expect([page.status, fetched.status]).toEqual([200, 200]);
  await client.kill('target');
});

test('[DOOR-56] no answer allows another site to read it, and a preflight is not answered', async () => {
  const { token } = await gateway.token('owner');
  for (const path of ['/', '/healthz', '/api/sessions', '/api/me', '/nothing']) {
    const { headers } = await gateway.ask(path, { token });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  const preflight = await gateway.ask('/api/sessions', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(403);
});

test('[DOOR-57] the gateway does not listen on another address without TLS', async () => {
  const other = new TestDaemon();
  try {
    const { code, stderr } = await other.spool(['web', '--no-open', '--host', '0.0.0.0']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('needs TLS')]);
    const listening = execFileSync('sh', ['-c', 'cat /proc/net/tcp | awk \'$4 == "0A" {print $2}\''], {
      encoding: 'utf8',
    });
    expect(listening).not.toMatch(new RegExp(`00000000:${(7733).toString(16).toUpperCase()}`));
  } finally {
    await other[Symbol.asyncDispose]();
  }
});

test('[DOOR-40] 200 wrong tokens are refused, then told to wait, and right ones still open', async () => {
  const { token } = await gateway.token('viewer');
  const wrong = (): Promise<number> =>
    gateway.ask('/api/sessions', { token: `spool_0123456789_${'a'.repeat(43)}` }).then(({ status }) => status);
  const statuses = await Promise.all(Array.from({ length: 200 }, wrong));
  expect([...new Set(statuses)].sort()).toEqual([401, 429]);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  expect((await gateway.ask('/api/sessions', { token })).status).toBe(200);
  const forwarded = await gateway.ask('/api/me', { token: 'x', headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(forwarded.status).toBe(429);
});

test('[DOOR-5] too much before a login is refused: headers, bodies, messages', async () => {
  const { token } = await gateway.token('owner');
  const large = await gateway.ask('/api/me', { token, headers: { 'x-large': 'a'.repeat(20_000) } });
  expect(large.status).toBe(431);
  const body = JSON.stringify({ code: 'a'.repeat(2_000_000) });
  const refused = await gateway.ask('/api/login', { body, headers: { origin: gateway.origin } }).catch(() => null);
  expect(refused === null || refused.status === 413).toBe(true);
  const socket = await gateway.frames(token);
  socket.client.send(Buffer.alloc(2_000_000));
  expect(await socket.closed).toBe(1009);
  expect((await gateway.ask('/api/me', { token })).status).toBe(200);
});

test('[DOOR-11] after a full use, no token or code is in a file, a log, an argument or an environment', async () => {
  const { token } = await gateway.token('owner');
  const { url } = await daemon.json<{ url: string }>('web', '--no-open');
  const code = new URL(url).hash.slice('#code='.length);
  const browser = await gateway.login(code);
  await gateway.ask('/api/sessions', { token });
  await gateway.ask('/api/sessions', { headers: browser.headers });
  (await gateway.frames(token)).close();
  const page = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`, ['spool.v1', `spool.bearer.${token}`]);
  await new Promise((resolve, reject) => page.on('open', resolve).on('error', reject));
  page.terminate();
  await (await daemon.client()).run({ command: ['cat'], name: 'shared' });
  const shared = await daemon.json<{ url: string }>('share', 'shared');
  const link = new URL(shared.url).hash.slice('#code='.length);
  const guest = await gateway.login(link);
  await gateway.ask(`/api/sessions?token=${token}`); // a careless client: the address is not logged
  await gateway.ask('/api/me', { token: `${token}x` });
  await daemon.spool(['audit']);
  await daemon.spool(['token', 'ls']);
  const secrets = [token, code, browser.pass, link, guest.pass].map((text) => text.slice(-SECRET_CHARACTERS));
  const files = readdirSync(daemon.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const processes = daemon.processes().flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  const found = [...files, ...processes].filter((file) => {
    const text = readFileSync(file, 'latin1');
    return secrets.some((secret) => text.includes(secret));
  });
  expect([files.length > 3, found]).toEqual([true, []]);
});
