/**
 * Tests drivers that hang, with a scripted agent (`packages/testkit/programs/scripted-agent.mjs`): they are replaced, or given
 * up.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentHandle, Client } from '@spool/client';
import { isAlive, statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { FollowedAgent, PATIENCE_MS, Turn } from './support/followed-agent.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

async function start(daemon: TestDaemon, received = '/dev/null'): Promise<FollowedAgent> {
  const client = await daemon.client();
  const agent: AgentHandle = await client.agent('claude', {
    program: [execPath, AGENT, received],
    env: { PATH: process.env.PATH! },
  });
  return new FollowedAgent(client, agent);
}

async function driverOf(client: Client): Promise<number | undefined> {
  const { keeper } = await client.status();
  const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8').trim().split(' ');
  return children.map(Number).find((pid) => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver'));
}

test('[EVT-12] a driver that is stopped is replaced, and its successor continues: each prompt arrives once', async () => {
  await using daemon = new TestDaemon();
  const received = `${daemon.home}/received.ndjson`;
  writeFileSync(received, '');
  const run = await start(daemon, received);
  await run.turn('say one');
  const before = (await driverOf(run.client))!;
  process.kill(before, 'SIGSTOP');
  expect((await run.turn('say two')).texts).toEqual(['two']);
  expect(await driverOf(run.client)).not.toBe(before);
  expect(isAlive(before)).toBe(false);
  const prompts = readFileSync(received, 'utf8').match(/"text":"say \w+"/g);
  expect(prompts).toEqual(['"text":"say one"', '"text":"say two"']);
  expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at));
});

test('[EVT-12] an idle driver that is stopped is replaced before anybody needs it', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.turn('say one');
  const before = (await driverOf(run.client))!;
  process.kill(before, 'SIGSTOP');
  await until('it is replaced', () => !isAlive(before), PATIENCE_MS);
  expect((await run.turn('say two')).texts).toEqual(['two']);
});

test('[EVT-12] a driver that works on a line of 50 MB is not taken for one that hangs', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.turn('say one');
  const before = await driverOf(run.client);
  await run.turn('long 50');
  expect(await driverOf(run.client)).toBe(before);
});

test('[EVT-12, EVT-4] a line on which every driver hangs: it is given up, names the place, and a command tries again', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.turn('say one');
  // The policy is read for each permission; a FIFO without a writer blocks its reader forever.
  mkdirSync(`${daemon.home}/config`, { mode: 0o700 });
  const policy = `${daemon.home}/config/policy.json`;
  execFileSync('mkfifo', [policy]);
  const { offset } = await run.client.get(run.agent.id);
  await run.agent.prompt('ask 1');
  await until('it is given up', async () => (await run.client.get(run.agent.id)).driver?.state === 'failed', 150_000);
  const { state, status, offset: end } = await run.client.get(run.agent.id);
  expect(state).toBe('running');
  expect(status).toMatchObject({ state: 'idle', kind: 'error' });
  const [, at] = /at offset (\d+) of the output: it did nothing for 5 s/.exec(status.why)!;
  // Exactly the line of the request: all earlier lines were taken.
  expect(Number(at)).toBeGreaterThan(offset);
  const line = (await outputOf(run.client, run.agent.id)).subarray(Number(at), end).toString();
  expect(line).toMatch(/^\{"type":"control_request".*\}\n$/);
  await until('no driver runs', async () => (await driverOf(run.client)) === undefined, PATIENCE_MS);
  rmSync(policy);
  await run.agent.prompt('say more');
  await run.agent.approve(await run.asked());
  await until('both turns end', () => new Turn(run.events).of('turn.ended').length === 3, PATIENCE_MS);
}, 240_000);

async function outputOf(client: Client, id: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const item of client.watch(id)) {
    if (item.type === 'output') parts.push(item.bytes);
    if (item.type === 'synced') break;
  }
  return Buffer.concat(parts);
}
