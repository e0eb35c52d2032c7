import { SPOOL, Terminal, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const ASKS = ['bash', '-c', 'read -p "Continue? [y/N] " answer; exec sleep 1000'];

test('[STATE-6] who is attached elsewhere is told by their terminal that a session waits, unless they do not want to be', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  const { id } = await client.run({ command: ['sh', '-c', 'echo ready; exec cat'], env });
  using told = new Terminal([SPOOL, 'attach', id], daemon.env);
  using silent = new Terminal([SPOOL, 'attach', '--no-notices', id], daemon.env);
  using dumb = new Terminal([SPOOL, 'attach', id], { ...daemon.env, TERM: 'dumb' });
  for (const terminal of [told, silent, dumb]) await terminal.sees('ready');

  await client.run({ command: ASKS, env, name: 'deploy' });
  await told.sees('\x1b]9;spool: deploy needs your input');
  expect(told.printed).toMatch(/\x1b\]9;spool: deploy needs your input[^\x00-\x1f]*\x1b\\/);
  expect(told.printed).not.toContain('\x07');
  // Keys that are typed now come after it, so no notice can still be in transit to the others.
  told.type('after\r');
  for (const terminal of [silent, dumb]) {
    await terminal.sees('after\r\nafter');
    expect(terminal.printed).not.toContain('\x1b]9;');
  }
});
