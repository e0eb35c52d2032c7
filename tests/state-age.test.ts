/** Tests that a session that waits is as old as its question, also for a keeper that was started later. */
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const WITHIN_MS = 60_000;

async function replaceKeeper(client: Client): Promise<void> {
  const { pid } = (await client.status()).keeper;
  process.kill(pid, 'SIGKILL');
  await until('another keeper', async () => (await client.status()).keeper.pid !== pid, WITHIN_MS);
}

/** Waits until the keeper has read the question itself: a restored status has none. */
async function sinceOf(client: Client, id: string): Promise<number> {
  await until('the question is known', async () => (await client.get(id)).status.question !== undefined, WITHIN_MS);
  return (await client.get(id)).status.since;
}

test('[STATE-70] a request and a question on a screen are as old as before for a new keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id: screen } = await client.run({
    command: ['bash', '-c', 'read -r -p "Deploy to production? [y/n] " key; exec sleep 1000'],
  });
  const flags = ['--agent', 'claude', '-d', '--program', `${execPath} ${AGENT} ${daemon.home}/agent.ndjson`];
  const steps = JSON.stringify([{ ask: { id: 'r1', tool: 'Bash', input: { command: 'echo 1' } } }]);
  const { id: agent } = await daemon.json<{ id: string }>('run', ...flags, '--', `steps ${steps}`);
  const before = [await sinceOf(client, screen), await sinceOf(client, agent)];
  await replaceKeeper(client);
  expect([await sinceOf(client, screen), await sinceOf(client, agent)]).toEqual(before);
});
