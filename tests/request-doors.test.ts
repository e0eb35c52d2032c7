/** Tests requests of agents through the gateway: permissions, answers to a notification, and entries of the audit log. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { connect } from '@spool/client/remote';
import { COMMAND_ROLES, type Role, ROLES, type SessionInfo } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { Receiver } from './support/receiver.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

async function start(daemon: TestDaemon, name: string, steps: readonly object[]): Promise<string> {
  const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson`;
  const flags = ['--agent', 'claude', '-d', '--name', name, '--program', program];
  return (await daemon.json<{ id: string }>('run', ...flags, '--', `steps ${JSON.stringify(steps)}`)).id;
}

/** Returns the pending request, once there is one. */
async function waiting(
  daemon: TestDaemon,
  session: string,
): Promise<NonNullable<SessionInfo['status']['requests']>[0]> {
  const client = await daemon.client();
  let found: SessionInfo['status']['requests'];
  await until('it asks', async () => (found = (await client.get(session)).status.requests) !== undefined);
  return found![0]!;
}

/** Returns the answers that the agent got, by request. */
function answersTo(daemon: TestDaemon, name: string): Record<string, { behavior: string; updatedInput?: unknown }> {
  const lines = readFileSync(`${daemon.home}/${name}.ndjson`, 'utf8').trimEnd().split('\n');
  const responses = lines.map((line) => JSON.parse(line) as { type: string; response?: { request_id: string } });
  return Object.fromEntries(
    responses
      .filter(({ type }) => type === 'control_response')
      .map(({ response }) => [response!.request_id, (response as unknown as { response: never }).response]),
  );
}

