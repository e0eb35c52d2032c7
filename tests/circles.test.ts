/** Tests Spool inside Spool: clients that run in the terminals of sessions. */
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };

const envOf = ({ home }: TestDaemon) => ({ PATH: process.env.PATH!, HOME: home, SPOOL_HOME: home, PS1: '> ' });

test('[ATT-13] sessions that show each other in a circle are refused, and so is `logs -f` of the own session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const shell = { command: ['sh'], size: PTY, env: envOf(daemon) };
  const [outer, inner] = [await client.run({ ...shell, name: 'outer' }), await client.run({ ...shell, name: 'inner' })];
  await client.write(outer.id, `${SPOOL} attach inner\n`);
  await until('one shows the other', async () => (await client.get(inner.id)).viewers?.length === 1);
  await client.write(inner.id, `${SPOOL} attach outer; echo "attach=$?"\n`);
  expect(await seen(client, inner.id, 'attach=4')).toContain('that session shows this terminal');
  await client.write(inner.id, `${SPOOL} logs -f outer; echo "other=$?"\n`);
  await seen(client, inner.id, 'other=4');
  await client.write(inner.id, `${SPOOL} logs -f inner; echo "own=$?"\n`);
  expect(await seen(client, inner.id, 'own=4')).toContain('this terminal is inside that session');
  await client.write(inner.id, `${SPOOL} logs inner; echo "past=$?"\n`);
  await seen(client, inner.id, 'past=0');
});

test('[STATE-6] a notice about a session is not printed in the terminal of another one, which would read blocked', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const shown = await client.run({ command: ['cat'], size: PTY, name: 'shown', env: envOf(daemon) });
  const shell = await client.run({ command: [SPOOL, 'attach', 'shown'], size: PTY, name: 'shell', env: envOf(daemon) });
  await until('it is shown there', async () => (await client.get(shown.id)).viewers?.length === 1);
  using user = new Terminal([SPOOL, 'attach', 'shown'], daemon.env, PTY);
  await until('and to the user', async () => (await client.get(shown.id)).viewers?.length === 2);
  await client.run({
    command: ['bash', '-c', 'read -p "Continue? [y/N] " answer; exec sleep 1000'],
    size: PTY,
    name: 'deploy',
    env: envOf(daemon),
  });
  await user.sees('\x1b]9;spool: deploy needs your input');
  await client.write(shown.id, 'afterwards\n');
  expect(await seen(client, shell.id, 'afterwards')).not.toContain('needs your input');
});
