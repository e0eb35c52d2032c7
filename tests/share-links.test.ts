/**
 * Tests everything that a guest can read, for each kind of guest. The cases are generated: every request with every combination of its
 * fields, every reading route, every protocol. All parts of the session contain marks of the past and of other users, which no
 * answer may have.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { type Op, OP_ROLES, type Role, ROUTE_ROLES } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestGateway } from './support/gateway.ts';

/** A mark that was printed before the link was made, and has scrolled off the screen since. */
const PAST = 'MARKPAST';
/** A mark in the names, arguments, options and variables of others. */
const OTHERS = 'MARKOTHER';
/** A mark in all parts of another session: name, labels, title, milestone, question, text, and the name of a task. */
const ELSEWHERE = 'MARKELSE';
const SCRIPTED = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

let daemon: TestDaemon;
let gateway: TestGateway;
let own: string;
let other: string;

/** A title, a milestone, a question and 300 lines of the past; then it is a `cat`. */
const OWN = `
  printf '\\033]2;${PAST}-title\\007'; echo '${PAST}-milestone reached'; read -p '${PAST}-question? [y/N] ' answer
  sleep 0.3; printf '\\033]2;shown\\007'; for i in $(seq 300); do echo ${PAST} $i; done
  printf '\\033[2J\\033[H'; exec cat # ${OTHERS}-argument`;
/** Its program asks on request, and every attached client gets a notice. */
const OTHER = `
  printf '\\033]2;${ELSEWHERE}-title\\007'; echo '${ELSEWHERE}-milestone reached'
  while read go; do read -p '${ELSEWHERE}-question? [y/N] ' answer; done`;

