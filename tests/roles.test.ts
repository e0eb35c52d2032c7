/**
 * Tests the matrix of permissions, made from the table that decides: every request, frame and route, for every role, with a token
 * that is valid, limited to another session, revoked or expired.
 */
import {
  encodeFrame,
  encodeInput,
  FRAME_ROLES,
  FrameType,
  type Op,
  OP_ROLES,
  type Role,
  ROLES,
  ROUTE_ROLES,
  type RouteRole,
  type SessionInfo,
} from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type FrameSocket, TestGateway } from './support/gateway.ts';

let daemon: TestDaemon;
let gateway: TestGateway;
let own: string;
let other: string;
const tokens = {} as Record<Role, string>;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  const client = await daemon.client();
  const env = { SECRET: 'hunter2' };
  const start = async (name: string): Promise<string> =>
    (await client.run({ command: ['/bin/cat', '-u', '-'], name, env, labels: { team: name } })).id;
  [own, other] = [await start('own'), await start('other')];
  for (const role of ROLES) tokens[role] = (await gateway.token(role)).token;
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

/** Computes the permission independently of the gateway's code. */
function mayDo(role: Role, needed: string): boolean {
  const atLeast: Record<string, readonly string[]> = {
    viewer: ['viewer', 'prompter', 'operator', 'owner'],
    prompter: ['prompter', 'operator', 'owner'],
    operator: ['operator', 'owner'],
    owner: ['owner'],
  };
  return atLeast[needed]?.includes(role) ?? false;
}

/** A field that no request has: a client that passes the guard is refused by the keeper, without any effect. */
const HARMLESS = { nonsense: true };
const ops = Object.keys(OP_ROLES) as Op[];

const codeOf = async (socket: FrameSocket, op: string, session: string): Promise<unknown> =>
  (await socket.request(op, { session, agent: session, sessions: [session], tiles: [{ session }], ...HARMLESS }))[
    'code'
  ];

test.each(ROLES)('[DOOR-9] each request is refused to a %s, or passed on, as the table says', async (role) => {
  const socket = await gateway.frames(tokens[role]);
  const refused: string[] = [];
  for (const op of ops) if ((await codeOf(socket, op, own)) === 'ROLE_TOO_LOW') refused.push(op);
  expect(refused).toEqual(ops.filter((op) => !mayDo(role, OP_ROLES[op])));
  socket.close();
});

test.each(ROLES)('[DOOR-9] each frame is refused to a %s, or passed on, as the table says', async (role) => {
  for (const [name, needed] of Object.entries(FRAME_ROLES)) {
    const socket = await gateway.frames(tokens[role]);
    const type = FrameType[name as keyof typeof FrameType];
    const payload = name === 'input' ? encodeInput(own, Buffer.from('x')) : Buffer.from(name === 'credit' ? '' : '{}');
    socket.client.send(encodeFrame(type, 9, payload));
    if (needed === 'daemon') expect([name, await socket.closed]).toEqual([name, 4003]);
    else if (name === 'hello') {
      // A second hello is an error, which the keeper reports.
      await socket.next(({ json }) => (json as { code?: string } | null)?.code === 'FRAME_INVALID');
    } else {
      await socket.request('get', { session: own });
      const isRefused = socket.frames.some(({ json }) => (json as { code?: string } | null)?.code === 'ROLE_TOO_LOW');
      expect([name, isRefused]).toEqual([name, !mayDo(role, needed)]);
    }
    socket.close();
  }
});

