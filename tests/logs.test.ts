/** Tests `logs` on a terminal, and of several sessions. */
import { SPOOL, Terminal, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const RED = String.raw`printf '\033[31mred\033[m and plain\n\033]0;title\007\033[6nlast\n'`;

test('[PAST-41] `logs` has colours on a terminal, and nothing else of the escape sequences; in a pipe it is plain', async () => {
  await using daemon = new TestDaemon();
  await daemon.spool(['run', '--name', 'paint', '--', 'sh', '-c', RED]);
  const printed = async (...words: string[]): Promise<string> => {
    using terminal = new Terminal([SPOOL, 'logs', 'paint', ...words], { ...daemon.env, TERM: 'xterm-256color' });
    await terminal.ended();
    return terminal.printed;
  };
  expect(await printed()).toBe('\x1b[31mred\x1b[m and plain\r\nlast\r\n');
  expect(await printed('--text')).toBe('red and plain\r\nlast\r\n');
  expect((await daemon.spool(['logs', 'paint'])).stdout).toBe('red and plain\nlast\n');
});

test('[PAST-42] `logs` of several sessions says which line is whose, also while they run', async () => {
  await using daemon = new TestDaemon();
  for (const name of ['api', 'worker'])
    await daemon.spool([
      'run',
      '-d',
      '--name',
      name,
      '--',
      'sh',
      '-c',
      `echo ${name} starts; read go; echo ${name} ends`,
    ]);
  const all = await daemon.spool(['logs', 'worker', 'api', '--grep', 'starts']);
  expect(all.stdout).toBe('worker | worker starts\napi    | api starts\n');
  const following = daemon.spool(['logs', '-f', 'api', 'worker']);
  for (const name of ['api', 'worker']) await daemon.spool(['send', name, 'go', '--enter']);
  const lines = (await following).stdout.split('\n').filter((line) => / (starts|ends)$/.test(line));
  expect(lines.sort()).toEqual([
    'api    | api ends',
    'api    | api starts',
    'worker | worker ends',
    'worker | worker starts',
  ]);
  expect((await daemon.spool(['logs', '--raw', 'api', 'worker'])).stderr).toContain('name only one');
});
