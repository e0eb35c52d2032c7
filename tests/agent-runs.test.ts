/**
 * Tests agents without a terminal: the events log, the driver and the commands of clients, with a scripted agent that speaks
 * Claude's protocol (`packages/testkit/programs/scripted-agent.mjs`).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { connect } from '@spool/client/remote';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

interface Limits {
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
}

class Run {
  readonly received: string;
  readonly client: Client;
  readonly agent: AgentHandle;

  private constructor(client: Client, agent: AgentHandle, received: string) {
    this.client = client;
    this.agent = agent;
    this.received = received;
  }

  static async start(daemon: TestDaemon, prompt?: string, limits: Limits = {}): Promise<Run> {
    const client = await daemon.client();
    const received = `${daemon.home}/received.ndjson`;
    writeFileSync(received, '');
    const agent = await client.agent('claude', {
      prompt,
      ...limits,
      // The other flags are Claude's: the scripted agent ignores them.
      program: [execPath, AGENT, received],
      env: { PATH: process.env.PATH! },
    });
    return new Run(client, agent, received);
  }

  /** The lines that the agent has received. */
  get lines(): { type: string; uuid?: string; response?: { request_id: string } }[] {
    return readFileSync(this.received, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  async events(): Promise<AgentEvent[]> {
    const events: AgentEvent[] = [];
    for await (const item of this.client.watchEvents(this.agent.id)) {
      if (item.type === 'synced') break;
      if (item.type === 'event') events.push(item.event);
    }
    return events;
  }

  async has(count: number, kind: AgentEvent['kind']): Promise<void> {
    await until(`${count} × ${kind}`, async () => (await this.kinds(kind)).length >= count, 60_000);
  }

  async kinds<K extends AgentEvent['kind']>(kind: K): Promise<Extract<AgentEvent, { kind: K }>[]> {
    return (await this.events()).filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
  }
}

/** Returns the driver's process: the keeper's only child of that name. */
function driverOf(keeper: number): number | undefined {
  const children = readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ');
  return children.map(Number).find((pid) => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver'));
}

async function kill(client: Client, what: 'keeper' | 'driver' | 'gateway'): Promise<void> {
  const { keeper, gateway } = await client.status();
  try {
    const pid = { keeper: keeper.pid, driver: driverOf(keeper.pid), gateway: gateway?.pid }[what];
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It was just being replaced.
  }
}

test('[EVT-2] events come once each, from any place on, and the log ends when the agent has ended', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'say hello');
  await run.has(1, 'turn.ended');
  await run.agent.prompt('say again');
  await run.has(2, 'turn.ended');
  await run.agent.close();
  const all: { offset: number; event: AgentEvent }[] = [];
  let end = '';
  for await (const item of run.client.watchEvents(run.agent.id)) {
    if (item.type === 'event') all.push(item);
    else if (item.type === 'exit') end = item.state;
  }
  expect(end).toBe('exited');
  expect(all.map(({ event }) => event.seq)).toEqual(all.map((_, at) => at));
  expect(
    all.filter(({ event }) => event.kind === 'message.done').map(({ event }) => 'text' in event && event.text),
  ).toEqual(['hello', 'again']);
  for (const at of [0, 3, all.length - 1]) {
    const rest: number[] = [];
    for await (const item of run.client.watchEvents(run.agent.id, { from: all[at]!.offset }))
      if (item.type === 'event') rest.push(item.event.seq);
    expect(rest).toEqual(all.slice(at).map(({ event }) => event.seq));
  }
  expect((await run.client.get(run.agent.id)).driver).toMatchObject({ name: 'claude', state: 'done' });
});

