/** Tests the attacks that were tried on the gateway for an hour, with raw sockets and hostile clients. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { encodeFrame, FrameType, ROUTE_ROLES } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const PTY = { cols: 80, rows: 24 };

let daemon: TestDaemon;
let gateway: TestGateway;
let own: string;
let other: string;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  const client = await daemon.client();
  own = (await client.run({ command: ['cat'], name: 'own', labels: { team: 'web' }, size: PTY })).id;
  other = (await client.run({ command: ['cat', '-u'], name: 'other', cwd: '/tmp', size: PTY })).id;
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const codeOf = (url: string): string => new URL(url).hash.slice('#code='.length);

test('[DOOR-12] a long poll ends with its token, without an answer', async () => {
  const { id, token } = await gateway.token('viewer');
  const asking = gateway.ask(`/api/sessions/${own}/wait?timeoutMs=55000`, { token }).then(
    ({ status }) => status,
    () => 'cut',
  );
  const { doors } = await daemon.client();
  await until('it was let in', async () => (await doors.tokens()).some((one) => one.id === id && one.lastUsedAt));
  await daemon.json('token', 'revoke', id);
  expect(await asking).toBe('cut');
  const expiring = await doors.createToken({ kind: 'token', role: 'viewer', expiresAt: Date.now() + 3000 });
  const late = gateway.ask(`/api/sessions/${own}/wait?timeoutMs=55000`, { token: expiring.token }).then(
    ({ status }) => status,
    () => 'cut',
  );
  expect(['cut', 401]).toContain(await late); // 401: the token expired first, on a busy machine
});

test('[DOOR-15] the id of another session is no way to it: a run is not answered with it', async () => {
  const { token } = await gateway.token('operator', '--label', 'team=web');
  const socket = await gateway.frames(token);
  for (const command of [['cat', '-u'], ['true']]) {
    const answer = await socket.request('run', { id: other, command, cwd: '/tmp', env: {} });
    expect(answer).toEqual({ code: 'ID_TAKEN', details: { session: other } });
  }
  expect(await socket.request('run', { id: own, command: ['true'], cwd: '/', env: {} })).toMatchObject({
    code: 'ID_TAKEN',
  });
  socket.close();
});

test('[DOOR-55] a cookie is nothing: with whatever it holds it opens nothing, and locks nobody out', async () => {
  const browser = await gateway.login(codeOf((await daemon.json<{ url: string }>('web', '--no-open')).url));
  const { token } = await gateway.token('owner');
  for (const value of [browser.pass, token, browser.id, 'garbage']) {
    const cookie = `spool_${gateway.port}=${value}`;
    for (const headers of [{ cookie }, { cookie, origin: gateway.origin }]) {
      expect((await gateway.ask('/api/me', { headers })).status).toBe(401);
      await expect(gateway.socket(headers)).rejects.toThrow(/refused with 40[13]/);
    }
    expect((await gateway.ask('/api/me', { headers: { ...browser.headers, cookie } })).status).toBe(200);
  }
});

test('[DOOR-1] the word before a token may be written in any case, as RFC 9110 says, and nothing else', async () => {
  const { token } = await gateway.token('viewer');
  const status = async (authorization: string): Promise<number> =>
    (await gateway.ask('/api/me', { headers: { authorization } })).status;
  for (const word of ['Bearer', 'bearer', 'BEARER'])
    expect([word, await status(`${word} ${token}`)]).toEqual([word, 200]);
  for (const wrong of [token, `Basic ${token}`, `bearer${token}`, `bearer ${token} x`, `bearer "${token}"`])
    expect([wrong, await status(wrong)]).toEqual([wrong, 401]);
});

test('[FILE-3] half an upload, cut off in the middle, leaves nothing in the folder', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-half-`);
  try {
    const client = await daemon.client();
    const { id } = await client.run({ command: ['cat'], name: 'half', cwd: folder, size: PTY });
    const { token } = await gateway.token('operator');
    const body = JSON.stringify({ name: 'photo.png', base64: Buffer.alloc(600_000, 'x').toString('base64') });
    const head = `POST /api/sessions/${id}/uploads HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const cuts = [
      `${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, body.length / 2)}`,
      `${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
    ];
    for (const [index, sent] of cuts.entries()) {
      const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
      await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
      if (index === 0) socket.resetAndDestroy();
      else socket.end();
      await new Promise((resolve) => socket.on('close', resolve).resume());
    }
    // The gateway has handled the earlier requests.
    expect((await gateway.ask('/api/me', { token })).status).toBe(200);
    expect(readdirSync(folder)).toEqual([]);
    const whole = await gateway.ask(`/api/sessions/${id}/uploads`, { token, body });
    expect(whole.status).toBe(200);
    expect(readdirSync(`${folder}/.spool-uploads`)).toHaveLength(2); // the upload, and the file that makes git ignore it
    const { stdout } = await daemon.spool(['audit', '--json']);
    expect(stdout.split('photo').length).toBe(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[DOOR-1] of 50 logins at once with one code one succeeds, and with a link for three, three', async () => {
  const { url } = await daemon.json<{ url: string }>('web', '--no-open');
  const shared = await daemon.json<{ url: string }>('share', 'own', '--uses', '3');
  for (const [link, uses] of [
    [url, 1],
    [shared.url, 3],
  ] as const) {
    const logins = Array.from({ length: 50 }, () =>
      gateway.login(codeOf(link)).then(
        () => 200,
        (error: Error) => Number(error.message.slice(0, 3)),
      ),
    );
    const statuses = await Promise.all(logins);
    expect(statuses.filter((status) => status === 200)).toHaveLength(uses);
    expect(statuses.filter((status) => ![200, 401, 429].includes(status))).toEqual([]);
  }
});

test('[DOOR-49] a link from now on: no route and no request shows what was before', async () => {
  const client = await daemon.client();
  await client.write('own', 'BEFORE\n');
  await until('it is written', async () => (await client.get('own')).offset >= 16);
  await new Promise((resolve) => setTimeout(resolve, 20)); // times are in milliseconds
  const { url } = await daemon.json<{ url: string }>('share', 'own', '--from', 'now');
  await client.write('own', '\x1b[2J\x1b[HAFTER\n');
  await until('it is shown', async () => (await client.screen('own')).content.includes('AFTER'));
  const { headers } = await gateway.login(codeOf(url));
  for (const place of [
    'logs',
    'logs?from=0',
    'screen?historyLines=1000',
    'screen?offset=8',
    'screen?time=1',
    'search?text=BEFORE',
    'wait?timeoutMs=1',
  ]) {
    const { status, text } = await gateway.ask(`/api/sessions/own/${place}`, { headers });
    expect([place, status < 500, text.replace('text=BEFORE', '').includes('BEFORE')]).toEqual([place, true, false]);
    if (place.startsWith('logs')) expect([place, status, text.includes('AFTER')]).toEqual([place, 200, true]);
  }
  const socket = await gateway.socket(headers);
  await socket.hello();
  const asks: readonly (readonly [op: string, ask: object])[] = [
    ['SUBSCRIBE_WORKER_OUTPUT', { agent: 'own', from: 0 }],
    ['watch', { session: 'own', from: { tailBytes: 1000 }, creditBytes: 1000 }],
    ['watch', { session: 'own', from: 'start', creditBytes: 1000 }],
    ['attach', { session: 'own', creditBytes: 100_000, typing: 'abcdefgh', from: 0, historyLines: 100 }],
    ['grids', { tiles: [{ session: own }] }],
    ['marks', { session: 'own' }],
    ['watchEvents', { session: 'own', from: 0, creditBytes: 1000 }],
  ];
  for (const [op, ask] of asks) await socket.request(op, ask);
  await until('the present is shown', () =>
    socket.frames.some(({ payload }) => Buffer.from(payload).includes('AFTER')),
  );
  expect(socket.frames.some(({ payload }) => Buffer.from(payload).includes('BEFORE'))).toBe(false);
  socket.close();
});

test('[DOOR-51] hostile words of a client reach the audit log as text, and a changed line is found', async () => {
  const { token } = await gateway.token('operator', '--name', 'hostile');
  const socket = await gateway.frames(token);
  await socket.request('stop', { session: 'x\x1b]0;pwn\x07\n00:00:00  root  login' });
  socket.close();
  const audit = async (): Promise<string> => (await daemon.spool(['audit'])).stdout;
  await until('it is recorded', async () => (await audit()).includes('pwn'));
  const line = (await audit()).split('\n').find((one) => one.includes('pwn'))!;
  expect([line.includes('root  login'), /[\x00-\x1f\x7f-\x9f]/.test(line)]).toEqual([true, false]);
  const path = `${daemon.home}/doors/audit.ndjson`;
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.replace('pwn', 'own'));
  expect((await daemon.spool(['audit', 'verify'])).code).toBe(1);
  writeFileSync(path, whole);
  expect((await daemon.spool(['audit', 'verify'])).code).toBe(0);
});

test('[DOOR-46] what an agent writes on its wire is for operators: a viewer gets it by no request, route or dialect', async () => {
  const client = await daemon.client();
  const program = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
  const received = `${daemon.home}/received.ndjson`;
  writeFileSync(received, '');
  const start = async (): Promise<string> => {
    const agent = await client.agent('claude', {
      prompt: 'say hello',
      program: [execPath, program, received],
      env: { PATH: process.env['PATH']! },
    });
    return agent.id;
  };
  const id = await start();
  await until('it has spoken', async () => (await client.get(id)).offset > 0);
  const { name } = await client.get(id);
  const marker = '"session_id"'; // in every line of this wire, but in no event
  for (const role of ['viewer', 'prompter', 'operator'] as const) {
    const { token } = await gateway.token(role);
    const socket = await gateway.frames(token);
    const codes: unknown[] = [];
    for (const [op, ask] of [
      ['watch', { session: id, from: 0, creditBytes: 1_000_000 }],
      ['watch', { session: id.slice(0, 6), from: 'start', creditBytes: 1_000_000 }],
      ['attach', { session: id, creditBytes: 1_000_000, typing: 'abcdefgh' }],
      ['SUBSCRIBE_WORKER_OUTPUT', { agent: id, from: 0 }],
      ['SUBSCRIBE_WORKER_OUTPUT', { agent: name, from: 0 }],
      ['SUBSCRIBE_WORKER_OUTPUT', { agent: '*', from: 0 }],
      ['screen', { session: id, format: 'text' }],
      ['grids', { tiles: [{ session: id }] }],
      ['explain', { session: id }],
      ['get', { session: id }],
      ['events', { types: ['session-summary', 'session-exited'] }],
      ['watchEvents', { session: id, from: 'start', creditBytes: 1_000_000 }],
    ] as const)
      codes.push((await socket.request(op, ask))['code']);
    const later = await start(); // it is listed, too
    await until('it has spoken', async () => (await client.get(later)).offset > 0);
    await client.kill(later);
    await until('its end is told', () =>
      socket.frames.some(({ json }) => JSON.stringify(json)?.includes('session-exited')),
    );
    const routes = await Promise.all(
      ['logs', 'logs?from=0', 'search?text=session_id', 'screen', 'wait?timeoutMs=1'].map((place) =>
        gateway.ask(`/api/sessions/${id}/${place}`, { token }),
      ),
    );
    const all = [
      ...socket.frames.map(({ payload }) => Buffer.from(payload).toString()),
      ...routes.map(({ text }) => text),
    ];
    const isLeaked = all.join('\n').replaceAll('\\"', '"').includes(marker);
    expect([role, isLeaked]).toEqual([role, role === 'operator']);
    if (role !== 'operator') expect(codes.slice(0, 4)).toEqual(Array(4).fill('ROLE_TOO_LOW'));
    expect(codes.at(-1)).toBe(undefined);
    socket.close();
  }
  await client.kill(id);
});

test('[RUN-4] a session that is started over HTTP has nothing of the daemon: no secret, no file, no token', async () => {
  const other = new TestDaemon({
    env: { AWS_SECRET_ACCESS_KEY: 'canary-1', SPOOL_CANARY: 'canary-2', MY_TOKEN: 'canary-3' },
  });
  try {
    const door = await TestGateway.start(other);
    const { token } = await door.token('operator');
    const body = { command: ['sh', '-c', 'env; ls -l /proc/self/fd; exec cat'], name: 'child', env: { GIVEN: 'yes' } };
    expect((await door.ask('/api/sessions', { token, body })).status).toBe(200);
    const shown = async (): Promise<string> => (await door.ask('/api/sessions/child/logs', { token })).text;
    await until('it has said all', async () => /\b2 -> [^]*\b3 -> /.test(await shown()));
    expect((await shown()).includes('GIVEN=yes')).toBe(true);
    expect(await shown()).not.toMatch(/canary|socket:|spool_[0-9a-f]{10}_/);
  } finally {
    await other[Symbol.asyncDispose]();
  }
});

test('[DOOR-9] what would change every object of a careless program changes nothing', async () => {
  const { token } = await gateway.token('operator');
  const poisons = [
    '"__proto__":{"role":"owner"}',
    '"constructor":{"prototype":{"role":"owner"}}',
    '"labels":{"__proto__":"x","constructor":"y"}',
  ];
  const statuses = [];
  for (const poison of poisons) {
    const body = `{"command":["true"],${poison}}`;
    statuses.push((await gateway.ask('/api/sessions', { token, body })).status);
    statuses.push(
      (
        await gateway.ask(`/api/sessions/${own}/stop?${encodeURIComponent('__proto__[role]')}=owner`, {
          token,
          body: `{${poison}}`,
        })
      ).status,
    );
  }
  expect(statuses.slice(0, 4)).toEqual([400, 400, 400, 400]);
  const socket = await gateway.frames(token);
  for (const poison of poisons) {
    socket.client.send(
      encodeFrame(FrameType.request, 77, Buffer.from(`{"op":"createToken","kind":"token",${poison}}`)),
    );
    socket.client.send(encodeFrame(FrameType.request, 78, Buffer.from(`{"op":"get","session":"own",${poison}}`)));
  }
  await until('all are answered', () => socket.frames.filter(({ channel }) => channel >= 77).length >= 6);
  const codes = socket.frames
    .filter(({ channel }) => channel === 77)
    .map(({ json }) => (json as { code: string }).code);
  expect(codes).toEqual(['ROLE_TOO_LOW', 'ROLE_TOO_LOW', 'ROLE_TOO_LOW']);
  expect(await socket.request('createToken', { kind: 'token', role: 'owner' })).toMatchObject({ code: 'ROLE_TOO_LOW' });
  expect(JSON.parse((await gateway.ask('/api/me', { token })).text)).toMatchObject({ role: 'operator' });
  socket.close();
});

test('[FILE-2] a file that cannot be read is one that is not there, in /proc too', async () => {
  const { token } = await gateway.token('operator');
  const client = await daemon.client();
  await client.run({ command: ['cat'], name: 'in-proc', cwd: '/proc' });
  const { pid } = await client.get('in-proc');
  for (const path of [`${pid}/mem`, `${pid}/clear_refs`, 'self/environ', `${pid}/fd/0`, `${pid}/cwd`, 'sysrq-trigger'])
    expect([path, (await gateway.ask(`/api/sessions/in-proc/files?path=${path}`, { token })).status]).toEqual([
      path,
      404,
    ]);
  await client.kill('in-proc');
});

/** Headers that a browser sends for a link on another site that leads here. */
const FROM_A_LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