const ask = (id: string, command: string): object => ({
  ask: { id, tool: 'Bash', input: { command, description: 'List the files' } },
});
const RULES = [{ type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' }];

test('[DOOR-43] each command for an agent is refused by a gateway, or passed on, as the table says', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const session = await start(daemon, 'ann', [ask('r1', 'ls')]);
  await waiting(daemon, session);
  for (const role of ROLES) {
    const socket = await gateway.frames((await gateway.token(role)).token);
    const code = async (command: object): Promise<unknown> =>
      (await socket.request('command', { session, id: `${role}-${Math.random()}`, command }))['code'];
    // A field that no command has: a client that passes the guard is refused by the keeper, without any effect.
    for (const [what, needed] of Object.entries(COMMAND_ROLES) as [string, Role][]) {
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(needed);
      const expected = isAllowed ? expect.stringMatching(/^REQUEST_(INVALID|UNKNOWN)$/) : 'ROLE_TOO_LOW';
      expect([role, what, await code({ do: what, nonsense: true })]).toEqual([role, what, expected]);
    }
    expect(await code({ do: 'grantAll' })).toBe(role === 'viewer' ? 'ROLE_TOO_LOW' : 'REQUEST_UNKNOWN');
    socket.close();
  }
  expect(answersTo(daemon, 'ann')).not.toHaveProperty('r1');
});

test('[DOOR-44, DOOR-50] a prompter allows one request as it was shown, and the audit log says what that was', async () => {
  await using daemon = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  const asked = { id: 'r1', tool: 'Bash', input: { command: 'ls' }, suggestions: RULES };
  const session = await start(daemon, 'ann', [{ ask: asked }]);
  const open = await waiting(daemon, session);
  const always = open.options.find(({ kind }) => kind === 'allow_always')!;
  const once = open.options.find(({ kind }) => kind === 'allow_once')!;
  const { token } = await gateway.token('prompter', '--name', 'pat');
  const socket = await gateway.frames(token);
  const { request, digest } = open;
  let commands = 0;
  const give = async (more: object): Promise<Readonly<Record<string, unknown>>> =>
    await socket.request('command', {
      session,
      id: `c${++commands}`,
      command: { do: 'permission', request, digest, ...more },
    });
  expect(await give({ option: once.id, input: { command: 'rm -rf /' } })).toMatchObject({ code: 'ROLE_TOO_LOW' });
  await give({ option: always.id, once: false });
  await give({ option: once.id, digest: '99-0' });
  expect((await waiting(daemon, session)).digest).toBe(digest);
  await give({ option: once.id });
  await until('it was answered', () => answersTo(daemon, 'ann')['r1'] !== undefined);
  expect(answersTo(daemon, 'ann')['r1']).toMatchObject({ behavior: 'allow', updatedInput: { command: 'ls' } });
  expect(answersTo(daemon, 'ann')['r1']).not.toHaveProperty('updatedPermissions');
  type Line = { readonly what: string; readonly who: string; readonly note?: string };
  const notes = async (): Promise<Line[]> =>
    (await daemon.spool(['audit', '--json'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ what }) => what === 'command');
  await until('it is recorded', async () => (await notes()).length === 3);
  const last = (await notes()).at(-1)!;
  expect(last).toMatchObject({ who: 'pat' });
  expect(last.note).toBe(
    `permission, option ${once.id}, request r1, digest shown ${digest}, digest ${digest}, Bash: ls`,
  );
  socket.close();
});

interface NtfyAction {
  readonly label: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function configure(daemon: TestDaemon, notify: object): void {
  mkdirSync(`${daemon.home}/config`, { recursive: true });
  writeFileSync(`${daemon.home}/config/config.json`, JSON.stringify({ notify }));
}

test('[NOTE-3, NOTE-5] a notification shows the request whole, and its answer reaches that request and no other', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { ntfy: `${server.origin}/topic`, actions: true, on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  const gone = `${daemon.home}/gone`;
  const session = await start(daemon, 'ann', [
    ask('r1', 'echo harmless'),
    { when: gone },
    { withdraw: 'r1' },
    ask('r2', 'rm -rf ~/everything'),
  ]);
  await until('it is told', () => server.received.length === 1);
  const first = server.received[0]!.json as { message: string; click: string; actions: NtfyAction[] };
  expect(first.message).toContain('echo harmless');
  expect(first.message).toContain('List the files');
  expect(first.click).toContain(`#/s/${session}`);
  const press = async ({ url, headers, body }: NtfyAction): Promise<readonly [number, string | undefined]> => {
    const answer = await gateway.ask(new URL(url).pathname, { method: 'POST', headers, body });
    return [answer.status, answer.code];
  };
  const { request, digest } = await waiting(daemon, session);
  expect(request).toBe('r1');
  expect(first.actions[0]!.url).toContain(`/api/asks/${session}-${digest}`);
  writeFileSync(gone, '');
  await until('the other request is told', () => server.received.length === 2);
  // The words of both requests and the places of their options are the same.
  expect(await press(first.actions[0]!)).toEqual([409, 'QUESTION_CHANGED']);
  const second = server.received[1]!.json as { message: string; actions: NtfyAction[] };
  expect(second.message).toContain('rm -rf ~/everything');
  expect(answersTo(daemon, 'ann')).not.toHaveProperty('r2');
  const [yes, no] = second.actions as [NtfyAction, NtfyAction];
  expect(await press({ ...yes, body: no.body })).toEqual([401, 'TOKEN_REFUSED']);
  expect(await press(no)).toEqual([200, undefined]);
  await until('it was answered', () => answersTo(daemon, 'ann')['r2'] !== undefined);
  expect(answersTo(daemon, 'ann')['r2']!.behavior).toBe('deny');
});

test('[NOTE-6] a request that a notification cannot show whole is only denied from there', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, {
    ntfy: `${server.origin}/topic`,
    webhook: `${server.origin}/hook`,
    actions: true,
    on: ['blocked'],
  });
  await TestGateway.start(daemon);
  const script = Array.from({ length: 121 }, (_, at) => `echo ${at} ${'x'.repeat(40)}`).join('\n');
  await start(daemon, 'ann', [ask('r1', script)]);
  await until('both are told', () => server.received.length === 2);
  const sent = server.received.map(({ json }) => json);
  const ntfy = sent.find((json) => 'topic' in json) as unknown as { message: string; actions: NtfyAction[] };
  expect(ntfy.message).toMatch(/… not shown: \d+ lines, \d+ characters\. Open the session to see them\.$/);
  expect(ntfy.actions.map(({ body }) => (JSON.parse(body) as { action: string }).action)).toEqual([
    'option:reject_once',
  ]);
  const hook = sent.find((json) => 'type' in json) as unknown as { body: string; actions: { id: string }[] };
  for (const line of script.split('\n')) expect(hook.body).toContain(line);
});