test('[EVT-1, EVT-6] driver and keeper are killed at random: no event is lost or doubled, and no line to the agent', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'count 400');
  const prompts = Array.from({ length: 12 }, (_, at) => `say prompt ${at}`);
  for (const [at, prompt] of prompts.entries()) {
    const { id } = await run.agent.prompt(prompt);
    // The driver has published an event since the last kill.
    await until(
      'the prompt is taken',
      async () => (await run.kinds('prompt')).some(({ clientId }) => clientId === id),
      30_000,
    );
    await kill(run.client, at % 3 === 2 ? 'keeper' : 'driver');
  }
  await run.has(prompts.length + 1, 'turn.ended');
  const events = await run.events();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
  const counted = events.flatMap((event) =>
    event.kind === 'message.delta' && event.message === 'count-1' ? [event.text] : [],
  );
  expect(counted.join('')).toBe(Array.from({ length: 400 }, (_, at) => `${at} `).join(''));
  const started = events.filter((event) => event.kind === 'turn.started').map(({ turn }) => turn);
  const ended = events.filter((event) => event.kind === 'turn.ended').map(({ turn }) => turn);
  expect(ended).toEqual(started);
  const told = run.lines.filter(({ type }) => type === 'user').map(({ uuid }) => uuid);
  expect(told).toHaveLength(prompts.length + 1);
  expect(new Set(told).size).toBe(told.length);
});

test('[EVT-5] a hundred pending permissions, answered by two clients while driver, keeper and gateway are killed: each is answered once', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'ask 100');
  await run.has(100, 'permission.requested');
  await kill(run.client, 'keeper');
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('prompter');
  // A remote client: its answers come through the gateway.
  await using afar = await connect({ url: gateway.origin, token });
  const second = await afar.openAgent(run.agent.id);
  const asks = await run.agent.requests();
  expect(asks).toHaveLength(100);
  const killer = (async () => {
    for (let round = 0; round < 12; round++) {
      await kill(run.client, (['driver', 'keeper', 'gateway'] as const)[round % 3]!);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  })();
  const decisions = await Promise.all(
    asks.map(async (ask) => await Promise.all([run.agent.approve(ask), second.deny(ask, { message: 'no' })])),
  );
  await killer;
  await run.has(1, 'turn.ended');
  const firsts = decisions.map(([ours, theirs]) => [ours.isOurs, theirs.isOurs].filter(Boolean).length);
  expect(firsts).toEqual(asks.map(() => 1));
  const told = run.lines.flatMap(({ type, response }) => (type === 'control_response' ? [response!.request_id] : []));
  expect(told.toSorted()).toEqual(asks.map(({ request }) => request).toSorted());
  const resolved = (await run.kinds('permission.resolved')).map(({ request }) => request);
  expect(resolved.toSorted()).toEqual(told.toSorted());
});

test('[EVT-7] a session is blocked while a permission waits, in its words, also after a kill; then it works, then it is idle', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'ask 1');
  const { session } = await run.client.waitUntil(run.agent.id, 'blocked');
  expect(session.status).toMatchObject({ state: 'blocked', kind: 'permission', source: 'wire', confidence: 1 });
  expect(session.status.question?.options.map(({ label }) => label)).toContain('Allow once');
  await kill(run.client, 'keeper');
  await until('it is blocked again', async () => (await run.client.get(run.agent.id)).status.state === 'blocked');
  const { code, stderr } = await daemon.spool(['approve', '--request', 'request-1-0']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await run.client.waitUntil(run.agent.id, 'idle');
  const late = await daemon.spool(['approve', run.agent.id]);
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('no permission is waiting') });
});

test('[EVT-4] a driver that keeps crashing is given up: the session lives and says so, and a command tries again', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['cat'], size: null, agent: { name: 'unheard-of' } });
  await until('it is given up', async () => (await client.get(id)).driver?.state === 'failed', 60_000);
  const { state, status } = await client.get(id);
  expect(state).toBe('running');
  expect(status).toMatchObject({ state: 'idle', kind: 'error', source: 'wire' });
  expect(status.why).toContain('its driver crashed');
  await client.command(id, { do: 'interrupt' });
  expect((await client.get(id)).driver?.state).toBe('running');
});