test('[DOOR-2] a link on another site leads to the page, and to nothing else, however it is written', async () => {
  const { token } = await gateway.token('owner');
  const statuses: Record<string, number> = {};
  for (const path of [
    '/',
    '/?x',
    '/api/sessions',
    '/%61pi/sessions',
    '/api%2Fsessions',
    '/api/sessions/',
    '/metrics',
    '/healthz',
  ])
    statuses[path] = (await gateway.ask(path, { token, headers: FROM_A_LINK })).status;
  expect(statuses).toEqual({
    '/': 200,
    '/?x': 200,
    '/api/sessions': 403,
    '/%61pi/sessions': 403,
    '/api%2Fsessions': 403,
    '/api/sessions/': 403,
    '/metrics': 403,
    '/healthz': 403,
  });
  for (const changed of [
    { 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'script' },
  ])
    expect((await gateway.ask('/', { token, headers: { ...FROM_A_LINK, ...changed } })).status).toBe(403);
});

test('[DOOR-3] every route that changes something refuses a form, a foreign site and a page without an origin', async () => {
  const { authorization } = (await gateway.login(codeOf((await daemon.json<{ url: string }>('web', '--no-open')).url)))
    .headers;
  const unsafe = Object.keys(ROUTE_ROLES).filter((row) => !row.startsWith('GET '));
  expect(unsafe.length).toBeGreaterThan(10);
  const json = 'application/json';
  const ways: Record<string, Record<string, string>> = {
    form: { 'content-type': 'application/x-www-form-urlencoded', origin: gateway.origin },
    'form with files': { 'content-type': 'multipart/form-data; boundary=x', origin: gateway.origin },
    text: { 'content-type': 'text/plain', origin: gateway.origin },
    'text with a parameter': { 'content-type': 'text/plain;application/json', origin: gateway.origin },
    'no origin': { 'content-type': json },
    'a foreign origin': { 'content-type': json, origin: 'https://evil.example' },
    'origin null': { 'content-type': json, origin: 'null' },
    'another port': { 'content-type': json, origin: `http://127.0.0.1:${gateway.port + 1}` },
    'same site': { 'content-type': json, 'sec-fetch-site': 'same-site' },
    'cross site': { 'content-type': json, 'sec-fetch-site': 'cross-site' },
    'typed in': { 'content-type': json, 'sec-fetch-site': 'none' },
    'cross site with our origin': { 'content-type': json, 'sec-fetch-site': 'cross-site', origin: gateway.origin },
  };
  for (const row of unsafe)
    for (const [way, headers] of Object.entries(ways)) {
      const [method, place] = row.replace(':id', own).split(' ') as [string, string];
      const { status } = await gateway.ask(place, {
        method,
        body: '{}',
        headers: { authorization, 'content-length': '2', ...headers },
      });
      expect([row, way, [403, 415].includes(status)]).toEqual([row, way, true]);
    }
  expect((await gateway.ask('/api/me', { headers: { authorization } })).status).toBe(200); // the user is not even logged out
});

