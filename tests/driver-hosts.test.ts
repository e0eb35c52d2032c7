/**
 * Tests that drivers share a process, with scripted agents (`packages/testkit/programs/scripted-agent.mjs`): its memory, its death, and
 * agents whose lines end it.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { isAlive, statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { FollowedAgent, PATIENCE_MS, Turn } from './support/followed-agent.ts';
import { hangsOn, placeFifo } from './support/hanging-reader.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const AGENTS = 20;
/** A fifth of what the agents' drivers took when each had a separate process. The goal is 150. */
const SHARED_MIB_MAX = 60;
const KILLS = 3;

interface StartedAgent extends FollowedAgent {
  /** The file with the lines that the agent has received. */
  readonly received: string;
}

async function start(daemon: TestDaemon, client: Client, name: string): Promise<StartedAgent> {
  const received = `${daemon.home}/received-${name}`;
  writeFileSync(received, '');
  const program = [execPath, AGENT, received];
  const agent = await client.agent('claude', { name, program, env: { PATH: process.env.PATH! } });
  return Object.assign(new FollowedAgent(client, agent), { received });
}

async function startAll(daemon: TestDaemon, client: Client, count: number): Promise<StartedAgent[]> {
  return await Promise.all(Array.from({ length: count }, (_, at) => start(daemon, client, `agent-${at}`)));
}

/** Returns the processes with drivers, by their names: `spool-drivers` are shared. */
async function processes(client: Client): Promise<{ shared: number[]; alone: number[] }> {
  const { keeper } = await client.status();
  const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  const named = (name: string): number[] => children.filter((pid) => pid > 0 && statusField(pid, 'Name') === name);
  return { shared: named('spool-drivers'), alone: named('spool-driver cl') };
}

async function sharedProcess(client: Client): Promise<number> {
  const { shared } = await processes(client);
  expect(shared).toHaveLength(1);
  return shared[0]!;
}

function privateMib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kib = [...rollup.matchAll(/^Private_\w+: +(\d+) kB/gm)].reduce((sum, [, each]) => sum + Number(each), 0);
  return kib / 1024;
}

/** Requires that nothing of this agent is lost or doubled: its events, and the prompts that it was sent. */
function expectWhole({ events, received }: StartedAgent, prompts: readonly string[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
  const sent = [...readFileSync(received, 'utf8').matchAll(/"text":"([^"]+)"/g)].map(([, text]) => text);
  expect(sent).toEqual(prompts);
}

function deltasOf({ events }: FollowedAgent, of: string): string {
  return new Turn(events)
    .of('message.delta')
    .flatMap(({ message, text }) => (message === of ? [text] : []))
    .join('');
}

test('[DRV-43] twenty drivers share one process of little memory; it is killed in their turns: no event and no prompt is lost or doubled', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const agents = await startAll(daemon, client, AGENTS);
  const prompt = 'count 100';
  for (let round = 1; round <= KILLS; round++) {
    const prompts = await Promise.all(agents.map((each) => each.submit(prompt)));
    await Promise.all(agents.map((each, at) => each.streams(prompts[at]!)));
    const before = await sharedProcess(client);
    if (round === 1) expect([privateMib(before) < SHARED_MIB_MAX, (await processes(client)).alone]).toEqual([true, []]);
    process.kill(before, 'SIGKILL');
    // Each has worked again before the next kill.
    await Promise.all(agents.map((each, at) => each.ended(prompts[at]!)));
    expect(await sharedProcess(client)).not.toBe(before);
    const wanted = Array.from({ length: 100 }, (_, count) => `${count} `).join('');
    for (const each of agents) expect(deltasOf(each, `count-${round}`)).toBe(wanted);
  }
  for (const each of agents)
    expectWhole(
      each,
      Array.from({ length: KILLS }, () => prompt),
    );
}, 240_000);

