/** Tests the thread for screens after interruptions: the keeper dies, a session is removed, a program floods. */
import { existsSync, readdirSync } from 'node:fs';
import { TestDaemon, until } from '@spool/testkit';
import type { Client } from '@spool/client';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, HOME: '/' };

async function killKeeper(client: Client): Promise<void> {
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('another keeper', async () => {
    const { keeper: now } = await client.status().catch(() => ({ keeper }));
    return now.pid !== keeper.pid;
  });
}

test('[STATE-1] after a fall of the keeper, a session without a terminal is followed on', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', 'echo hi; while read -r line; do printf "%s" "$line"; done'];
  const { id } = await client.run({ command, size: null, env });
  await client.waitUntil(id, 'output', { after: 0 });
  // The history is written now and then, and whenever it is asked for.
  await until('its history has it', async () =>
    (await client.explain(id)).history.some(({ type }) => type === 'status'),
  );
  await killKeeper(client);
  await client.write(id, 'Overwrite it? [y/N] \n');
  const { session } = await client.waitUntil(id, 'blocked', { timeoutMs: 15_000 });
  expect(session.status.state).toBe('blocked');
  await killKeeper(client);
  const { status, history } = await client.explain(id);
  expect(status.state).toBe('blocked');
  expect(history.flatMap((item) => (item.type === 'status' ? [item.state] : []))).toEqual(['working', 'blocked']);
});

test('[STATE-1] after a fall of the keeper, a session that has never written does not start for ever', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['sleep', '1000'], size: PTY, env });
  await killKeeper(client);
  await until('it works', async () => (await client.get(id)).status.state === 'working', 20_000);
});

test('[STATE-4] who asks about a session that is being removed gets an answer, and nothing is left of it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  for (const size of [PTY, null]) {
    const { id } = await client.run({ command: ['yes', 'a flood'], size, env });
    await until('it floods', async () => (await client.get(id)).offset > 1_000_000);
    const removed = client.remove(id, { force: true });
    const asked: Promise<unknown>[] = [];
    while (existsSync(`${daemon.home}/sessions/${id}`)) {
      asked.push(size ? client.screen(id, { format: 'text' }) : client.explain(id));
      await Promise.race([asked.at(-1)!.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 3))]);
    }
    await removed;
    for (const result of await Promise.allSettled(asked))
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'SESSION_UNKNOWN' });
  }
  // Its files are deleted in the background.
  await until('nothing is left', () => readdirSync(`${daemon.home}/sessions`).length === 0);
});

test('[STATE-2] a flood of marks does not keep the screens of others waiting', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const other = await client.run({ command: ['cat'], size: PTY, env });
  await client.screen(other.id, { format: 'text' });
  const marks = String.raw`yes "$(printf '\033]133;C\007\033]133;D;0\007')" | head -c 20000000; sleep 1000`;
  const { id } = await client.run({ command: ['sh', '-c', marks], size: PTY, env });
  let answers = 0;
  await until(
    'the flood is over',
    async () => {
      await client.screen(other.id, { format: 'text' });
      answers++;
      // Its end is on the screen: the thread has read all of it.
      const [{ offset }, shown] = await Promise.all([client.get(id), client.screen(id, { format: 'text' })]);
      return offset >= 20_000_000 && shown.offset === offset;
    },
    120_000,
  );
  // Someone who had to wait for the flood would get one answer, at its end.
  expect(answers).toBeGreaterThan(3);
  expect((await client.explain(id)).history.length).toBeLessThan(3000);
});