test.each(['viewer', 'prompter', 'operator'] as const)(
  '[DOOR-15] to a %s who is limited to one session, another one does not exist, whatever is asked',
  async (role) => {
    const { token } = await gateway.token(role, '--session', 'own');
    const socket = await gateway.frames(token);
    const without = ['list', 'view', 'unwatch', 'UNSUBSCRIBE_WORKER_OUTPUT'];
    for (const op of ops.filter((one) => !without.includes(one))) {
      const code = await codeOf(socket, op, 'other');
      const isAllowed = mayDo(role, OP_ROLES[op]) && op !== 'status';
      const expected = !isAllowed ? 'ROLE_TOO_LOW' : op === 'run' ? 'NOT_ALLOWED' : 'SESSION_UNKNOWN';
      expect([op, code]).toEqual([op, expected]);
      expect([op, await codeOf(socket, op, 'own')]).not.toEqual([op, 'SESSION_UNKNOWN']);
    }
    const { sessions } = (await socket.request('list')) as { sessions: SessionInfo[] };
    expect(sessions.map(({ id }) => id)).toEqual([own]);
    expect(await socket.request('get', { session: '' })).toMatchObject({ id: own });
    for (const reference of [other, other.slice(0, 6)])
      expect(await socket.request('get', { session: reference })).toMatchObject({ code: 'SESSION_UNKNOWN' });
    socket.client.send(encodeFrame(FrameType.input, 99, encodeInput('other', Buffer.from('typed by a stranger'))));
    const answer = await socket.next(({ channel }) => channel === 99);
    expect(answer.json).toMatchObject({ code: role === 'operator' ? 'SESSION_UNKNOWN' : 'ROLE_TOO_LOW' });
    expect((await gateway.ask('/api/sessions/other', { token })).status).toBe(404);
    expect(JSON.parse((await gateway.ask('/api/sessions', { token })).text)).toMatchObject([{ id: own }]);
    socket.close();
  },
);

test('[DOOR-15] a token for labels sees sessions with them, also new ones, and starts only such', async () => {
  const { token } = await gateway.token('operator', '--label', 'team=web');
  const socket = await gateway.frames(token);
  const eventsOf = (id: string): unknown[] =>
    socket.frames.filter(({ json }) => JSON.stringify(json ?? '').includes(id) && (json as { type?: string }).type);
  expect(await socket.request('events', {})).toEqual({});
  const client = await daemon.client();
  const inside = await client.run({ command: ['true'], labels: { team: 'web' } });
  const outside = await client.run({ command: ['true'], labels: { team: 'own' } });
  await Promise.all([inside.wait(), outside.wait()]);
  const run = { id: 'startedhere', command: ['true'], cwd: '/', env: {}, labels: { team: 'other', x: 'y' } };
  expect(await socket.request('run', run)).toMatchObject({ labels: { team: 'web', x: 'y' } });
  await until('the end of its own is told', () => eventsOf('startedhere').length >= 2);
  expect(eventsOf(inside.id).length).toBeGreaterThan(0);
  expect(eventsOf(outside.id)).toEqual([]);
  expect(await socket.request('get', { session: outside.id })).toMatchObject({ code: 'SESSION_UNKNOWN' });
  socket.close();
});

test('[DOOR-14] a viewer and a prompter are not told command lines, folders, processes or names of others', async () => {
  const looker = await gateway.frames(tokens.operator);
  await looker.request('attach', { session: own, creditBytes: 1000, typing: 'abcdefgh' });
  for (const role of ['viewer', 'prompter'] as const) {
    const socket = await gateway.frames(tokens[role]);
    await socket.request('events', {});
    await socket.request('attach', { session: own, creditBytes: 100_000, typing: 'abcdefgi' });
    const client = await daemon.client();
    const session = await client.run({ command: ['sh', '-c', 'exit 0 # hunter3'], name: `seen-${role}` });
    await session.wait();
    await until('the end is told', () =>
      socket.frames.some(({ json }) => (json as { type?: string } | null)?.type === 'session-exited'),
    );
    for (const op of ['list', 'get', 'wait', 'explain', 'screen'] as const)
      await socket.request(
        op,
        op === 'list' ? {} : { session: session.id, ...(op === 'screen' && { format: 'text' }) },
      );
    const routes = await Promise.all(
      ['/api/sessions', `/api/sessions/${own}`].map((path) => gateway.ask(path, { token: tokens[role] })),
    );
    const told = [...socket.frames.map(({ json }) => JSON.stringify(json)), ...routes.map(({ text }) => text)].join(
      '\n',
    );
    for (const secret of ['hunter', process.cwd(), '"-u"', `"pid":${(await client.get(own)).pid}`, '"who":"token"'])
      expect([role, secret, told.includes(secret)]).toEqual([role, secret, false]);
    expect(told).toContain('"command":["cat"]');
    socket.close();
  }
  looker.close();
});

