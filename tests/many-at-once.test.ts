import { SPOOL, Terminal, TestDaemon, writeEndedSession } from '@spool/testkit';
import { expect, test } from 'vitest';

async function names(daemon: TestDaemon, state: 'running' | 'ended'): Promise<string[]> {
  const client = await daemon.client();
  const sessions = await client.list();
  return sessions.filter((session) => (session.state === 'running') === (state === 'running')).map(({ name }) => name);
}

test.each(['stop', 'kill', 'rm'])(
  '[RUN-20] `spool %s` without an ID does nothing, and says what to write',
  async (verb) => {
    await using daemon = new TestDaemon();
    await daemon.json('run', '-d', '--name', 'server', '--', 'sleep', '1000');
    const ran = await daemon.spool([verb]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`spool: which session? Use: spool ${verb} ID`);
    expect(await names(daemon, 'running')).toEqual(['server']);
  },
);

test.each([['stop'], ['kill'], ['rm', '--force']])(
  '[RUN-20] `spool %s ""`, with a variable that is not set, does nothing',
  async (...words) => {
    await using daemon = new TestDaemon();
    await daemon.json('run', '-d', '--name', 'server', '--', 'sleep', '1000');
    const ran = await daemon.spool([...words, '']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('spool: the ID is empty: is a variable unset?');
    expect(await names(daemon, 'running')).toEqual(['server']);
  },
);

test('[RUN-43] without a terminal, several at once need --yes', async () => {
  await using daemon = new TestDaemon();
  for (const name of ['one', 'two']) await daemon.json('run', '-d', '--name', name, '--', 'sleep', '1000');
  const refused = await daemon.spool(['stop', '--all']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /^spool: Stop 2 sessions \((one, two|two, one)\)\? Without a terminal, confirm with --yes\n/,
  );
  expect(await names(daemon, 'running')).toHaveLength(2);
  expect(await daemon.spool(['stop', 'one', '--all'])).toMatchObject({ code: 2 });
  expect(await daemon.spool(['stop', '--older-than', '1h', '--yes'])).toMatchObject({
    code: 0,
    stderr: 'There is no running session that is old enough; nothing to do.\n',
  });
  expect((await daemon.spool(['stop', '--all', '--yes'])).code).toBe(0);
  expect(await names(daemon, 'running')).toEqual([]);
  expect((await daemon.spool(['rm', '--all', '--yes'])).code).toBe(0);
  expect(await names(daemon, 'ended')).toEqual([]);
  expect(await daemon.spool(['kill', '--all'])).toMatchObject({ code: 0 });
});

test('[RUN-43] at a terminal, it asks; only yes means yes', async () => {
  await using daemon = new TestDaemon();
  for (const name of ['one', 'two']) await daemon.json('run', '-d', '--name', name, '--', 'sleep', '1000');
  using no = new Terminal([SPOOL, 'kill', '--all'], daemon.env);
  await no.sees('Kill 2 sessions (');
  await no.sees('[y/N] ');
  no.type('\r');
  await no.sees('Nothing was done.');
  expect((await no.ended()).code).toBe(1);
  expect(await names(daemon, 'running')).toHaveLength(2);
  using yes = new Terminal([SPOOL, 'kill', '--all'], daemon.env);
  await yes.sees('[y/N] ');
  yes.type('y\r');
  expect((await yes.ended()).code).toBe(0);
  expect(await names(daemon, 'running')).toEqual([]);
});

test('[RUN-20] `rm --older-than` takes ended sessions by when they ended, and no running one', async () => {
  await using daemon = new TestDaemon();
  const hour = 3_600_000;
  for (const [name, hours] of [
    ['old', 50],
    ['young', 40],
  ] as const)
    writeEndedSession(`${daemon.home}/sessions`, { id: `ended000${name}`, name, endedAt: Date.now() - hours * hour });
  await daemon.json('run', '-d', '--name', 'server', '--', 'sleep', '1000');
  expect((await daemon.spool(['rm', '--older-than', '2d', '--yes'])).stdout).toMatch(/^removed old /);
  expect([await names(daemon, 'ended'), await names(daemon, 'running')]).toEqual([['young'], ['server']]);
});

test.each([
  ['-9', 'SIGKILL'],
  ['-s 9', 'SIGKILL'],
  ['-s SIGKILL', 'SIGKILL'],
  ['-s KILL', 'SIGKILL'],
  ['-KILL', 'SIGKILL'],
  ['-15', 'SIGTERM'],
  ['-HUP', 'SIGHUP'],
  ['-s 10', 'SIGUSR1'],
])('[RUN-44] `spool kill %s x` works as kill(1) does', async (flags, signal) => {
  await using daemon = new TestDaemon();
  await daemon.json('run', '-d', '--name', 'x', '--', 'sleep', '1000');
  expect(await daemon.spool(['kill', ...flags.split(' '), 'x'])).toMatchObject({ code: 0, stderr: '' });
  await daemon.spool(['wait', 'x']);
  expect((await daemon.json<{ signal: string }>('inspect', 'x')).signal).toBe(signal);
});

test('[RUN-45] `spool run` alone is the shell of the user', async () => {
  await using daemon = new TestDaemon({ env: { SHELL: '/bin/sh' } });
  expect((await daemon.spool(['run', '--name', 'mine'], { input: 'echo $0 $((40 + 2))\n' })).stdout).toContain('sh 42');
  expect((await daemon.json<{ command: string[] }>('inspect', 'mine')).command).toEqual(['/bin/sh']);
});

test('[ATT-10] a newcomer reads how to leave, until they have left once; not with --quiet', async () => {
  await using daemon = new TestDaemon({ isNewcomer: true });
  const hint = /\[spool: attached to server; (\S+) detaches and leaves it running\]/;
  await daemon.json('run', '-d', '--name', 'server', '--', 'sh', '-c', 'echo hello; exec cat');
  const attach = (...flags: string[]): Terminal => new Terminal([SPOOL, 'attach', ...flags, 'server'], daemon.env);
  using quiet = attach('--quiet');
  await quiet.sees('hello');
  expect(quiet.printed).not.toContain('[spool');
  quiet.hangUp();
  using other = attach('--detach-keys', 'C-p,C-q');
  await other.sees('Ctrl-P Ctrl-Q detaches');
  await other.sees('hello');
  other.hangUp();
  using first = attach();
  await first.sees('leaves it running]');
  expect(hint.exec(first.printed)?.[1]).toBe('Ctrl-\\');
  first.type('typed meanwhile\r'); // the key ends the pause, and arrives
  await first.sees('typed meanwhile\r\ntyped meanwhile');
  first.type('\x1c');
  await first.sees('[spool: detached from server');
  using second = attach();
  await second.sees('hello');
  expect(second.printed).not.toMatch(hint);
});