test('[DRV-43] a driver that fails on a record is given up alone: the process of the others stays the same, and they work on', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const [failing, ...others] = await startAll(daemon, client, 4);
  await Promise.all([failing!, ...others].map((each) => each.turn('say one')));
  const folder = `${daemon.home}/sessions/${failing!.agent.id}/events`;
  const [log] = readdirSync(folder).filter((name) => name.endsWith('.log'));
  // No driver writes such a record; a keeper that starts now takes it for one.
  appendFileSync(`${folder}/${log}`, '{"type":"batch","at":1,"driver":"x","inputs":7,"written":0,"events":[]}\n');
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  await Promise.all(others.map((each) => each.turn('say two')));
  const before = await sharedProcess(client);
  await until(
    'it is given up',
    async () => (await client.get(failing!.agent.id)).driver?.state === 'failed',
    PATIENCE_MS,
  );
  await Promise.all(others.map((each) => each.turn('say three')));
  expect(await processes(client)).toEqual({ shared: [before], alone: [] });
  expect(readFileSync(`${daemon.home}/daemon.log`, 'utf8')).not.toContain('the process with the drivers');
  for (const each of others) expectWhole(each, ['say one', 'say two', 'say three']);
});

test.for([
  ['hangs', (policy: string) => execFileSync('mkfifo', [policy])],
  // Each driver has to read the whole policy; V8 ends the process when its heap is full.
  ['runs out of memory', (policy: string) => writeFileSync(policy, `[${'[],'.repeat(8_000_000)}[]]`)],
] as const)(
  '[DRV-44] a process that %s on the line of one agent: this one alone gets another process, and no other loses or doubles anything',
  { timeout: 240_000 },
  async ([, spoil]) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const [culprit, ...others] = await startAll(daemon, client, 4);
    await Promise.all([culprit!, ...others].map((each) => each.turn('say one')));
    const before = await sharedProcess(client);
    // The policy is read for each permission, and only the culprit asks for one.
    mkdirSync(`${daemon.home}/config`, { mode: 0o700 });
    const policy = `${daemon.home}/config/policy.json`;
    spoil(policy);
    const counted = Promise.all(others.map((each) => each.turn('count 100')));
    const asked = await culprit!.submit('ask 1');
    await until('the process has ended', () => !isAlive(before), PATIENCE_MS);
    await until('the culprit is alone', async () => (await processes(client)).alone.length === 1, PATIENCE_MS);
    rmSync(policy);
    await counted;
    const between = await sharedProcess(client);
    expect(between).not.toBe(before);
    await culprit!.agent.approve(await culprit!.asked());
    await culprit!.ended(asked);
    await Promise.all([culprit!, ...others].map((each) => each.turn('say two')));
    const { shared, alone } = await processes(client);
    expect([shared, alone.length]).toEqual([[between], 1]);
    expectWhole(culprit!, ['say one', 'ask 1', 'say two']);
    for (const each of others) expectWhole(each, ['say one', 'count 100', 'say two']);
  },
);

test('[DRV-44] a process that is killed while its drivers rest takes nothing from them: they share the next one', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const agents = await startAll(daemon, client, 2);
  await Promise.all(agents.map((each) => each.turn('say one')));
  process.kill(await sharedProcess(client), 'SIGKILL');
  await Promise.all(agents.map((each) => each.turn('say two')));
  expect((await processes(client)).alone).toEqual([]);
  await sharedProcess(client);
  for (const each of agents) expectWhole(each, ['say one', 'say two']);
});

test.for(['hangs', 'is stopped'] as const)(
  '[DRV-45] a process with drivers that %s when its keeper is killed ends with it, and its agents continue',
  async (how) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const agents = await startAll(daemon, client, 2);
    await Promise.all(agents.map((each) => each.turn('say one')));
    const before = await sharedProcess(client);
    const policy = `${daemon.home}/config/policy.json`;
    const { keeper } = await client.status();
    if (how === 'is stopped') process.kill(before, 'SIGSTOP');
    else {
      mkdirSync(`${daemon.home}/config`, { mode: 0o700 });
      placeFifo(policy);
      await agents[0]!.submit('ask 1');
      await hangsOn(policy, PATIENCE_MS);
      rmSync(policy);
    }
    process.kill(keeper.pid, 'SIGKILL');
    await until('it is gone', () => !isAlive(before), PATIENCE_MS);
    if (how === 'hangs') await agents[0]!.agent.approve(await agents[0]!.asked());
    await agents[1]!.turn('say two');
  },
);
