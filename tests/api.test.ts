/**
 * Tests that the HTTP API behaves as described. Every route is called according to the description, and its answer is compared.
 */
import { createECDH, randomBytes } from 'node:crypto';
import { ROUTE_ROLES } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { TestGateway } from './support/gateway.ts';

let daemon: TestDaemon;
let gateway: TestGateway;
let token: string;

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema: object }>> } };
}

let described: Record<string, Record<string, Operation>>;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  token = (await gateway.token('operator')).token;
  const { text } = await gateway.ask('/api/openapi.json', { token });
  const document = JSON.parse(text) as { openapi: string; paths: typeof described };
  expect(document.openapi).toBe('3.1.0');
  described = document.paths;
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

/** Routes that are not described: the page, logins, machines that join, health, and the socket. */
const NOT_API =
  /^(GET \/|GET \/assets\/\*|GET \/:file|GET \/(healthz|readyz|metrics|ws)|GET \/api\/(me|openapi\.json)|POST \/api\/(login|logout|challenge|pass|nodes))$/;

test('[API-1] every route is described, and nothing else', () => {
  const routes = Object.entries(described).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(routes.sort()).toEqual(
    Object.keys(ROUTE_ROLES)
      .filter((row) => !NOT_API.test(row))
      .sort(),
  );
});

/** Calls a route as described: parameters outside of the description are refused. */
async function call(row: string, values: Record<string, unknown> = {}, body?: object): Promise<unknown> {
  const [method, path] = row.split(' ') as [string, string];
  const operation = described[path]![method.toLowerCase()]!;
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: where } of operation.parameters) {
    if (where === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(values[name])));
    else if (values[name] !== undefined) query.set(name, String(values[name]));
  }
  expect([row, body === undefined || operation.requestBody !== undefined]).toEqual([row, true]);
  const { status, text } = await gateway.ask(`${address}?${query}`, {
    method,
    token,
    body: body ?? (method === 'POST' ? {} : undefined),
  });
  expect([row, status, text.slice(0, 300)]).toEqual([row, 200, expect.any(String)]);
  const answer: unknown = JSON.parse(text);
  const { schema } = operation.responses[200].content['application/json']!;
  expect([row, z.fromJSONSchema(schema as never).safeParse(answer).error?.issues]).toEqual([row, undefined]);
  called.add(row);
  return answer;
}
const called = new Set<string>();

test('[API-1] every route answers what is described, field by field', async () => {
  const ask = { text: 'Proceed? [y/N] ' };
  const command = ['bash', '--norc', '--noprofile', '-c', 'read -p "Proceed? [y/N] " a; echo "got $a"; exec cat'];
  const { id } = (await call('POST /api/sessions', {}, { command, name: 'api', cwd: '/', labels: { a: 'b' } })) as {
    id: string;
  };
  await call('GET /api/sessions', { state: 'running', limit: 10 });
  await call('GET /api/sessions/{id}', { id: 'api' });
  await call('POST /api/sessions/{id}/input', { id }, { text: 'y\n', key: 'once' });
  await call('POST /api/sessions/{id}/input', { id }, { text: 'y\n', key: 'once' });
  const logs = async (from?: number): Promise<{ text: string; from: number; next: number }> =>
    (await call('GET /api/sessions/{id}/logs', { id, from })) as { text: string; from: number; next: number };
  await until('it was typed', async () => (await logs()).text.includes('got y'));
  const { next, text } = await logs(0);
  expect([text.startsWith(ask.text), (await logs(next)).text]).toEqual([true, '']);
  const screen = (await call('GET /api/sessions/{id}/screen', { id, format: 'text', historyLines: 3 })) as {
    content: string;
  };
  expect(screen.content).toContain('got y');
  await call('POST /api/sessions/{id}/resize', { id }, { cols: 100, rows: 30 });
  await call('POST /api/sessions/{id}/prompt', { id }, { text: 'hello', force: true });
  const waited = (await call('GET /api/sessions/{id}/wait', { id, until: 'exit', timeoutMs: 10 })) as {
    reason: string;
  };
  expect(waited.reason).toBe('timeout');
  await call('POST /api/sessions/{id}/stop', { id }, { graceMs: 0 });
  expect(await call('GET /api/sessions/{id}/wait', { id })).toMatchObject({ reason: 'exit' });
  await call('DELETE /api/sessions/{id}', { id });
  const task = (await call('POST /api/tasks', {}, { command: ['sleep', '1000'], size: null })) as { id: string };
  await call('GET /api/tasks');
  await call('GET /api/tasks/{id}', { id: task.id });
  await call('POST /api/sessions/{id}/kill', { id: task.id });
  // `answer` needs a dialog of an agent: here the test only checks that it is refused as described.
  const refused = await gateway.ask(`/api/sessions/${task.id}/answer`, {
    token,
    body: { question: { text: 'x' }, option: 'y' },
  });
  expect([refused.status, refused.code]).toEqual([409, 'SESSION_EXITED']);
});