test('[DOOR-56] no route answers another site: not one header allows it', async () => {
  const { token } = await gateway.token('owner');
  for (const row of Object.keys(ROUTE_ROLES)) {
    const [method, place] = row.replace(':id', own).replace('*', 'x.js').replace(':file', 'x').split(' ') as [
      string,
      string,
    ];
    const path = place.endsWith('/wait')
      ? `${place}?timeoutMs=1`
      : place.endsWith('/events')
        ? `${place}?types=none`
        : place;
    for (const asked of [method, 'OPTIONS']) {
      const { headers } = await gateway.ask(path, {
        method: asked,
        token,
        ...(asked === 'POST' && { body: { nonsense: 1 } }),
      });
      expect([row, Object.keys(headers).filter((name) => name.startsWith('access-control'))]).toEqual([row, []]);
      expect([row, asked, headers['referrer-policy'] ?? 'refused']).not.toEqual([row, asked, 'unsafe-url']);
    }
  }
});

/** Sends raw bytes; returns the first line of each answer. */
async function raw(text: string): Promise<string[]> {
  return await new Promise((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let all = '';
    socket.setEncoding('latin1').on('data', (part: string) => (all += part));
    socket.on('error', () => {}).on('close', () => resolve(all.match(/^HTTP\/1\.1 \d+/gm) ?? []));
    socket.write(text);
  });
}

