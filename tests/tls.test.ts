/** Tests the gateway on another address than loopback's usual one, with a certificate made here. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { TestDaemon } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { publicPoint } from './support/gateway.ts';

const ADDRESS = '127.0.0.2';

let daemon: TestDaemon;
let port: number;
let url: string;
let ca: Buffer;
let files: { cert: string; key: string };

beforeAll(async () => {
  daemon = new TestDaemon();
  await daemon.json('daemon', 'start');
  files = { cert: `${daemon.home}/cert.pem`, key: `${daemon.home}/key.pem` };
  const names = `subjectAltName=DNS:spool.test,DNS:*.wild.test,IP:${ADDRESS}`;
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=spool -addext ${names}`;
  execFileSync('openssl', [...options.split(' '), '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
  ca = readFileSync(files.cert);
  const flags = ['--host', ADDRESS, '--tls-cert', files.cert, '--tls-key', files.key];
  ({ port, url } = await daemon.json<{ port: number; url: string }>('web', '--no-open', ...flags));
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

interface GivenCertificate {
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** Sends a request that verifies the certificate. */
async function ask(
  path: string,
  { headers = {}, body }: GivenCertificate = {},
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const type = body ? { 'content-type': 'application/json' } : {};
  return await new Promise((resolve, reject) => {
    request(
      {
        host: ADDRESS,
        servername: 'spool.test',
        port,
        path,
        ca,
        agent: false,
        method: body ? 'POST' : 'GET',
        headers: { ...type, ...headers },
      },
      (response) => {
        response.resume();
        resolve({ status: response.statusCode!, headers: response.headers });
      },
    )
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

test('[DOOR-18] HTTPS and wss are served on the address that was asked for, and no cookie is set', async () => {
  const origin = `https://${ADDRESS}:${port}`;
  expect(url.startsWith(`${origin}/#code=`)).toBe(true);
  const code = new URL(url).hash.slice('#code='.length);
  const key = publicPoint(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
  const { status, headers } = await ask('/api/login', { body: { code, key }, headers: { origin } });
  expect([status, headers['set-cookie']]).toEqual([200, undefined]);
  const { token } = await daemon.json<{ token: string }>('token', 'create', '--role', 'viewer');
  const authorization = `Bearer ${token}`;
  expect((await ask('/api/sessions', { headers: { authorization } })).status).toBe(200);
  const socket = new WebSocket(`wss://${ADDRESS}:${port}/ws`, { ca, headers: { authorization } });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  socket.terminate();
});

test('[DOOR-18] it is called by the names in the certificate and no others, and not without TLS', async () => {
  const statuses: Record<string, number> = {};
  for (const name of [ADDRESS, 'spool.test', 'localhost', 'a.wild.test', '*.wild.test', 'evil.test', '0.0.0.0'])
    statuses[name] = (await ask('/healthz', { headers: { host: `${name}:${port}` } })).status;
  expect(statuses).toEqual({
    [ADDRESS]: 200,
    'spool.test': 200,
    localhost: 200,
    'a.wild.test': 421,
    '*.wild.test': 421,
    'evil.test': 421,
    '0.0.0.0': 421,
  });
  const origin = `http://${ADDRESS}:${port}`;
  expect((await ask('/healthz', { headers: { origin } })).status).toBe(403);
  const plain = new Promise((resolve, reject) =>
    plainRequest({ host: ADDRESS, port, path: '/healthz', agent: false }, resolve).on('error', reject).end(),
  );
  await expect(plain).rejects.toThrow(/hang up|ECONNRESET|EPIPE|Parse Error/);
});

test('[DOOR-18] a missing file, half a pair and no TLS are refused with a sentence', async () => {
  await daemon.json('web', 'stop');
  const refused = async (...flags: string[]): Promise<string> => {
    const { code, stderr } = await daemon.spool(['web', '--no-open', '--host', ADDRESS, ...flags]);
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await refused()).toContain('needs TLS: give --tls-cert and --tls-key');
  expect(await refused('--tls-cert', files.cert)).toContain('belong together');
  expect(await refused('--tls-cert', files.cert, '--tls-key', '/nowhere.pem')).toContain('/nowhere.pem');
  expect(await refused('--tls-cert', files.cert, '--tls-key', files.cert)).toContain('could not start the gateway');
});
