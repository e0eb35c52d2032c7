/** Tests the gateway as a process, and its interfaces: HTTP, WebSockets, a browser's login. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type DaemonStatus, FrameType } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { publicPoint, TestGateway } from './support/gateway.ts';

/** The length of the secret part of a token; it may contain any letter that separates parts, too. */
const SECRET_CHARACTERS = 43;

let daemon: TestDaemon;
let gateway: TestGateway;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const status = async (): Promise<DaemonStatus> => await daemon.json('daemon', 'status');

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

test('[DOOR-1] every door needs a token, on loopback too; a token opens it', async () => {
  const { token } = await gateway.token('viewer');
  const missing = await gateway.ask('/api/sessions');
  const wrong = await gateway.ask('/api/sessions', { token: `${token.slice(0, -1)}_` });
  const right = await gateway.ask('/api/sessions', { token });
  expect([missing.status, missing.code, wrong.status, wrong.code, right.status, JSON.parse(right.text)]).toEqual([
    401,
    'TOKEN_MISSING',
    401,
    'TOKEN_REFUSED',
    200,
    expect.any(Array),
  ]);
  await expect(gateway.socket({})).rejects.toThrow('refused with 403');
  await expect(gateway.socket({ authorization: 'Bearer x' })).rejects.toThrow('refused with 401');
});

test('[DOOR-1, DOOR-55] the code of a launch URL logs in once, for a pass, and sets no cookie', async () => {
  const { url, port } = await daemon.json<{ url: string; port: number }>('web', '--no-open');
  expect([port, url.startsWith(`http://127.0.0.1:${port}/#code=`)]).toEqual([gateway.port, true]);
  const code = new URL(url).hash.slice('#code='.length);
  const headers = { origin: gateway.origin };
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = { code, key: publicPoint(publicKey) };
  for (const key of [undefined, '', 'x', publicPoint(publicKey).slice(2), `B${'A'.repeat(86)}`])
    expect((await gateway.ask('/api/login', { body: { code, key }, headers })).status).toBe(400);
  const [one, two] = await Promise.all([1, 2].map(() => gateway.ask('/api/login', { body, headers })));
  expect([one!.status, two!.status].sort()).toEqual([200, 401]);
  const right = [one!, two!].find(({ status }) => status === 200)!;
  expect(right.headers['set-cookie']).toBe(undefined);
  const { pass } = JSON.parse(right.text) as { pass: string };
  const authorization = `Bearer ${pass}`;
  const me = await gateway.ask('/api/me', { headers: { authorization } });
  expect(JSON.parse(me.text)).toMatchObject({ role: 'owner' });
  // A browser's WebSocket offers the pass as a subprotocol, and must come from our page.
  await expect(gateway.socket({ authorization })).rejects.toThrow('refused with 403');
  (await gateway.socket({ authorization, origin: gateway.origin })).close();
  const asPage = new WebSocket(`ws://127.0.0.1:${port}/ws`, ['spool.v1', `spool.bearer.${pass}`], headers);
  await new Promise((resolve, reject) => asPage.on('open', resolve).on('error', reject));
  expect(asPage.protocol).toBe('spool.v1');
  asPage.terminate();
});

test('[DOOR-13] the frames of the unix socket run over the WebSocket, and are named after the token', async () => {
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], name: 'frames' });
  const { token } = await gateway.token('operator', '--name', 'the test');
  const socket = await gateway.frames(token);
  const attached = await socket.request('attach', {
    session: 'frames',
    creditBytes: 100_000,
    typing: 'abcdefgh',
  });
  expect(attached).toMatchObject({ id: session.id });
  const answer = await gateway.ask(`/api/sessions/frames/input`, { token, body: { text: 'héllo\n' } });
  expect([answer.status, answer.text]).toEqual([200, '{}']);
  const output = (): string =>
    Buffer.concat(
      socket.frames.filter(({ type }) => type === FrameType.output).map(({ payload }) => payload),
    ).toString();
  await until('the echo is there', () => output().includes('héllo\r\nhéllo\r\n'));
  const { viewers, typed } = await client.get('frames');
  expect([viewers[0]!.who, typed!.who]).toEqual(['the test', 'the test']);
  socket.close();
  await client.kill('frames');
});

const CREDIT_BYTES = 16 * 1024 * 1024;