beforeAll(async () => {
  daemon = new TestDaemon();
  const folder = `${daemon.home}/config/milestones`;
  mkdirSync(folder, { recursive: true });
  const milestones = [{ name: 'mine', match: '^(?<what>MARK[A-Z]+-milestone) reached$', title: '{what}' }];
  writeFileSync(`${folder}/mine.json`, JSON.stringify({ tool: 'mine', milestones }));
  gateway = await TestGateway.start(daemon);
  const client = await daemon.client({ who: `${OTHERS}-starter` });
  const size = { cols: 80, rows: 24 };
  const env = { SECRET: OTHERS, PATH: process.env['PATH']! };
  const cwd = daemon.home; // an operator reads the changes of a folder: not those of this file
  const bash = (script: string): string[] => ['bash', '-c', script];
  ({ id: own } = await client.run({ command: bash(OWN), name: 'own', cwd, env, size, labels: { shown: 'yes' } }));
  const labels = { [`${ELSEWHERE}-label`]: `${ELSEWHERE}-value` };
  ({ id: other } = await client.run({ command: bash(OTHER), name: `${ELSEWHERE}-session`, cwd, env, size, labels }));
  await client.run({ command: ['cat'], name: `${ELSEWHERE}-task`, cwd, env, size, isTask: true });
  await until(
    'it asks',
    async () => (await client.get('own')).status.question?.text.includes(`${PAST}-question`) === true,
  );
  await until('all of it is known', async () => {
    const { milestone, title } = await client.get('own');
    return milestone?.title === `${PAST}-milestone` && title === `${PAST}-title`;
  });
  await client.write('own', 'y\n');
  await until('the past is off the screen', async () => {
    const { content } = await client.screen('own');
    const { offset, title, status } = await client.get('own');
    return offset > 3000 && !content.includes(PAST) && title === 'shown' && status.state !== 'blocked';
  });
  const typist = await daemon.client({ who: `${OTHERS}-typist` });
  await typist.write('own', 'typed\n');
  await until('it is known who typed', async () => (await client.get('own')).typed?.who === `${OTHERS}-typist`);
  const agent = await client.agent('claude', {
    prompt: `say ${PAST}-said`,
    name: 'agent',
    cwd,
    model: `${OTHERS}-model`,
    program: [process.execPath, SCRIPTED, '/dev/null', `${OTHERS}-argument`],
    env,
  });
  await until('it has said it', async () => (await client.get(agent.id)).status.state === 'idle', 60_000);
  await new Promise((resolve) => setTimeout(resolve, 20)); // times are in milliseconds
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const FROM = [0, 'start', 'end', { tailBytes: 100_000 }];
const HISTORY = [undefined, 1000];
const COLOURS = [undefined, { background: '#ff0000' }];

/** The fields of each reading request: every value that changes the answer. */
const FIELDS: Partial<Record<Op, Readonly<Record<string, readonly unknown[]>>>> = {
  list: {},
  get: { session: ['own'] },
  explain: { session: ['own'] },
  watch: { session: ['own'], creditBytes: [1_000_000], from: FROM },
  attach: {
    session: ['own'],
    creditBytes: [1_000_000],
    typing: ['abcdefgh'],
    followsSize: [undefined, true],
    from: [undefined, 0, 500],
    historyLines: HISTORY,
    colours: COLOURS,
  },
  view: { wantsSnapshot: [undefined, true], historyLines: HISTORY, colours: COLOURS },
  screen: {
    session: ['own'],
    format: ['text', 'ansi', 'html', 'json', 'snapshot'],
    at: [undefined, { offset: 500 }, { time: 1 }],
    historyLines: HISTORY,
  },
  grids: { tiles: [[{ session: 'own' }]] },
  marks: { session: ['own'], from: [0] },
  offsetAt: { session: ['own'], time: [1] },
  SUBSCRIBE_WORKER_OUTPUT: { agent: ['own'], from: [undefined, 0] },
};

/** Requests that are tested separately below, end something, or belong to agents. */
const APART: readonly Op[] = ['wait', 'events', 'unwatch', 'UNSUBSCRIBE_WORKER_OUTPUT', 'watchEvents'];
const READING = (Object.keys(OP_ROLES) as Op[]).filter((op) => OP_ROLES[op] === 'viewer' && !APART.includes(op));

const ROUTES = Object.keys(ROUTE_ROLES).filter(
  (route) => route.startsWith('GET /api/sessions') || route === 'GET /api/tasks',
);

function asks(op: Op, session = 'own'): object[] {
  let made: object[] = [{}];
  for (const [field, values] of Object.entries(FIELDS[op] ?? {}))
    made = made.flatMap((one) => values.map((value) => ({ ...one, [field]: value })));
  return JSON.parse(JSON.stringify(made).replaceAll('"own"', JSON.stringify(session))) as object[];
}

/** Returns all answers to a guest, as text. */
async function allOf(headers: Record<string, string>, codes: Map<Op, Set<unknown>> = new Map()): Promise<string> {
  const socket = await gateway.socket(headers);
  await socket.hello();
  await socket.request('events', {});
  for (const op of READING)
    for (const ask of asks(op)) {
      const channel = op === 'view' ? { channel: await attached(socket) } : {};
      const { code } = await socket.request(op, { ...ask, ...channel });
      codes.set(op, (codes.get(op) ?? new Set()).add(code));
    }
  await socket.request('events', { types: ['session-summary', 'session-started', 'session-exited', 'session-typed'] });
  await socket.request('wait', { session: 'own', until: ['output'], after: 0 });
  const client = await daemon.client({ who: `${OTHERS}-second` });
  await askElsewhere(client);
  await client.write('own', 'NOW\n');
  await until('the present is shown', () => socket.frames.some(({ payload }) => Buffer.from(payload).includes('NOW')));
  const pages: string[] = [];
  for (const route of ROUTES)
    for (const query of [
      '',
      '?from=0',
      '?historyLines=1000',
      '?offset=500',
      `?text=${PAST.slice(0, 4)}`,
      '?timeoutMs=1',
    ])
      if (!route.endsWith('/wait') || query === '?timeoutMs=1')
        pages.push((await gateway.ask(route.slice(4).replace(':id', 'own') + query, { headers })).text);
  for (const dialect of ['spool.attach.v1', 'spool.events.v1', 'v1.alis']) pages.push(await spoken(dialect, headers));
  const frames = socket.frames.map(({ payload }) => decoded(Buffer.from(payload).toString('utf8')));
  socket.close();
  return [...frames, ...pages].join('\n').replaceAll(`text=${PAST.slice(0, 4)}`, '');
}

/** Another session asks, which is a notice for everyone who is attached and may know of it; and is answered. */
async function askElsewhere(client: Client): Promise<void> {
  const { token } = await gateway.token('owner');
  const owner = await gateway.frames(token);
  await attached(owner);
  await client.write(other, 'go\n');
  const isNoticed = ({ payload }: { payload: Uint8Array }): boolean => {
    const text = Buffer.from(payload).toString('utf8');
    return text.includes('"notice"') && text.includes(`${ELSEWHERE}-question`);
  };
  await until('an owner is told of it', () => owner.frames.some(isNoticed), 60_000);
  owner.close();
  await client.write(other, 'y\n');
  await until('it waits no more', async () => (await client.get(other)).status.state !== 'blocked');
}

/** Returns all answers to a guest of the agent, as text. */
async function allOfAgent(headers: Record<string, string>): Promise<string> {
  const socket = await gateway.socket(headers);
  await socket.hello();
  await socket.request('events', {});
  for (const op of READING.filter((each) => each !== 'view'))
    for (const ask of asks(op, 'agent')) await socket.request(op, ask);
  for (const from of ['start', 0])
    await socket.request('watchEvents', { session: 'agent', from, creditBytes: 1_000_000 });
  const client = await daemon.client({ who: `${OTHERS}-second` });
  const agent = await client.openAgent('agent');
  const before = (await client.get('agent')).driver!.offset;
  await agent.prompt('say NOW');
  await until('it has said it', async () => {
    const { status, driver } = await client.get('agent');
    return driver!.offset > before && status.state === 'idle';
  });
  const pages: string[] = [];
  for (const route of ROUTES)
    pages.push((await gateway.ask(`${route.slice(4).replace(':id', 'agent')}?timeoutMs=1`, { headers })).text);
  await socket.request('list', {});
  const frames = socket.frames.map(({ payload }) => decoded(Buffer.from(payload).toString('utf8')));
  socket.close();
  return [...frames, ...pages].join('\n');
}

async function attached(socket: {
  request: (op: string, ask: object) => Promise<unknown>;
  frames: readonly { channel: number }[];
}): Promise<number> {
  await socket.request('attach', { session: 'own', creditBytes: 100_000, typing: 'abcdefgi' });
  return Math.max(...socket.frames.map(({ channel }) => channel));
}

/** Decodes screens, which are sent in base64. */
function decoded(text: string): string {
  return text.replaceAll(
    /"(?:content|data)":"([A-Za-z0-9+/=]{40,})"/g,
    (whole, base64: string) => `${whole} ${Buffer.from(base64, 'base64').toString('utf8')}`,
  );
}

async function spoken(dialect: string, headers: Record<string, string>): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws?session=own`, [dialect], { headers });
  let text = '';
  const told = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      text += decoded(data.toString('utf8'));
      if (dialect !== 'spool.events.v1' || text.includes('WORKER_OUTPUT')) resolve();
    });
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  if (dialect === 'spool.events.v1') {
    socket.send(JSON.stringify({ type: 'SUBSCRIBE_WORKER_OUTPUT', payload: { agent: own } }));
    const client = await daemon.client();
    const timer = setInterval(() => void client.write('own', 'NOW\n').catch(() => {}), 100);
    await told;
    clearInterval(timer);
  } else await told;
  socket.terminate();
  return text;
}

const NOTHING = { past: null, others: null, elsewhere: null, other: null };
const found = (told: string) => ({
  past: around(told, PAST),
  others: around(told, OTHERS),
  elsewhere: around(told, ELSEWHERE),
  other: around(told, other),
});

test.each(['viewer', 'prompter'] as const)(
  '[DOOR-14] [DOOR-49] a %s by a link from now on learns nothing of the past, of other sessions, or of who starts, looks and types',
  async (role: Role) => {
    const linked = async (session: string): Promise<Record<string, string>> => {
      const { url } = await daemon.json<{ url: string }>('share', session, '--from', 'now', '--role', role);
      return (await gateway.login(new URL(url).hash.slice('#code='.length))).headers;
    };
    const told = await allOf(await linked('own'));
    expect(told).toContain('NOW');
    expect(found(told)).toEqual(NOTHING);
    expect(found(await allOfAgent(await linked('agent')))).toEqual(NOTHING);
  },
);

test.each(['viewer', 'prompter', 'operator'] as const)(
  '[DOOR-14] [DOOR-15] a %s of one session reads its past, and nothing of other sessions; only an operator who starts, looks and types',
  async (role: Role) => {
    const others = role === 'operator' ? expect.any(String) : null;
    const of = async (session: string): Promise<Record<string, string>> => ({
      authorization: `Bearer ${(await gateway.token(role, '--session', session)).token}`,
    });
    const told = await allOf(await of('own'));
    expect(told).toContain('NOW');
    // The past is there: else the test above proves nothing.
    expect(found(told)).toEqual({ ...NOTHING, past: expect.any(String), others });
    for (const mark of ['milestone', 'title', 'question'])
      expect([mark, told.includes(`${PAST}-${mark}`)]).toEqual([mark, true]);
    const ofAgent = await allOfAgent(await of('agent'));
    expect(found(ofAgent)).toEqual({ ...NOTHING, past: expect.any(String), others });
    expect(ofAgent).toContain(`${PAST}-said`);
  },
);

test('[DOOR-14] an owner is told all of it: the marks are where a guest could find them', async () => {
  const { token } = await gateway.token('owner');
  const codes = new Map<Op, Set<unknown>>();
  const told = await allOf({ authorization: `Bearer ${token}` }, codes);
  // Each of them was answered, in every form: otherwise the tests above would prove nothing.
  expect(Object.fromEntries([...codes].map(([op, all]) => [op, [...all]]))).toEqual(
    Object.fromEntries(READING.map((op) => [op, [undefined]])),
  );
  for (const mark of ['starter', 'typist', 'second', 'argument'])
    expect([mark, told.includes(`${OTHERS}-${mark}`)]).toEqual([mark, true]);
  for (const mark of ['session', 'label', 'value', 'title', 'milestone', 'question', 'task'])
    expect([mark, told.includes(`${ELSEWHERE}-${mark}`)]).toEqual([mark, true]);
  expect(told).toMatch(new RegExp(`"type":"notice"[^\\n]*${ELSEWHERE}-question`));
  expect(await allOfAgent({ authorization: `Bearer ${token}` })).toContain(`${OTHERS}-model`);
});

/** Returns the text around a mark. */
function around(text: string, mark: string): string | null {
  const at = text.indexOf(mark);
  return at === -1 ? null : text.slice(Math.max(0, at - 100), at + 60);
}