test('[API-1] an answer, the folder of a session, and push messages: as described, too', async () => {
  const command = ['bash', '--norc', '--noprofile', '-c', 'read -p "Proceed? [y/N] " a; echo "got $a"; exec cat'];
  const { id } = (await call('POST /api/sessions', {}, { command, cwd: daemon.home })) as { id: string };
  const { session } = (await call('GET /api/sessions/{id}/wait', { id, until: 'blocked' })) as {
    session: { status: { question: { text: string; options: readonly { label: string }[] } } };
  };
  const { text, options } = session.status.question;
  await call('POST /api/sessions/{id}/answer', { id }, { question: { text }, option: options[0]!.label });
  await call('GET /api/sessions/{id}/search', { id, text: 'Proceed' });
  await call('GET /api/sessions/{id}/files', { id, path: '' });
  await call('GET /api/sessions/{id}/changes', { id });
  await call('GET /api/folders', { path: '/' });
  await call('POST /api/sessions/{id}/uploads', { id }, { name: 'a.txt', base64: 'aGVsbG8=' });
  await call('POST /api/sessions/{id}/kill', { id });
  await call('GET /api/push', {});
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const made = (await call(
    'POST /api/push',
    {},
    {
      endpoint: 'https://fcm.googleapis.com/fcm/send/1',
      keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
    },
  )) as { id: string };
  await call('DELETE /api/push/{id}', { id: made.id });
});

/** Routes with separate tests: a stream, and the answer to a notification, which needs the link in one. */
const ELSEWHERE = ['GET /api/events', 'POST /api/asks/{id}'];

test('[API-1] no route was left out', () => {
  const all = Object.entries(described).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // Those on a node answer as those of this machine do: [NODE-44].
  const own = all.filter((row) => !row.includes('/api/nodes/'));
  expect(own.filter((row) => !called.has(row)).sort()).toEqual(ELSEWHERE);
});

test('[API-1] a field that is not described fails the comparison', () => {
  const { schema } = described['/api/sessions/{id}/screen']!['get']!.responses[200].content['application/json']!;
  const answer = { id: '', offset: 0, at: 0, cols: 1, rows: 1, isExact: true, title: '', content: '' };
  const compared = z.fromJSONSchema(schema as never);
  expect([compared.safeParse(answer).success, compared.safeParse({ ...answer, extra: 1 }).success]).toEqual([
    true,
    false,
  ]);
});

test('[API-1] what is not described is refused, with a problem that names it', async () => {
  for (const [path, body] of [
    ['/api/sessions?colour=red', undefined],
    ['/api/sessions', { command: ['true'], shell: true }],
    ['/api/sessions/x/input', { text: 1 }],
    ['/api/sessions/x/input', { text: 'x', __proto__: null, constructor: 1 }],
  ] as const) {
    const { status, code } = await gateway.ask(path, { token, body });
    expect([path, status, code]).toEqual([path, 400, 'REQUEST_INVALID']);
  }
  const missing = await gateway.ask('/api/sessions/nothing', { token });
  const problem = z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    details: z.looseObject({}),
  });
  expect(problem.parse(JSON.parse(missing.text))).toMatchObject({ status: 404, code: 'SESSION_UNKNOWN' });
});

test('health is for everyone, metrics for those with a token', async () => {
  expect([(await gateway.ask('/healthz')).status, (await gateway.ask('/readyz')).status]).toEqual([200, 200]);
  expect((await gateway.ask('/metrics')).status).toBe(401);
  expect((await gateway.ask('/metrics', { token })).text).toMatch(/^spool_sessions_running \d+$/m);
});
