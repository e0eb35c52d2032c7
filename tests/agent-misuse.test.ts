/** Tests an agent that asks without end, and a log with commands that were never valid: the session stays usable. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { FollowedAgent, PATIENCE_MS, Turn } from './support/followed-agent.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
/**
 * The limit of what the process of a driver has for itself: its heap has a limit, and each step copies the pending requests, so it is
 * higher than for other floods (40 MiB).
 */
const OWN_MIB_MAX = 56;

async function start(daemon: TestDaemon): Promise<{ run: FollowedAgent; received: string }> {
  const client = await daemon.client();
  const received = `${daemon.home}/received.ndjson`;
  writeFileSync(received, '');
  const program = [execPath, AGENT, received];
  const agent = await client.agent('claude', { program, env: { PATH: process.env.PATH! } });
  return { run: new FollowedAgent(client, agent), received };
}

async function driverOf({ client }: FollowedAgent): Promise<number> {
  const { keeper } = await client.status();
  const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8').trim().split(' ');
  return children.map(Number).find((pid) => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver'))!;
}

test('[REQ-7] an agent asks 3,000 times at once: 128 wait, each gets one answer, and the memory of the driver is bounded', async () => {
  await using daemon = new TestDaemon();
  const { run, received } = await start(daemon);
  const answers = (): string[] =>
    [...readFileSync(received, 'utf8').matchAll(/"request_id":"(request-[^"]+)","response"/g)].map(([, id]) => id!);
  const prompt = await run.submit('ask 3000');
  await until('the others are denied', () => answers().length === 3000 - 128, 4 * PATIENCE_MS);
  const { status } = await run.client.get(run.agent.id);
  expect(status.requests).toHaveLength(128);
  const denied = new Turn(run.events).of('permission.resolved');
  expect(new Set(denied.map(({ by, decision }) => `${decision} by ${by}`))).toEqual(new Set(['deny by driver']));
  for (const ask of run.pending) await run.agent.deny(ask);
  expect((await run.ended(prompt)).outcome).toBe('completed');
  expect(answers()).toHaveLength(3000);
  expect(new Set(answers()).size).toBe(3000);
  const driver = await driverOf(run);
  const mib = (field: string): number => Number.parseInt(statusField(driver, field), 10) / 1024;
  expect(mib('VmHWM') - mib('RssFile')).toBeLessThan(OWN_MIB_MAX);
}, 400_000);

test('[DRV-17] a log holds commands that were never valid: they are refused, and the agent works on with the next driver', async () => {
  await using daemon = new TestDaemon();
  const { run } = await start(daemon);
  await run.turn('say one');
  const folder = `${daemon.home}/sessions/${run.agent.id}/events`;
  const [log] = readdirSync(folder).filter((name) => name.endsWith('.log'));
  const stored = [null, { do: 'prompt', content: null, clientId: 'x' }, { do: 'close', now: true }, { do: 'fly' }];
  // Stored as an older keeper would: this one refuses such commands.
  for (const [at, command] of stored.entries())
    appendFileSync(
      `${folder}/${log}`,
      `${JSON.stringify({ type: 'command', id: `bad-${at}`, at: 1, by: 'old', command })}\n`,
    );
  const { keeper } = await run.client.status();
  process.kill(keeper.pid, 'SIGKILL');
  expect((await run.turn('say two')).texts).toEqual(['two']);
  process.kill(await driverOf(run), 'SIGKILL');
  expect((await run.turn('say three')).texts).toEqual(['three']);
  const refused = new Turn(run.events).of('command.refused');
  expect(refused.map(({ command, code, by }) => [command, code, by])).toEqual(
    stored.map((_, at) => [`bad-${at}`, 'invalid', 'old']),
  );
  await run.client.waitUntil(run.agent.id, 'idle'); // none of these prompts is waited for
});
