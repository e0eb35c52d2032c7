/**
 * Tests agents that end, and continue in another session: with a scripted agent (`packages/testkit/programs/scripted-agent.mjs`).
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
/** The id that the scripted agent gives its own session. */
const OWN = '00000000-0000-4000-8000-000000000001';
const PATIENCE_MS = 60_000;

async function start(client: Client, daemon: TestDaemon, prompt: string): Promise<AgentHandle> {
  return await client.agent('claude', {
    prompt,
    name: 'mia',
    model: 'scripted',
    labels: { team: 'red' },
    cwd: daemon.home,
    program: [execPath, AGENT, `${daemon.home}/received.ndjson`],
    env: { PATH: process.env.PATH! },
  });
}

async function eventsOf(client: Client, session: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const item of client.watchEvents(session)) {
    if (item.type === 'synced') break;
    if (item.type === 'event') events.push(item.event);
  }
  return events;
}

async function has(client: Client, session: string, kind: AgentEvent['kind'], count = 1): Promise<void> {
  await until(
    `${count} × ${kind}`,
    async () => (await eventsOf(client, session)).filter((event) => event.kind === kind).length >= count,
    PATIENCE_MS,
  );
}

const lastOf = <K extends AgentEvent['kind']>(events: readonly AgentEvent[], kind: K) =>
  events.findLast((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);

test('[EVT-9, EVT-40] an agent that is killed in its turn says so and what to do; resumed, it goes on with its own session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const first = await start(client, daemon, 'say hello');
  await has(client, first.id, 'turn.ended');
  await first.prompt('ask 1');
  await has(client, first.id, 'permission.requested');
  await first.prompt('say this waited');
  await has(client, first.id, 'queue');
  process.kill((await client.get(first.id)).pid, 'SIGKILL');
  await has(client, first.id, 'session.ended');

  const events = await eventsOf(client, first.id);
  const message = 'the agent was ended by SIGKILL in its turn 2; it can be resumed';
  expect(lastOf(events, 'permission.resolved')).toMatchObject({ decision: 'cancelled' });
  expect(lastOf(events, 'tool.ended')).toMatchObject({ status: 'cancelled' });
  expect(lastOf(events, 'turn.ended')).toMatchObject({ outcome: 'failed', error: { message } });
  expect(lastOf(events, 'session.ended')).toMatchObject({ signal: 'SIGKILL', agentSession: OWN });
  expect((await daemon.spool(['logs', 'mia'])).stdout).toContain(message);
  const refused = await daemon.spool(['prompt', 'mia', 'go on']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('`spool resume` resumes it') });

  const resumed = await daemon.json<{ id: string }>('resume', 'mia', '-d', 'recall');
  await has(client, resumed.id, 'turn.ended');
  expect(lastOf(await eventsOf(client, resumed.id), 'message.done')).toMatchObject({ text: OWN });
  const { name, cwd, labels, command, driver } = await client.get(resumed.id);
  expect({ name, cwd, labels }).toEqual({ name: 'mia', cwd: daemon.home, labels: { team: 'red' } });
  expect(command.slice(-4)).toEqual(['--model', 'scripted', '--resume', OWN]);
  expect(driver).toMatchObject({ resumes: { agentSession: OWN, session: first.id } });
  expect(resumed.id).not.toBe(first.id);
  await client.stop(resumed.id);

  // A second time: the flag appears once.
  const again = await client.resumeAgent(resumed.id, { env: { PATH: process.env.PATH! } });
  expect(again.info.command.filter((word) => word === '--resume')).toHaveLength(1);
  const running = await daemon.spool(['resume', again.id]);
  expect(running).toMatchObject({ code: 4, stderr: expect.stringContaining('still running') });
  await client.stop(again.id);
});

test('[EVT-10] no two sessions go on with the same agent, however they are asked', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const first = await start(client, daemon, 'say hello');
  await has(client, first.id, 'turn.ended');
  await client.stop(first.id);
  const env = { PATH: process.env.PATH! };
  const names = ['one', 'two', 'three', 'four'];
  const outcomes = await Promise.allSettled(names.map((name) => client.resumeAgent(first.id, { name, env })));
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(won).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'AGENT_RUNS' });
  const { id } = won[0]!.value;
  // By the agent's own id, and after the keeper was replaced.
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  const own = ['run', '--agent', 'claude', '-d', '--program', `${execPath} ${AGENT} /dev/null`, '--resume', OWN];
  expect(await daemon.spool(own)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('has resumed this agent'),
  });
  await client.stop(id);
  const free = await daemon.spool(own);
  expect(free.code).toBe(0);
  await client.stop(free.stdout.trim());
});

test('[EVT-40] `run --agent --resume` takes a session of Spool, keeps its settings, and refuses another agent', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const first = await start(client, daemon, 'die');
  await has(client, first.id, 'session.ended');
  mkdirSync(`${daemon.home}/elsewhere`);
  const run = ['run', '--agent', 'claude', '--resume', first.id];
  expect(await daemon.spool([...run, '--model', 'x', 'recall'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('leave out --model'),
  });
  expect(await daemon.spool(['run', '--agent', 'codex', '--resume', first.id, 'recall'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not an agent codex'),
  });
  const here = await daemon.spool([...run, 'recall']);
  expect(here).toMatchObject({ code: 0, stdout: expect.stringContaining(OWN) });
  const plain = await client.run({ command: ['true'], size: null, env: { PATH: process.env.PATH! } });
  await plain.wait();
  expect(await daemon.spool(['resume', plain.id])).toMatchObject({ code: 2 });
});

test('[EVT-40] `resume` gives an agent the variables of `run -e` again, which only its user can read', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const program = `${execPath} ${AGENT} ${daemon.home}/received.ndjson`;
  const given = ['-e', 'GIVEN_KEY=one-secret', '-e', 'PATH=/given:/usr/bin:/bin'];
  const started = await daemon.spool([
    'run',
    '--agent',
    'claude',
    '--program',
    program,
    ...given,
    '-d',
    '-n',
    'mia',
    'say hi',
  ]);
  expect([started.code, started.stderr]).toEqual([0, '']);
  /** Ends the agent, resumes it, and returns the variables of the next one. */
  const resumed = async (...flags: string[]): Promise<string[]> => {
    const { id, pid } = await client.get('mia');
    await has(client, id, 'turn.ended');
    process.kill(pid, 'SIGKILL');
    await has(client, id, 'session.ended');
    expect(await daemon.spool(['resume', ...flags, 'mia', 'say again', '-d'])).toMatchObject({ code: 0 });
    const next = await client.get('mia');
    expect(next.id).not.toBe(id);
    return readFileSync(`/proc/${next.pid}/environ`, 'utf8').split('\0');
  };
  expect(await resumed()).toEqual(expect.arrayContaining(['GIVEN_KEY=one-secret', 'PATH=/given:/usr/bin:/bin']));
  // A new value wins, and is kept as well.
  expect(await resumed('-e', 'GIVEN_KEY=two-secret')).toEqual(
    expect.arrayContaining(['GIVEN_KEY=two-secret', 'PATH=/given:/usr/bin:/bin']),
  );
  expect(await resumed()).toContain('GIVEN_KEY=two-secret');
  const { id } = await client.get('mia');
  expect(statSync(`${daemon.home}/sessions/${id}/environment.json`).mode & 0o777).toBe(0o600);
  for (const file of ['session.json'])
    expect(readFileSync(`${daemon.home}/sessions/${id}/${file}`, 'utf8')).not.toContain('-secret');
  expect(JSON.stringify(await client.get(id))).not.toContain('-secret');
});