test('[DOOR-9] every route is refused, or not, as the table says; also with a revoked or an expired token', async () => {
  const { doors } = await daemon.client();
  const revoked: string[] = [];
  for (const role of ROLES) {
    const { token, info } = await doors.createToken({ kind: 'token', role });
    await doors.revokeToken(info.id);
    revoked.push(token);
  }
  const expiring = await expiredWhileConnected();
  for (const [route, needed] of Object.entries(ROUTE_ROLES) as [string, RouteRole][]) {
    if (needed === 'anyone' || route === 'GET /ws') continue;
    const [method, place] = route.replace(':id', own).split(' ') as [string, string];
    // A long poll, and a stream without an end.
    const harmless = route.endsWith('/wait') ? '?timeoutMs=1' : route.endsWith('/events') ? '?types=nonsense' : '';
    const path = `${place}${harmless}`;
    const ask = async (token: string): Promise<number> =>
      (await gateway.ask(path, { method, token, ...(method === 'POST' && { body: HARMLESS }) })).status;
    for (const role of ROLES) {
      const isAllowed = needed === 'token' || mayDo(role, needed === 'asked' ? 'prompter' : needed);
      expect([route, role, (await ask(tokens[role])) === 403]).toEqual([route, role, !isAllowed]);
    }
    // After ten of them, the status is 429.
    for (const token of [...revoked, expiring.token])
      expect([route, [401, 429].includes(await ask(token))]).toEqual([route, true]);
  }
});

test.each(['viewer', 'prompter', 'operator'] as const)(
  '[DOOR-15] every route about a session is for a %s of another session as if there were none',
  async (role) => {
    const { token } = await gateway.token(role, '--session', 'own');
    for (const [route, needed] of Object.entries(ROUTE_ROLES) as [string, RouteRole][]) {
      if (!route.includes(':id') || route.includes('/push/') || route.includes('/asks/')) continue;
      if (route.includes('/nodes/')) continue; // refused for every session: [NODE-44]
      const bodies: Record<string, object> = {
        input: { text: 'x' },
        prompt: { text: 'x' },
        answer: { question: { text: 'x' }, option: 'y' },
        resize: { cols: 80, rows: 24 },
        uploads: { name: 'x', base64: '' },
      };
      const [method, place] = route.split(' ') as [string, string];
      const last = place.split('/').at(-1)!;
      const query = last === 'search' ? '?text=x' : last === 'wait' ? '?timeoutMs=1' : '';
      const body = method === 'POST' ? { body: bodies[last] ?? {} } : {};
      const expected = mayDo(role, needed) ? [404, 'SESSION_UNKNOWN'] : [403, 'ROLE_TOO_LOW'];
      for (const reference of ['other', other, other.slice(0, 6)]) {
        const answer = await gateway.ask(`${place.replace(':id', reference)}${query}`, { method, token, ...body });
        expect([route, reference, answer.status, answer.code]).toEqual([route, reference, ...expected]);
      }
    }
    const tasks = await gateway.ask('/api/tasks', { token });
    expect(tasks.text).not.toContain(other);
    expect((await gateway.ask('/api/events?session=other', { token })).status).toBe(404);
    const isMetricsOpen = (await gateway.ask('/metrics', { token })).status === 200;
    expect([role, isMetricsOpen]).toEqual([role, false]);
  },
);

test.each(ROLES)('[DOOR-12] whatever a %s has opened ends with its token, and nothing opens again', async (role) => {
  for (const end of ['revoked', 'expired'] as const) {
    const { doors } = await daemon.client();
    let [ms, closed] = [3000, [] as Promise<unknown>[]];
    let made: { token: string; info: { id: string } };
    for (;;) {
      made = await doors.createToken({ kind: 'token', role, ...(end === 'expired' && { expiresAt: Date.now() + ms }) });
      const opened = await openAll(made.token).catch(() => null);
      if (opened) {
        closed = opened;
        break;
      }
      ms *= 2; // the token expired first, on a busy machine
    }
    if (end === 'revoked') await doors.revokeToken(made.info.id);
    await Promise.all(closed);
    await expect(gateway.socket({ authorization: `Bearer ${made.token}` })).rejects.toThrow(/refused with (401|429)/);
    expect([401, 429]).toContain((await gateway.ask('/api/me', { token: made.token })).status);
  }
});