test('[EVT-1] an agent that dies in its turn: everything that was begun has ended', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'die');
  await run.client.wait(run.agent.id);
  await run.has(1, 'session.ended');
  const [ended] = await run.kinds('turn.ended');
  expect(ended).toMatchObject({ outcome: 'failed' });
  await expect(run.agent.prompt('say more')).rejects.toMatchObject({ code: 'AGENT_ENDED' });
});

/** The limit of what a driver's process has for itself: without the pages of the program, which all processes share. */
const OWN_MIB_MAX = 40;

test.for([
  ['a line of 50 MB', 'long 50'],
  ['lines that are no JSON, and bytes that are no text', 'garbage 10'],
  ['20,000 deltas at once', 'flood 20000'],
  ['texts that are all escapes and HTML', 'escapes 20'],
  ['lines that are nested half a million deep', 'nested'],
  ['a line of 300,000 objects', 'objects'],
] as const)(
  '[DRV-42, EVT-1] %s: the session lives, and its driver has less than 40 MiB for itself',
  async ([, prompt]) => {
    await using daemon = new TestDaemon();
    const run = await Run.start(daemon, prompt);
    await run.has(1, 'turn.ended');
    const driver = driverOf((await run.client.status()).keeper.pid)!;
    const mib = (field: string): number => Number.parseInt(statusField(driver, field), 10) / 1024;
    expect(mib('VmHWM') - mib('RssFile')).toBeLessThan(OWN_MIB_MAX);
    await run.agent.prompt('say still here');
    await run.has(2, 'turn.ended');
  },
);

test('`run --agent` prints the id, `events --agent` the events; raw input is refused with what to use', async () => {
  await using daemon = new TestDaemon();
  const received = `${daemon.home}/received.ndjson`;
  const program = `${execPath} ${AGENT} ${received}`;
  const info = await daemon.json<{ id: string }>(
    'run',
    '--agent',
    'claude',
    '-d',
    '--program',
    program,
    '--',
    'say hi',
  );
  await until('the turn is over', async () =>
    (await daemon.spool(['events', info.id, '--agent', '--json'])).stdout.includes('"kind":"turn.ended"'),
  );
  expect((await daemon.spool(['logs', info.id])).stdout).toMatch(/> say hi\n[\s\S]*\nhi\n/);
  expect(await daemon.spool(['send', info.id, 'x'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/spool attach.*spool logs.*spool prompt/),
  });
  rmSync(received);
  const here = await daemon.spool(['run', '--agent', 'claude', '--program', program, 'say bye']);
  expect(here).toMatchObject({ code: 0, stderr: '' });
  expect(here.stdout).toMatch(/^> say bye\n\nclaude · scripted · \/\nbye\n─ .*s\n$/);
  const text = (await daemon.spool(['events', info.id, '--agent'])).stdout;
  expect(text).toBe((await daemon.spool(['logs', info.id])).stdout);
});