test('[REQ-6] listing, notifying and answering read one record of the log, however long it is', async () => {
  using server = await Receiver.start();
  await using daemon = new TestDaemon();
  configure(daemon, { ntfy: `${server.origin}/topic`, actions: true, on: ['blocked'] });
  const gateway = await TestGateway.start(daemon);
  // Less than a segment of the log: a full one is read once more, to compress it.
  const talk = Array.from({ length: 20 }, () => ({ text: 100 }));
  const ids = ['r1', 'r2', 'r3'];
  const session = await start(daemon, 'ann', [...talk, ...ids.map((id) => ask(id, `echo ${id}`))]);
  await until('it is told', () => server.received.length === 1);
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  const client = await daemon.client();
  unsubscribe('net.client.socket', note);
  const read = (): number => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  expect((await client.get(session)).driver!.offset).toBeGreaterThan(LOG_BYTES_MIN);

  const before = read();
  const requests = await (await client.openAgent(session)).requests();
  expect(requests.map(({ request }) => request)).toEqual(ids);
  expect(read() - before).toBeLessThan(MANY_BYTES);
  // The gateway's reads: for a notification, and for its answer.
  const { keeper, gateway: door } = await client.status();
  const readBy = (pid = door!.pid): number => Number(/^rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1]);
  const readBefore = readBy();
  const keeperBefore = readBy(keeper.pid);
  const { actions } = server.received[0]!.json as { actions: NtfyAction[] };
  const [{ url, headers, body }] = actions as [NtfyAction];
  expect((await gateway.ask(new URL(url).pathname, { method: 'POST', headers, body })).status).toBe(200);
  await until('the next one is told', () => server.received.length === 2);
  expect(answersTo(daemon, 'ann')['r1']!.behavior).toBe('allow');
  expect(readBy() - readBefore).toBeGreaterThan(0);
  expect(readBy() - readBefore).toBeLessThan(MANY_BYTES);
  // The command line, and a client beyond the gateway, as the page is one.
  expect((await daemon.spool(['approve', session, '--request', 'r2'])).code).toBe(0);
  const { token } = await gateway.token('prompter');
  await using afar = await connect({ url: gateway.origin, token });
  const agent = await afar.openAgent(session);
  const [last] = await agent.requests();
  expect(last).toMatchObject({ request: 'r3' });
  expect(await agent.approve(last!)).toMatchObject({ isOurs: true });
  await until('all are answered', () => ids.every((id) => answersTo(daemon, 'ann')[id]?.behavior === 'allow'));
  expect(readBy() - readBefore).toBeLessThan(MANY_BYTES);
  // Whatever a client replays, the keeper reads for it.
  expect(readBy(keeper.pid) - keeperBefore).toBeLessThan(MANY_BYTES);
  // The counters work: reading the whole log takes more.
  await using events = client.watchEvents(session);
  for await (const item of events) if (item.type === 'synced') break;
  expect(read() - before).toBeGreaterThan(LOG_BYTES_MIN);
  expect(readBy(keeper.pid) - keeperBefore).toBeGreaterThan(LOG_BYTES_MIN);
});

/** The log is at least this long. */
const LOG_BYTES_MIN = 4_000_000;
/** A tenth of the log. */
const MANY_BYTES = 400 * 1024;
