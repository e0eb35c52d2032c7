/** Agents that live and take no input (`packages/testkit/programs/scripted-agent.mjs`): people learn it from the verbs. */
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { FollowedAgent, PATIENCE_MS, Turn } from './support/followed-agent.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

async function start(daemon: TestDaemon): Promise<FollowedAgent> {
  const client = await daemon.client();
  const program = [execPath, AGENT, '/dev/null'];
  const agent = await client.agent('claude', { program, name: 'ann', env: { PATH: process.env.PATH! } });
  return new FollowedAgent(client, agent);
}

test('[EVT-13] an agent has closed its input and lives: an event, the status and the verbs say so, and nothing is called sent', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.turn('deaf');
  const lost = await daemon.spool(['prompt', 'ann', 'say more']);
  expect(lost).toMatchObject({ code: 1, stdout: '' });
  expect(lost.stderr).toContain('closed its input');
  const notices = () => new Turn(run.events).of('notice').filter(({ code }) => code === 'input-closed');
  await until('an event says so', () => notices().length > 0, PATIENCE_MS);
  const { status, state } = await run.client.get('ann');
  expect(state).toBe('running');
  expect(status.why).toMatch(/the agent has closed its input since \d{4}-/);
  const interrupted = await daemon.spool(['interrupt', 'ann']);
  expect(interrupted).toMatchObject({ code: 4, stdout: '' });
  expect(interrupted.stderr).toContain('has closed its input');
  const next = await daemon.spool(['prompt', 'ann', 'say again', '--json']);
  expect([next.code, JSON.parse(next.stdout).isConfirmed]).toEqual([1, false]);
  await until('it is refused', () => new Turn(run.events).of('command.refused').length === 2, PATIENCE_MS);
  expect(new Set(new Turn(run.events).of('command.refused').map(({ code }) => code))).toEqual(
    new Set(['input-closed']),
  );
  expect(notices()).toHaveLength(1);
  // The next driver reads it from the log.
  const { keeper } = await run.client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until(
    'the status is back',
    async () => /closed its input/.test((await run.client.get('ann')).status.why),
    PATIENCE_MS,
  );
});

test('[EVT-13] an agent that does not read its input for 10 s: the status and `prompt` say so', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.turn('pause');
  const image = { type: 'image' as const, mime: 'image/png', data: 'A'.repeat(600 * 1024) };
  await run.agent.prompt([image]);
  await until(
    'the status says so',
    async () => /does not read its input since/.test((await run.client.get('ann')).status.why),
    PATIENCE_MS,
  );
  const sent = await daemon.spool(['prompt', 'ann', 'say more']);
  expect(sent).toMatchObject({ code: 1, stdout: '' });
  expect(sent.stderr).toContain('queued, but the agent does not read its input since');
});

test('[EVT-13] an interrupt to which the agent does not react is not called one', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.agent.prompt('never');
  await until('it works', () => new Turn(run.events).of('turn.started').length === 1, PATIENCE_MS);
  const interrupted = await daemon.spool(['interrupt', 'ann']);
  expect(interrupted).toMatchObject({ code: 1, stdout: '' });
  expect(interrupted.stderr).toContain('the agent has not reacted within 5 s');
});

test('[EVT-13] `queue` waits for its own command: what the driver says about an earlier one is not its outcome', async () => {
  await using daemon = new TestDaemon();
  const run = await start(daemon);
  await run.agent.prompt('never');
  await until('it works', () => new Turn(run.events).of('turn.started').length === 1, PATIENCE_MS);
  const { keeper } = await run.client.status();
  const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  const driver = children.find((pid) => statusField(pid, 'Name').startsWith('spool-driver'))!;
  process.kill(driver, 'SIGSTOP');
  await run.agent.prompt('say later'); // the driver will speak of the queue
  const records = run.client.watchRecords(run.agent.id);
  const removed = daemon.spool(['queue', 'ann', '--remove', 'none']);
  for await (const item of records)
    if (item.type === 'record' && item.record.type === 'command' && item.record.command.do === 'cancelPrompt') break;
  process.kill(driver, 'SIGCONT');
  expect(await removed).toMatchObject({ code: 2, stderr: expect.stringContaining('no prompt "none" waits') });
});
