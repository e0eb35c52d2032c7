import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { type Client } from '@spool/client';
import { outputOf, SPOOL, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 101, rows: 33 };

test('[RUN-4] the child has only its three fds, default signals, a session of its own and the limit that was asked for', async () => {
  await using daemon = new TestDaemon();
  // The daemon is started by a shell that has two fds open, without close-on-exec, as happens by accident.
  const accident = 'exec 7</etc/passwd 42</etc/group; ls /proc/$$/fd; exec "$0" daemon start';
  const started = execFileSync('bash', ['-c', accident, SPOOL], { env: daemon.env, encoding: 'utf8' });
  expect(started.split('\n')).toEqual(expect.arrayContaining(['7', '42']));
  const client = await daemon.client();
  const { holder, keeper } = await client.status();
  for (const { pid } of [holder, keeper]) {
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(open.filter((path) => path.startsWith('/etc/'))).toEqual([]);
  }
  for (const size of [PTY, null]) {
    const script = `ls -1 /proc/$$/fd; echo --; ulimit -Sn; umask; grep -E 'Sig(Blk|Ign)|ShdPnd' /proc/self/status; ps -o sid= -p $$; echo $$`;
    const out = await printed(client, ['bash', '-c', script], size, { nofileSoft: 777, umask: 0o027 });
    const lines = out.split(/\r?\n/);
    expect(lines.splice(0, lines.indexOf('--') + 1)).toEqual(['0', '1', '2', '--']);
    expect(lines.slice(0, 2)).toEqual(['777', '0027']);
    expect(lines.filter((line) => /SigBlk|SigIgn/.test(line)).every((line) => /:\s+0+$/.test(line))).toBe(true);
    expect(lines.at(-3)!.trim()).toBe(lines.at(-2)!.trim());
  }
});

test('[RUN-1] argv, folder, environment and size are what was asked for; nothing of the daemon or the caller leaks', async () => {
  await using daemon = new TestDaemon({
    env: { CANARY_SECRET: 'do-not-leak', NODE_OPTIONS: '--no-warnings', npm_config_x: 'y' },
  });
  const client = await daemon.client();
  const env = { PATH: process.env.PATH!, ASKED: 'for this' };
  const out = await printed(
    client,
    ['bash', '-c', 'pwd; stty size; printf "<%s>" "$@"; echo; env | sort', 'zero', 'a b', '', '*', 'ü'],
    PTY,
    { cwd: '/usr/share', env },
  );
  const lines = out.split('\r\n');
  expect(lines.slice(0, 3)).toEqual(['/usr/share', '33 101', '<a b><><*><ü>']);
  const names = lines
    .slice(3)
    .filter(Boolean)
    .map((line) => line.split('=')[0]!);
  const shellsOwn = ['PWD', 'SHLVL', '_', 'OLDPWD'];
  expect(names.filter((name) => !shellsOwn.includes(name)).toSorted()).toEqual(
    ['ASKED', 'COLORTERM', 'PATH', 'SPOOL_SESSION', 'SPOOL_SOCKET', 'TERM'].toSorted(),
  );
  expect(out).toContain('TERM=xterm-256color');
});

test('[RUN-1] a folder that was asked for is used although the current one was deleted; without one, that is said', async () => {
  await using daemon = new TestDaemon();
  const gone = `${daemon.home}/gone`;
  const inIt = (command: string): string =>
    execFileSync('sh', ['-c', `mkdir "$0"; cd "$0"; rmdir "$0"; ${command}`, gone], {
      env: daemon.env,
      encoding: 'utf8',
    });
  expect(inIt(`${SPOOL} run -C /usr -- pwd`)).toBe('/usr\n');
  expect(inIt(`${SPOOL} run -- pwd 2>&1; true`)).toContain('the current folder was deleted');
});

test('[RUN-1] from the command line, only the allow-list and what is asked for reaches the child', async () => {
  await using daemon = new TestDaemon({ env: { CANARY_SECRET: 'do-not-leak', WANTED: 'yes', LANG: 'C.UTF-8' } });
  const { stdout } = await daemon.spool(['run', '--env', 'WANTED', '--env', 'GIVEN=1', '--', 'env']);
  expect(stdout).not.toContain('CANARY_SECRET');
  expect(stdout).toMatch(/^WANTED=yes\r?$/m);
  expect(stdout).toMatch(/^GIVEN=1\r?$/m);
  expect(stdout).toMatch(/^LANG=C.UTF-8\r?$/m);
  expect(stdout).not.toMatch(/^(NODE_(?!EXTRA_CA_CERTS)|npm_|SPOOL_HOME)/m);
});

test('[RUN-6] a session that nobody watches runs to its end like any other', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'yes | head -c 3000000; exit 9'],
    size: null,
    env: { PATH: process.env.PATH! },
  });
  client.close();
  const later = await daemon.client();
  expect(await later.wait(session.id)).toMatchObject({ exitCode: 9, offset: 3_000_000 });
});

test('what cannot be started is a typed error that names the command, and leaves no session behind', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const env = { PATH: process.env.PATH! };
  await expect(client.run({ command: ['no-such-command-here'], size: PTY, env })).rejects.toMatchObject({
    code: 'COMMAND_NOT_FOUND',
    details: { command: 'no-such-command-here' },
  });
  await expect(client.run({ command: ['/etc/passwd'], size: PTY, env })).rejects.toMatchObject({
    code: 'COMMAND_NOT_EXECUTABLE',
  });
  await expect(client.run({ command: ['true'], size: PTY, env, cwd: '/no/such/folder' })).rejects.toMatchObject({
    code: 'CWD_UNUSABLE',
  });
  expect(await client.list()).toEqual([]);
});

async function printed(client: Client, command: string[], size: typeof PTY | null, options: object): Promise<string> {
  const session = await client.run({ command, size, env: { PATH: process.env.PATH! }, ...options });
  await client.wait(session.id);
  return (await outputOf(client, session.id)).toString();
}
