/**
 * Agents without a terminal: the events log, the driver and the commands of clients, with a scripted agent that speaks Claude's
 * protocol (`packages/testkit/programs/scripted-agent.mjs`).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

class Run {
  readonly received: string;
  readonly client: Client;
  readonly agent: AgentHandle;

  private constructor(client: Client, agent: AgentHandle, received: string) {
    this.client = client;
    this.agent = agent;
    this.received = received;
  }

  static async start(daemon: TestDaemon, prompt?: string): Promise<Run> {
    const client = await daemon.client();
    const received = `${daemon.home}/received.ndjson`;
    writeFileSync(received, '');
    const agent = await client.agent('claude', {
      prompt,
      // The flags that follow are Claude's: the scripted agent ignores them.
      program: [execPath, AGENT, received],
      env: { PATH: process.env.PATH! },
    });
    return new Run(client, agent, received);
  }

  /** What the agent has been told. */
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

/** The driver's process: its only child of that name under the keeper. */
function driverOf(keeper: number): number | undefined {
  const children = readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ');
  return children.map(Number).find((pid) => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver'));
}

async function kill(client: Client, what: 'keeper' | 'driver'): Promise<void> {
  const keeper = (await client.status()).keeper.pid;
  try {
    const pid = what === 'keeper' ? keeper : driverOf(keeper);
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
    // The driver has published something since the last kill.
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

test('[EVT-5] a hundred pending permissions, answered by two clients while driver and keeper are killed: each is answered once', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'ask 100');
  await run.has(100, 'permission.requested');
  await kill(run.client, 'keeper');
  const second = await (await daemon.client({ who: 'second' })).openAgent(run.agent.id);
  const asks = await run.agent.pending();
  expect(asks).toHaveLength(100);
  const killer = (async () => {
    for (let round = 0; round < 10; round++) {
      await kill(run.client, round % 2 === 0 ? 'driver' : 'keeper');
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  })();
  const decisions = await Promise.all(
    asks.map(
      async ({ request }) => await Promise.all([run.agent.approve(request), second.deny(request, { message: 'no' })]),
    ),
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
  const { code, stderr } = await daemon.spool(['approve']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await run.client.waitUntil(run.agent.id, 'idle');
  const late = await daemon.spool(['approve', run.agent.id]);
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('no permission waits') });
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
  await expect(run.agent.prompt('say more')).rejects.toMatchObject({ code: 'SESSION_EXITED' });
});

test('[EVT-1] a line of 50 MB: the session lives, and the driver stays below 192 MiB', async () => {
  await using daemon = new TestDaemon();
  const run = await Run.start(daemon, 'long 50');
  await run.has(1, 'turn.ended');
  const driver = driverOf((await run.client.status()).keeper.pid)!;
  const peakMib = Number.parseInt(statusField(driver, 'VmHWM'), 10) / 1024;
  expect(peakMib).toBeLessThan(192);
  await run.agent.prompt('say still here');
  await run.has(2, 'turn.ended');
});

test('`run --agent` prints the id, `events --agent` the events; raw input and attaching are refused with what to use', async () => {
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
  expect((await daemon.spool(['logs', info.id])).stdout).toBe('hi\n');
  expect(await daemon.spool(['send', info.id, 'x'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('spool prompt'),
  });
  expect((await daemon.spool(['attach', info.id])).stderr).toContain('spool events --agent');
  rmSync(received);
  const here = await daemon.spool(['run', '--agent', 'claude', '--program', program, 'say bye']);
  expect(here).toMatchObject({ code: 0, stdout: 'bye\n', stderr: '' });
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
  expect((await run.agent.pending()).map(({ request }) => request)).toEqual(['request-1-1']);
  await run.agent.deny('request-1-1');
  await run.has(1, 'turn.ended');
});
