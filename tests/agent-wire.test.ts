/**
 * Tests that each line of a driver reaches its agent once, wherever the keeper is killed. The keeper is stopped between two of
 * its steps: a file that it writes there is a FIFO without a reader, so it waits in `open`, and is killed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const PATIENCE_MS = 60_000;

test.for([
  ['after the line is written', 'keys'],
  ['before it is known to be written', 'input.json'],
] as const)('[EVT-6] the keeper is killed %s: the agent gets the line once', async ([, file]) => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const received = `${daemon.home}/received.ndjson`;
  writeFileSync(received, '');
  const agent = await client.agent('claude', {
    prompt: 'say one',
    program: [execPath, AGENT, received],
    env: { PATH: process.env.PATH! },
  });
  await client.waitUntil(agent.id, 'idle');
  const path = `${daemon.home}/sessions/${agent.id}/${file}`;

  const before = await client.status();
  if (existsSync(path)) renameSync(path, `${path}.kept`);
  execFileSync('mkfifo', [path]);
  const sent = agent.prompt('say two');
  await until('the keeper waits in that file', () => waitsForReader(before.keeper.pid), PATIENCE_MS);
  rmSync(path);
  if (existsSync(`${path}.kept`)) renameSync(`${path}.kept`, path);
  process.kill(before.keeper.pid, 'SIGKILL');

  await sent;
  await agent.prompt('say three');
  const texts = (): string[] =>
    readFileSync(received, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'user')
      .map(({ message }) => message.content[0].text);
  await until('the third prompt has arrived', () => texts().includes('say three'), PATIENCE_MS);
  expect(texts()).toEqual(['say one', 'say two', 'say three']);
});

/** Returns whether the process is in `open` of a FIFO. */
function waitsForReader(pid: number): boolean {
  return readFileSync(`/proc/${pid}/wchan`, 'latin1') === 'wait_for_partner';
}
