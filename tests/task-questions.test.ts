/** Tests tasks that wait for a user: a live line that only spins would look like work. */
import { spawn } from 'node:child_process';
import { SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

/** A script that asks like npm, and ends with the answer. */
const ASKS = `printf 'Need to install the following packages:\\ncreate-vite@8.0.0\\nOk to proceed? (y) '; read answer; test "$answer" = y`;
const WAITS = /site waits for you: "Ok to proceed\? \(y\)" \(spool attach site\)/;

test('[TASK-7] a task that asks says so in the live line, until it is answered', async () => {
  await using daemon = new TestDaemon();
  using terminal = new Terminal([SPOOL, 'task', 'run', '--name', 'site', '--shell', ASKS], daemon.env, {
    cols: 120,
    rows: 24,
  });
  await terminal.sees('waits for you: "Ok to proceed? (y)" (spool attach site)');
  await daemon.spool(['send', 'site', '--enter', 'y']);
  expect((await terminal.ended()).code).toBe(0);
});

test('[TASK-7] plain lines, `task ls` and `task ls --json` say it too', async () => {
  await using daemon = new TestDaemon();
  const running = spawn(SPOOL, ['task', 'run', '--name', 'site', '--shell', ASKS], {
    env: daemon.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = new Promise<number | null>((resolve) => running.on('close', resolve));
  const client = await daemon.client();
  await until('it asks', async () => (await client.list())[0]?.status.state === 'blocked');
  expect((await daemon.spool(['task', 'ls'])).stdout).toContain(
    'waits for you: "Ok to proceed? (y)" (spool attach site)',
  );
  const [task] = await daemon.json<{ command: string[]; status: { state: string }; milestone: null }[]>('task', 'ls');
  expect(task).toMatchObject({ command: ['/bin/sh', '-c', ASKS], status: { state: 'blocked' }, milestone: null });
  await until('the task says so', () => WAITS.test(printed)); // before the answer: a later reader would see no question
  await daemon.spool(['send', 'site', '--enter', 'y']);
  expect(await ended).toBe(0);
});

test('[TASK-7] programs get `task_blocked`: the question once, and `task_unblocked` when it goes on', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const task = await client.runShell(ASKS, { pty: true, taskName: 'site' });
  const told: unknown[] = [];
  for await (const event of client.taskEvents({ tasks: [task] })) {
    if (event.type === 'task_log') continue;
    told.push(event.type === 'task_blocked' ? event.question : event.type);
    if (event.type === 'task_blocked') await client.write(task.taskId, 'y\r');
  }
  expect(told.filter((item) => item !== 'task_unblocked')).toEqual([
    'task_started',
    'Ok to proceed? (y)',
    'task_finished',
  ]);
});

test('the live line keeps the last line with letters', async () => {
  await using daemon = new TestDaemon();
  const script = `echo compiling the parser; printf -- '-----\\n  ...  \\n'; sleep 1000`;
  using terminal = new Terminal([SPOOL, 'task', 'run', '--name', 'build', '--shell', script], daemon.env);
  await terminal.sees('compiling the parser');
  const client = await daemon.client();
  await until('all is printed', async () => (await client.list())[0]!.offset > 30);
  const since = terminal.printed.length;
  await terminal.sees('compiling the parser', since);
  expect(terminal.printed.slice(since)).not.toContain('...');
});