test('[POL-4] a rule of the user answers for the user, names itself, and what no rule knows waits', async () => {
  await using daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config`, { mode: 0o700 });
  const rules = [{ decision: 'allow', tool: 'Bash', command: 'echo 0' }];
  writeFileSync(`${daemon.home}/config/policy.json`, JSON.stringify({ rules }));
  const run = await Run.start(daemon, 'ask 2');
  await run.has(1, 'permission.resolved');
  const [resolved] = await run.kinds('permission.resolved');
  expect(resolved).toMatchObject({ request: 'request-1-0', decision: 'allow', by: 'policy' });
  expect(JSON.stringify(resolved)).toContain('echo 0');
  const asks = await run.agent.requests();
  expect(asks.map(({ request }) => request)).toEqual(['request-1-1']);
  await run.agent.deny(asks[0]!);
  await run.has(1, 'turn.ended');
});

test('[DRV-6] no rule answers a line that is cut: it may ask for more than it shows', async () => {
  await using daemon = new TestDaemon();
  mkdirSync(`${daemon.home}/config`, { mode: 0o700 });
  const rules = [{ decision: 'allow', tool: 'Bash', command: 'echo *' }];
  writeFileSync(`${daemon.home}/config/policy.json`, JSON.stringify({ rules }));
  const run = await Run.start(daemon, 'ask-long 2');
  await run.has(1, 'permission.requested');
  await run.agent.prompt('say this came after it', { when: 'queue' });
  await run.has(1, 'queue');
  expect(await run.kinds('permission.resolved')).toEqual([]);
  const [ask, ...others] = await run.agent.requests();
  expect(others).toEqual([]);
  expect(ask).toMatchObject({ request: 'request-1-0', isCut: true });
  // A user cannot allow a request that could not be shown whole, either.
  expect(await run.agent.approve(ask!)).toMatchObject({ isOurs: false, outcome: null });
  await run.agent.deny(ask!);
  await run.has(2, 'turn.ended');
  expect(await run.kinds('permission.resolved')).toMatchObject([{ decision: 'deny' }]);
  await run.agent.prompt('ask 1'); // the rule itself is valid
  await run.has(3, 'turn.ended');
  expect((await run.kinds('permission.resolved'))[1]).toMatchObject({ by: 'policy' });
});

test('[DRV-41] a text that is too long for an event is cut and says so, and the output log has all of it', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'text 600');
  await run.has(1, 'turn.ended');
  const [done] = await run.kinds('message.done');
  expect(done).toMatchObject({ text: expect.stringMatching(/^x{32768}… \[\d+ more characters/), truncated: true });
  expect(await run.kinds('turn.ended')).toMatchObject([{ outcome: 'completed' }]);
  for (const event of await run.events()) expect(JSON.stringify(event).length).toBeLessThan(256 * 1024);
  expect((await run.client.get(run.agent.id)).offset).toBeGreaterThan(600 * 1024);
});

test.for([
  [{ maxTurns: 1 }, '--max-turns'],
  [{ budgetUsd: 2.5 }, '--max-budget-usd'],
] as const)('[DRV-14] a limit ends the turn and says so, and nothing goes on by itself: %j', async ([limits, flag]) => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'spend', limits);
  await run.has(1, 'turn.ended');
  expect(await run.kinds('turn.ended')).toMatchObject([{ outcome: 'limit' }]);
  expect(JSON.stringify(await run.kinds('turn.ended'))).toContain(flag);
  await until('idle', async () => (await run.client.get(run.agent.id)).status.state === 'idle', 60_000);
  expect(run.lines.filter(({ type }) => type === 'user')).toHaveLength(1);
  await run.agent.prompt('say only when it is asked');
  await run.has(2, 'turn.ended');
  expect(run.lines.filter(({ type }) => type === 'user')).toHaveLength(2);
});

test('[EVT-5] a command that is sent again has one place in the log: at once, by another client, and after another keeper has come', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon);
  const id = 'the-same';
  const sent = await Promise.all([0, 1, 2].map(() => run.agent.prompt('say once', { id })));
  expect(sent.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
  await run.has(1, 'turn.ended');
  await kill(run.client, 'keeper');
  expect(await run.agent.prompt('say once', { id })).toMatchObject({ isRepeated: true });
  const other = await (await daemon.client({ who: 'another' })).openAgent(run.agent.id);
  expect(await other.prompt('say once', { id })).toMatchObject({ isRepeated: true });
  await run.agent.prompt('say twice');
  await run.has(2, 'turn.ended');
  const commands: string[] = [];
  for await (const item of run.client.watchRecords(run.agent.id)) {
    if (item.type === 'synced') break;
    if (item.type === 'record' && item.record.type === 'command') commands.push(item.record.id);
  }
  expect(commands.filter((each) => each === id)).toEqual([id]);
  expect(run.lines.filter(({ type }) => type === 'user')).toHaveLength(2);
});
