/** Tests the features for phones: accepted certificates, proxies and tunnels, Tailscale, and codes to scan. */
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as plainRequest, type Server } from 'node:http';
import { request } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { publicPoint, TestBrowser, TestGateway } from './support/gateway.ts';

interface OpenedGateway {
  readonly url: string;
  readonly port: number;
}

const openssl = (...args: string[]): string => execFileSync('openssl', args, { encoding: 'utf8' });

/** Requests a page without TLS; returns its status, headers and body. */
async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string; body: Buffer; headers: object }> {
  return await new Promise((resolve, reject) => {
    plainRequest(url, { headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type']!,
          body: Buffer.concat(parts),
          headers: response.headers,
        }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test('[DOOR-19, DOOR-53, DOOR-54] the own CA: OpenSSL and curl accept what it signs, for local names only, and its key is private', async () => {
  await using daemon = new TestDaemon();
  const { url, port } = await daemon.json<OpenedGateway>('web', '--no-open', '--host', '127.0.0.2', '--tls', 'own');
  expect(url).toContain(`https://127.0.0.2:${port}/#code=`);
  const trust = await daemon.json<{ url: string; fingerprint: string }>('web', 'trust');
  const page = await get(trust.url);
  expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
  const html = page.body.toString();
  for (const word of [trust.fingerprint, 'iPhone', 'Android', 'macOS', 'Windows', 'Linux', '<svg', 'spool web trust'])
    expect([word, html.includes(word)]).toEqual([word, true]);
  expect(html).not.toMatch(/spool_|code=|<script/);
  expect(page.headers).toMatchObject({
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
  });
  expect(Object.keys(page.headers)).not.toContain('set-cookie');
  const download = await get(`${trust.url}spool-ca.crt`);
  expect([download.status, download.type]).toEqual([200, 'application/x-x509-ca-cert']);
  const [der, ca, leaf] = [`${daemon.home}/ca.der`, `${daemon.home}/ca.pem`, `${daemon.home}/leaf.pem`];
  writeFileSync(der, download.body);
  openssl('x509', '-inform', 'der', '-in', der, '-out', ca);
  expect(openssl('x509', '-in', ca, '-noout', '-fingerprint', '-sha256')).toContain(trust.fingerprint);
  const shown = openssl('x509', '-in', ca, '-noout', '-text');
  for (const word of ['CA:TRUE, pathlen:0', 'Certificate Sign', 'X509v3 Name Constraints: critical', 'DNS:local'])
    expect([word, shown.includes(word)]).toEqual([word, true]);
  const served = await new Promise<Buffer>((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.2', port, ca: readFileSync(ca) }, () => {
      resolve(socket.getPeerX509Certificate()!.raw);
      socket.destroy();
    }).on('error', reject);
  });
  writeFileSync(
    leaf,
    `-----BEGIN CERTIFICATE-----\n${served.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  );
  expect(
    openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-verify_ip', '127.0.0.2', '-CAfile', ca, leaf),
  ).toContain('OK');
  const text = openssl('x509', '-in', leaf, '-noout', '-text');
  for (const word of ['TLS Web Server Authentication', 'IP Address:127.0.0.2', 'DNS:localhost', 'Digital Signature'])
    expect([word, text.includes(word)]).toEqual([word, true]);
  const [from, until_] = ['Not Before', 'Not After '].map((word) =>
    new Date(new RegExp(`${word}: (.*)`).exec(text)![1]!).getTime(),
  );
  expect((until_! - from!) / 86_400_000).toBeLessThanOrEqual(397);
  const curl = spawnSync('curl', ['-sS', '--noproxy', '*', '--cacert', ca, `https://127.0.0.2:${port}/healthz`], {
    encoding: 'utf8',
  });
  expect([curl.stdout, curl.stderr]).toEqual(['{"status":"ok"}', '']);
  const untrusted = spawnSync('curl', ['-sS', '--noproxy', '*', `https://127.0.0.2:${port}/healthz`], {
    encoding: 'utf8',
  });
  expect(untrusted.status).toBe(60);
  expect(statSync(`${daemon.home}/doors/ca-key.pem`).mode & 0o777).toBe(0o600);
  // The page for installing the CA: only these two paths, and only by its own names.
  for (const path of ['api/sessions', 'ws', 'assets/x', 'ca-key.pem', '../doors/ca-key.pem', '%2e%2e/ca-key.pem'])
    expect([path, (await get(`${trust.url}${path}`)).status]).toEqual([path, 404]);
  expect((await get(trust.url, { host: 'evil.example' })).status).toBe(421);
  // The next gateway has the same CA.
  await daemon.json('web', 'stop');
  await daemon.json('web', '--no-open', '--host', '127.0.0.2', '--tls', 'own');
  expect((await daemon.json<{ fingerprint: string }>('web', 'trust')).fingerprint).toBe(trust.fingerprint);
  const refused = await daemon.spool(['web', '--no-open', '--host', '192.0.2.7', '--tls', 'own']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Spool's CA is for private addresses")]);
});

test('[DOOR-19] a self-signed certificate comes with a warning', async () => {
  await using daemon = new TestDaemon();
  const { stderr } = await daemon.spool(['web', '--no-open', '--host', '127.0.0.2', '--tls', 'self-signed']);
  expect(stderr).toContain('Phones refuse a self-signed certificate');
});

test('[DOOR-20] a renewed certificate is used without a restart, a broken one is not', async () => {
  await using daemon = new TestDaemon();
  await daemon.json('daemon', 'start');
  const [cert, key] = [`${daemon.home}/cert.pem`, `${daemon.home}/key.pem`];
  const make = (name: string): void => {
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name} -addext subjectAltName=DNS:${name},IP:127.0.0.2`;
    execFileSync('openssl', [...options.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  };
  make('first.test');
  const flags = ['--host', '127.0.0.2', '--tls-cert', cert, '--tls-key', key];
  const { port } = await daemon.json<OpenedGateway>('web', '--no-open', ...flags);
  const { pid } = (await (await daemon.client()).status()).gateway!;
  const served = async (): Promise<string> =>
    await new Promise((resolve, reject) => {
      const socket = connectTls({ host: '127.0.0.2', port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()!.subject);
        socket.destroy();
      }).on('error', reject);
    });
  const statusFor = async (host: string): Promise<number> =>
    await new Promise((resolve, reject) =>
      request(
        {
          host: '127.0.0.2',
          port,
          path: '/healthz',
          rejectUnauthorized: false,
          agent: false,
          headers: { host: `${host}:${port}` },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      )
        .on('error', reject)
        .end(),
    );
  expect([await served(), await statusFor('first.test')]).toEqual(['CN=first.test', 200]);
  make('second.test');
  await until('the new one is used', async () => (await served()) === 'CN=second.test');
  expect([await statusFor('first.test'), await statusFor('second.test')]).toEqual([421, 200]);
  writeFileSync(key, 'nonsense');
  const log = (): string => readFileSync(`${daemon.home}/daemon.log`, 'utf8');
  await until('it is said', () => log().includes('the new certificate cannot be used, the old one stays'));
  expect(await served()).toBe('CN=second.test');
  make('third.test');
  await until('the next good one is used', async () => (await served()) === 'CN=third.test');
  expect((await (await daemon.client()).status()).gateway!.pid).toBe(pid);
});

/** Starts a typical reverse proxy: it may remove a prefix, and names its client. */
async function proxy(
  to: number,
  prefix: string,
  more: Record<string, string> = {},
): Promise<Server & { port: number }> {
  const pathOf = (url: string): string => (url.startsWith(prefix) ? url.slice(prefix.length) || '/' : url);
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, 'x-forwarded-for': '203.0.113.9', ...more };
    const passed = plainRequest(
      { host: '127.0.0.1', port: to, path: pathOf(asked.url!), method: asked.method, headers },
      (got) => {
        answer.writeHead(got.statusCode!, got.headers);
        got.pipe(answer);
      },
    );
    asked.pipe(passed);
  });
  server.on('upgrade', (asked, socket, head) => {
    const onward = connect(to, '127.0.0.1', () => {
      const lines = Object.entries(asked.headers).map(([name, value]) => `${name}: ${String(value)}`);
      onward.write(`GET ${pathOf(asked.url!)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

test('[DOOR-21] behind a proxy it is called by its public name, with the base path or without, and by no other', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon, '--public-url', 'https://spool.example.org/base');
  expect(gateway.url).toContain('https://spool.example.org/base/#code=');
  const { token } = await gateway.token('viewer');
  const [origin, host] = ['https://spool.example.org', 'spool.example.org'];
  for (const prefix of ['/base', '']) {
    const before = await proxy(gateway.port, prefix);
    const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
      (await get(`http://127.0.0.1:${before.port}${path}`, { host, authorization: `Bearer ${token}`, ...headers }))
        .status;
    expect([
      prefix,
      await status('/base/api/sessions'),
      await status('/base/'),
      await status('/base/nothing/at/all'),
    ]).toEqual([prefix, 200, 200, 404]);
    expect(await status('/base/api/sessions', { origin })).toBe(200);
    expect(await status('/base/api/sessions', { host: 'evil.example' })).toBe(421);
    expect(await status('/base/api/sessions', { origin: 'https://spool.example.org.evil' })).toBe(403);
    expect(await status('/base/api/sessions', { origin: 'http://spool.example.org' })).toBe(403);
    const socket = new WebSocket(`ws://127.0.0.1:${before.port}/base/ws`, {
      headers: { host, origin, authorization: `Bearer ${token}` },
    });
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    socket.terminate();
    before.closeAllConnections();
    before.close();
  }
  // Over the public name a browser signs for the public origin.
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const headers = { host, origin };
  const login = { code: gateway.code, key: publicPoint(keys.publicKey) };
  const { text } = await gateway.ask('/base/api/login', { body: login, headers });
  const { id, pass } = JSON.parse(text) as { id: string; pass: string };
  const browser = new TestBrowser(gateway, id, keys.privateKey, pass);
  const challenged = await gateway.ask('/base/api/challenge', { body: {}, headers });
  const { challenge } = JSON.parse(challenged.text) as { challenge: string };
  const signature = browser.sign(challenge, { origin });
  const passed = await gateway.ask('/base/api/pass', { body: { device: id, challenge, signature }, headers });
  expect([passed.status, passed.headers['set-cookie']]).toEqual([200, undefined]);
});

test('[DOOR-21] what a proxy says counts only if it is trusted', async () => {
  await using daemon = new TestDaemon();
  const lines = async (): Promise<{ what: string; address?: string }[]> =>
    (await daemon.spool(['audit', '--json'])).stdout
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { what: string });
  const refusedFrom = async (...flags: string[]): Promise<string | undefined> => {
    const gateway = await TestGateway.start(daemon, ...flags);
    const count = (await lines()).filter(({ what }) => what === 'refused').length;
    const forwarded = {
      'x-forwarded-for': '198.51.100.1, 203.0.113.9',
      'x-forwarded-host': `127.0.0.1:${gateway.port}`,
    };
    await gateway.ask('/api/me', { token: 'wrong', headers: forwarded });
    await until('it is recorded', async () => (await lines()).filter(({ what }) => what === 'refused').length > count);
    return (await lines()).findLast(({ what }) => what === 'refused')!.address;
  };
  expect(await refusedFrom('--public-url', 'https://a.example')).toBe('127.0.0.1');
  expect(await refusedFrom('--public-url', 'https://a.example', '--trust-proxy', '10.0.0.0/8')).toBe('127.0.0.1');
  // The address that the proxy itself has seen; earlier addresses come from the client.
  expect(await refusedFrom('--public-url', 'https://a.example', '--trust-proxy', '127.0.0.1')).toBe('203.0.113.9');
  const gateway = await TestGateway.start(daemon, '--public-url', 'https://a.example', '--trust-proxy', '127.0.0.1');
  expect((await gateway.ask('/healthz', { headers: { 'x-forwarded-host': 'evil.example' } })).status).toBe(421);
  expect((await gateway.ask('/healthz', { headers: { 'x-forwarded-host': 'a.example' } })).status).toBe(200);
  const wrong = await daemon.spool(['web', '--no-open', '--trust-proxy', 'everybody']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('"everybody" is not the address of a proxy')]);
});

/** Answers like the real program, and records its arguments. */
const TAILSCALE = `#!/bin/sh
folder=$(dirname "$0")
echo "$*" >> "$folder/asked"
case "$*" in
"status --json") cat "$folder/status.json" ;;
"serve status --json") cat "$folder/serve.json" ;;
esac
`;

test('[DOOR-22] Tailscale serves the gateway, and gives its place back at the end', async () => {
  await using daemon = new TestDaemon();
  const folder = `${daemon.home}/programs`;
  execFileSync('mkdir', ['-p', folder]);
  daemon.env.PATH = `${folder}:${process.env.PATH}`;
  const absent = await daemon.spool(['web', '--no-open', '--tailscale']);
  expect([absent.code, absent.stderr]).toEqual([
    1,
    expect.stringContaining('the program `tailscale` is not installed'),
  ]);
  writeFileSync(`${folder}/tailscale`, TAILSCALE, { mode: 0o755 });
  const name = 'desk.tail1234.ts.net';
  const status = (state: object): void => writeFileSync(`${folder}/status.json`, JSON.stringify(state));
  const serve = (state: object): void => writeFileSync(`${folder}/serve.json`, JSON.stringify(state));
  const asked = (): string[] => readFileSync(`${folder}/asked`, 'utf8').trim().split('\n');
  const running = { BackendState: 'Running', Self: { DNSName: `${name}.` }, CertDomains: [name] };
  const refusals: [state: object, served: object, sentence: string][] = [
    [{ BackendState: 'NeedsLogin' }, {}, 'Tailscale is not connected (NeedsLogin)'],
    [{ ...running, CertDomains: null }, {}, 'HTTPS is not turned on for this tailnet'],
    [running, { AllowFunnel: { [`${name}:443`]: true } }, 'a funnel is open'],
    [
      running,
      { Web: { [`${name}:443`]: { Handlers: { '/': { Proxy: 'http://127.0.0.1:3000' } } } } },
      'already serves something else',
    ],
  ];
  for (const [state, served, sentence] of refusals) {
    status(state);
    serve(served);
    const { code, stderr } = await daemon.spool(['web', '--no-open', '--tailscale']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  }
  expect(asked().some((line) => line.includes('--bg'))).toBe(false);
  status(running);
  serve({});
  const gateway = await TestGateway.start(daemon, '--tailscale');
  expect(gateway.url).toContain(`https://${name}/#code=`);
  expect(asked().at(-1)).toBe(`serve --bg --yes --https=443 http://127.0.0.1:${gateway.port}`);
  const { token } = await gateway.token('viewer');
  const identity = { 'tailscale-user-login': 'owner@example.org' };
  expect((await gateway.ask('/api/me', { token, headers: { host: name, origin: `https://${name}` } })).status).toBe(
    200,
  );
  expect((await gateway.ask('/api/me', { headers: { host: name, ...identity } })).status).toBe(401);
  await daemon.json('web', 'stop');
  await until('its place is given back', () => asked().at(-1) === 'serve --yes --https=443 off');
  await TestGateway.start(daemon, '--tailscale');
  const before = asked().length;
  await daemon.spool(['daemon', 'stop']);
  await until(
    'it is given back with the daemon',
    () => asked().length > before && asked().at(-1) === 'serve --yes --https=443 off',
  );
});

test('[DOOR-1] a phone is paired by a QR code that fits 80 × 24, with a code that works once', async () => {
  await using daemon = new TestDaemon();
  await daemon.json('daemon', 'start');
  using terminal = new Terminal([SPOOL, 'web', '--no-open', '--qr'], daemon.env);
  const printed = (): string => Buffer.from(terminal.printed, 'latin1').toString();
  await until('it is whole', () => terminal.printed.split('\x1b[0m').length > 20);
  const rows = printed()
    .split(/\r?\n/)
    .filter((line) => line.includes('48;5;231m'))
    .map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, ''));
  expect(rows.length).toBeLessThanOrEqual(23);
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);
  const url = /http\S+#code=\S+/.exec(terminal.printed)![0];
  expect(hasCorners(rows)).toBe(true);
  const gateway = await TestGateway.start(daemon);
  const code = url.split('#code=')[1]!;
  await gateway.login(code);
  await expect(gateway.login(code)).rejects.toThrow('CODE_REFUSED');
  const both = await daemon.spool(['web', '--qr', '--json']);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--qr cannot be combined with --json')]);
});

/** Returns whether a picture has the three corners of a QR code, dark on light. */
function hasCorners(rows: readonly string[]): boolean {
  const dark = (x: number, y: number): boolean =>
    (y % 2 === 0 ? '█▀' : '█▄').includes(rows[Math.floor(y / 2)]?.[x] ?? ' ');
  const size = rows[0]!.length;
  const corner = (left: number, top: number): boolean =>
    [0, 1, 2, 3, 4, 5, 6].every((at) => dark(left + at, top) && dark(left, top + at)) &&
    !dark(left + 1, top + 1) &&
    dark(left + 3, top + 3);
  return corner(2, 2) && corner(size - 9, 2) && corner(2, size - 9) && !dark(0, 0);
}