test('[DOOR-13] clients that do not read cost a frame each, and the others go on', async () => {
  const client = await daemon.client();
  const { token } = await gateway.token('operator');
  await client.run({ command: ['yes', 'x'.repeat(1000)], name: 'flood' });
  const memory = async (): Promise<number> =>
    Number(/^spool_gateway_memory_bytes (\d+)$/m.exec((await gateway.ask('/metrics', { token })).text)![1]);
  const before = await memory();
  const stuck = await Promise.all(Array.from({ length: 20 }, () => gateway.frames(token)));
  for (const socket of stuck) {
    await socket.request('watch', { session: 'flood', from: 'end', creditBytes: CREDIT_BYTES });
    socket.client.pause();
  }
  const reader = await gateway.frames(token);
  await reader.request('watch', { session: 'flood', from: 'end', creditBytes: CREDIT_BYTES });
  const readBytes = (): number => reader.frames.reduce((sum, { payload }) => sum + payload.length, 0);
  await until('another one has read much', () => readBytes() >= CREDIT_BYTES / 2);
  // Each could have received all its credit.
  expect((await memory()) - before).toBeLessThan((stuck.length * CREDIT_BYTES) / 4);
  for (const socket of [...stuck, reader]) socket.client.terminate();
  await client.kill('flood');
});

test('[DOOR-9] a role has exactly its permissions, whatever the client claims', async () => {
  const { token } = await gateway.token('viewer');
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'roles' });
  const socket = await gateway.frames(token);
  expect(await socket.request('kill', { session: 'roles', role: 'owner' })).toMatchObject({ code: 'ROLE_TOO_LOW' });
  expect(await socket.request('nonsense')).toMatchObject({ code: 'REQUEST_UNKNOWN' });
  expect(await socket.request('serveGateway', {})).toMatchObject({ code: 'ROLE_TOO_LOW' });
  await socket.request('attach', { session: 'roles', creditBytes: 1000, typing: 'abcdefgh', isReadOnly: false });
  expect((await client.get('roles')).viewers).toMatchObject([{ isReadOnly: true }]);
  const refused = await gateway.ask('/api/sessions/roles/input', { token, body: { text: 'x' } });
  expect([refused.status, refused.code]).toEqual([403, 'ROLE_TOO_LOW']);
  socket.close();
  await client.kill('roles');
});

test('[DOOR-12] a revoked token opens nothing more, and what it has opened is closed', async () => {
  const { id, token } = await gateway.token('owner');
  const socket = await gateway.frames(token);
  await daemon.json('token', 'revoke', id);
  expect(await socket.closed).toBe(4001);
  expect((await gateway.ask('/api/sessions', { token })).status).toBe(401);
});

test('[DOOR-11] only the hash of a token is stored', async () => {
  const { id, token } = await gateway.token('viewer');
  const file = readFileSync(`${daemon.home}/doors/tokens.json`, 'utf8');
  expect([file.includes(id), file.includes(token.slice(-SECRET_CHARACTERS))]).toEqual([true, false]);
});

test('[DOOR-10] the gateway has no file of a session, and comes back when it, the keeper or the holder is killed', async () => {
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'kept' });
  const { token } = await gateway.token('viewer');
  const first = (await status()).gateway!;
  const files = readdirSync(`/proc/${first.pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${first.pid}/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  expect(files.filter((file) => /ptmx|pts|sessions|pidfd/.test(file))).toEqual([]);
  const served = async (): Promise<boolean> =>
    (await gateway.ask('/api/sessions', { token }).catch(() => null))?.status === 200;
  for (const part of ['gateway', 'keeper', 'holder'] as const) {
    const before = await status();
    process.kill(before[part]!.pid, 'SIGKILL');
    await until(`the ${part} is back`, async () => {
      const after = await status();
      return Boolean(after.gateway && after[part] && after[part].pid !== before[part]!.pid);
    });
    await until(`the gateway serves after the death of the ${part}`, served);
  }
  await client.kill('kept');
});

test('[DOOR-10] it survives a restart of the daemon, can be stopped, and ends with the daemon', async () => {
  await daemon.json('daemon', 'restart');
  await until('it is back', async () => Boolean((await status()).gateway));
  const { pid } = (await status()).gateway!;
  await daemon.json('web', 'stop');
  await until('it is gone', () => !isAlive(pid));
  expect((await daemon.spool(['web', 'status'])).code).toBe(1);
  const again = await TestGateway.start(daemon);
  expect(again.port).toBe(gateway.port);
  const { pid: last } = (await status()).gateway!;
  await daemon.json('daemon', 'stop');
  expect(isAlive(last)).toBe(false);
  expect((await daemon.json<DaemonStatus>('daemon', 'start')).gateway).toBe(null);
});