test('[DOOR-2] requests in requests, upgrades elsewhere and odd methods get no further than one refusal', async () => {
  const { token } = await gateway.token('owner');
  const head = `Host: 127.0.0.1:${gateway.port}\r\nAuthorization: Bearer ${token}\r\n`;
  const json = `${head}Content-Type: application/json\r\n`;
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n`;
  const hidden = `GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
  const post = 'POST /api/sessions HTTP/1.1\r\n';
  const seen = {
    'two lengths': await raw(`${post}${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}${hidden}`),
    'a length and chunks': await raw(
      `${post}${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ),
    'odd chunks': await raw(`${post}${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`),
    'after a foreign host': await raw(`GET /api/me HTTP/1.1\r\nHost: evil\r\n\r\n${hidden}`),
    'upgrade elsewhere': await raw(`GET /api/sessions HTTP/1.1\r\n${head}${upgrade}\r\n${hidden}`),
    'upgrade by POST': await raw(`POST /ws HTTP/1.1\r\n${head}${upgrade}Content-Length: 0\r\n\r\n`),
    'upgrade of another path': await raw(`GET /ws/../ws HTTP/1.1\r\n${head}${upgrade}\r\n`),
    'the whole server': await raw(`OPTIONS * HTTP/1.1\r\n${head}Connection: close\r\n\r\n`),
    'another protocol': await raw(
      `GET /healthz HTTP/1.1\r\n${head}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    ),
    tunnel: await raw(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${head}\r\n`),
  };
  expect(seen).toEqual({
    'two lengths': ['HTTP/1.1 400'],
    'a length and chunks': ['HTTP/1.1 400'],
    'odd chunks': ['HTTP/1.1 400'],
    'after a foreign host': ['HTTP/1.1 421'],
    'upgrade elsewhere': ['HTTP/1.1 404'],
    'upgrade by POST': ['HTTP/1.1 405'],
    'upgrade of another path': ['HTTP/1.1 404'],
    'the whole server': ['HTTP/1.1 421'],
    'another protocol': ['HTTP/1.1 200'],
    tunnel: [],
  });
  for (const query of [`token=${token}`, `access_token=${token}`, `bearer=${token}`])
    expect([query.split('=')[0], (await gateway.ask(`/api/me?${query}`)).status]).toEqual([query.split('=')[0], 401]);
});

test('[DOOR-9] words about rights in a request mean nothing, in whatever form', async () => {
  const { token } = await gateway.token('viewer');
  const socket = await gateway.frames(token);
  const client = await daemon.client();
  expect(await socket.request(['kill'] as unknown as string, { session: own })).toMatchObject({ code: 'ROLE_TOO_LOW' });
  expect(await socket.request(['attach'] as unknown as string, { session: own })).toMatchObject({
    code: 'REQUEST_UNKNOWN',
  });
  await socket.request('attach', { session: own, creditBytes: 1000, typing: 'abcdefgh', size: { cols: 33, rows: 11 } });
  await socket.request('view', { channel: 3, size: { cols: 33, rows: 11 }, isFocused: true });
  const { size, viewers, state } = await client.get(own);
  expect([state, size, viewers[0]!.isReadOnly]).toEqual(['running', PTY, true]);
  socket.close();
});
