import { isAlive, outputOf, seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };

test('without escrow one process does both jobs: everything works but its own death, and doctor says so', async () => {
  await using daemon = new TestDaemon({ env: { SPOOL_ESCROW: 'off' } });
  const client = await daemon.client();
  const status = await client.status();
  expect(status).toMatchObject({ escrow: false });
  expect(status.holder.pid).toBe(status.keeper.pid);
  const session = await client.run({
    command: ['sh', '-c', 'read x; echo got $x; exit 6'],
    size: { cols: 80, rows: 24 },
    env,
  });
  await client.write(session.id, 'it\r');
  expect(await client.wait(session.id)).toMatchObject({ exitCode: 6 });
  expect((await outputOf(client, session.id)).toString()).toContain('got it\r\n');
  expect((await daemon.spool(['doctor'])).stdout).toContain('sessions end with the daemon');
  const running = await client.run({
    command: ['sh', '-c', 'echo here; sleep 1000'],
    size: { cols: 80, rows: 24 },
    env,
  });
  await seen(client, running.id, 'here');
  process.kill(status.keeper.pid, 'SIGKILL');
  await until('it is gone', () => !isAlive(status.keeper.pid));
  const after = await daemon.client();
  expect(await after.get(running.id)).toMatchObject({ state: 'lost', offset: 6 });
});