/** Opens one connection of each kind; returns promises of their ends. */
async function openAll(token: string): Promise<Promise<unknown>[]> {
  const frames = await gateway.frames(token);
  const dialects = ['spool.attach.v1', 'spool.events.v1', 'v1.alis'].map(async (dialect) => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws?session=own`, [dialect, `spool.bearer.${token}`]);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    return { closed };
  });
  const opened = await Promise.all(dialects);
  const events = await gateway.events(token);
  const poll = gateway.ask('/api/sessions/own/wait?timeoutMs=55000', { token }).then(
    ({ status }) => expect(status).not.toBe(200),
    () => {},
  );
  const sockets = [frames, ...opened].map(async ({ closed }) => expect(await closed).toBe(4001));
  return [...sockets, events.closed, poll];
}

/**
 * Connects with a token that then expires. On a busy machine it may expire before it is used: then one that lives longer is
 * tried.
 */
async function expiredWhileConnected(): Promise<{ token: string }> {
  const { doors } = await daemon.client();
  for (let ms = 1000; ; ms *= 2) {
    const made = await doors.createToken({ kind: 'token', role: 'owner', expiresAt: Date.now() + ms });
    const live = await gateway.frames(made.token).catch(() => null);
    if (live === null) continue;
    expect(await live.closed).toBe(4001);
    return made;
  }
}

test('[DOOR-48] a link shares one session, for so many browsers, and ends with all that came of it', async () => {
  const shared = await daemon.json<{ id: string; url: string }>('share', 'own', '--uses', '2', '--role', 'prompter');
  const code = new URL(shared.url).hash.slice('#code='.length);
  const browsers = [await gateway.login(code), await gateway.login(code)] as const;
  await expect(gateway.login(code)).rejects.toThrow(/CODE_REFUSED|RATE_LIMITED/);
  const { headers } = browsers[0];
  const { text } = await gateway.ask('/api/sessions', { headers });
  expect(JSON.parse(text)).toMatchObject([{ id: own, cwd: '' }]);
  expect((await gateway.ask('/api/sessions/other', { headers })).status).toBe(404);
  const socket = await gateway.socket(headers);
  await socket.hello();
  await daemon.json('token', 'revoke', shared.id);
  expect(await socket.closed).toBe(4001);
  expect([401, 429]).toContain((await gateway.ask('/api/me', { headers: browsers[1].headers })).status);
});

test('[DOOR-49] a link from now on shows nothing from before', async () => {
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], name: 'past' });
  await client.write('past', 'before\n');
  await until('it is written', async () => (await client.get('past')).offset >= 14);
  const { offset } = await client.get('past');
  await new Promise((resolve) => setTimeout(resolve, 20)); // times are in milliseconds
  const { url } = await daemon.json<{ url: string }>('share', 'past', '--from', 'now');
  const browser = await gateway.login(new URL(url).hash.slice('#code='.length));
  const socket = await gateway.socket(browser.headers);
  await socket.hello();
  const watched = await socket.request('watch', { session: 'past', from: 'start', creditBytes: 1000 });
  expect(watched).toMatchObject({ from: offset });
  expect(await socket.request('screen', { session: 'past', format: 'text', at: { offset: 5 } })).toMatchObject({
    code: 'NOT_ALLOWED',
  });
  socket.close();
  await session.kill();
});

test('[DOOR-16] what was done through a door is in the audit log, and its chain is whole', async () => {
  const { id, token } = await gateway.token('operator', '--name', 'audited');
  await gateway.ask(`/api/sessions/${own}/input`, { token, body: { text: 'x' } });
  await gateway.ask('/api/me', { token: 'wrong' });
  const lines = async (): Promise<{ token: string; what: string; note?: string }[]> =>
    (await daemon.spool(['audit', '--json'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { token: string; what: string });
  await until('it is recorded', async () =>
    (await lines()).some(({ token, what }) => token === id && what === 'input'),
  );
  expect((await lines()).map(({ what }) => what)).toEqual(
    expect.arrayContaining(['token-created', 'login', 'refused']),
  );
  expect(await daemon.json('audit', 'verify')).toMatchObject({ isWhole: true });
});
