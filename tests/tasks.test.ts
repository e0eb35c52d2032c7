import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, TaskHandle, TaskResult, TaskStreamEvent } from '@spool/client';
import {
  inNamespace,
  isAlive,
  NAMESPACES_MISSING,
  outputOf,
  type RunResult,
  runInNamespace,
  seen,
  SPOOL,
  Terminal,
  TestDaemon,
  until,
} from '@spool/testkit';
import { testNeeding } from '@spool/testkit/needs';
import { expect, onTestFinished, test } from 'vitest';
import type { LostTask } from './bodies/lost-task.ts';
import type { StartedByInit } from './bodies/started-by-init.ts';
import { ReferenceTerminal } from './support/reference-terminal.ts';
import { ROOT } from './support/sources.ts';

const SIZE = { cols: 80, rows: 24 };

test.each<[command: string, end: Partial<TaskResult>]>([
  ['echo fine', { state: 'success', exitCode: 0, reason: 'exit code 0', lastLines: ['fine'] }],
  ['echo one; echo two; exit 7', { state: 'error', exitCode: 7, reason: 'exit code 7', lastLines: ['one', 'two'] }],
  ['echo out; kill -SEGV $$', { state: 'error', exitCode: null, reason: 'signal SIGSEGV', lastLines: ['out'] }],
  ['no-such-command-here', { state: 'error', exitCode: 127, reason: 'exit code 127' }],
])('[TASK-2] a task is awaited to its exact end: %s', async (command, end) => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell(command, { pty: true, taskName: 'one' });
  const result = await client.waitForCompletion(handle);
  expect(result).toMatchObject({ id: handle.taskId, name: 'one', ...end });
  expect(result.finishedAt! - result.startedAt).toBe(result.durationMs);
  expect(await client.waitForCompletion(handle.taskId)).toEqual(result);
});

test('[TASK-2] a failed task brings its last 20 lines, as a person saw them', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell(
    `seq 5000; printf '\\033[31m50 %%\\r100 %%\\033[m\\n'; printf 'the end'; exit 1`,
    { pty: true },
  );
  const { lastLines } = await client.waitForCompletion(handle);
  expect(lastLines).toEqual([...Array.from({ length: 18 }, (_, at) => String(4983 + at)), '100 %', 'the end']);
});

testNeeding(NAMESPACES_MISSING)(
  '[TASK-8] a program that is pid 1 of its container starts sessions; it can tie none, for it is gone only with all of them',
  async () => {
    const body = new URL('bodies/started-by-init.ts', import.meta.url).pathname;
    const { stdout } = await runInNamespace(['unshare', '-pf', '--mount-proc', process.execPath, body]);
    expect(JSON.parse(stdout) as StartedByInit).toEqual({
      pid: 1,
      owner: 1,
      refusal: expect.stringContaining('process 1 is gone only with its whole container') as string,
    });
  },
);

testNeeding(NAMESPACES_MISSING)(
  '[TASK-2] a task that was lost with its whole daemon reads as an error, never as a success',
  async () => {
    const { waited, command } = await inNamespace<LostTask>(new URL('bodies/lost-task.ts', import.meta.url));
    expect(waited).toMatchObject({ state: 'error', exitCode: null, lastLines: ['begun'] });
    expect(command.code).not.toBe(0);
    expect(JSON.parse(command.stdout.trim().split('\n').at(-1)!)).toMatchObject({ state: 'error', exitCode: null });
  },
);

test('[TASK-1] on the spot: both streams apart, the exit code, the folder and the environment; no input', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = scratch();
  const result = await client.runShell('cat; pwd; echo "$WORD" >&2; exit 4', {
    cwd: folder,
    env: { PATH: process.env.PATH!, WORD: 'héllo' },
  });
  expect(result).toMatchObject({ stdout: `${folder}\n`, stderr: 'héllo\n', isCut: false, state: 'error', exitCode: 4 });
  const here = await client.runShell('pwd', { cwd: 'tests' });
  expect(here.stdout).toBe(`${process.cwd()}/tests\n`);
  // It has mostly ended before its input could be closed.
  for (let round = 0; round < 20; round++)
    expect(await client.runShell('exit 3')).toMatchObject({ stdout: '', stderr: '', state: 'error', exitCode: 3 });
});

test('[TASK-1] [TASK-4] on the spot: past the timeout it is ended, and what it had said is there', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const result = await client.runShell('echo begun; sleep 1000', { timeout: 0.4 });
  expect(result).toMatchObject({ state: 'timeout', stdout: 'begun\n', exitCode: null, lastLines: ['begun'] });
});

test('[TASK-1] with pty: a handle at once, and a registry of exactly the agreed fields', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell('test -t 0 && test -t 1 && read go; exit 2', {
    pty: true,
    taskName: 'scaffold',
  });
  expect(handle).toEqual({ taskId: expect.stringMatching(/^[a-z0-9]{8,32}$/), name: 'scaffold', status: 'started' });
  await client.run({ command: ['sleep', '1000'], name: 'no task' });
  const running = { id: handle.taskId, name: 'scaffold', state: 'running', pid: expect.any(Number) as number };
  const startedAt = expect.any(Number) as number;
  const owners = [expect.objectContaining({ pid: process.pid })];
  const more = {
    attachName: 'scaffold',
    timeoutMs: 300_000,
    labels: {},
    startedBy: { who: `node ${process.pid}`, owners, isTied: false },
  };
  expect(await client.tasks()).toEqual([{ ...running, startedAt, finishedAt: null, exitCode: null, ...more }]);
  await client.write(handle.taskId, 'go\r');
  await client.waitForCompletion(handle);
  const ended = {
    ...running,
    state: 'error',
    startedAt,
    finishedAt: expect.any(Number) as number,
    exitCode: 2,
    ...more,
  };
  expect(await client.tasks()).toEqual([ended]);
  const listed = { ...ended, command: expect.any(Array), status: expect.any(Object), milestone: null };
  expect(await daemon.json('task', 'ls')).toEqual([listed]);
});

test('[TASK-4] a timeout ends the whole tree, double-forked processes in sessions of their own included, and says so', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ours = daemon.processes().length;
  const handle = await client.runShell(treeOf(), { pty: true, timeout: 1.5 });
  const grandchild = await grandchildOf(client, handle);
  const result = await client.waitForCompletion(handle);
  expect(result).toMatchObject({ state: 'timeout', exitCode: null });
  expect(result.reason).toMatch(/^ended by its time limit after [0-9.]+s, with all its processes$/);
  expect(result.lastLines.join('\n')).toContain(`grandchild ${grandchild}`);
  expect([isAlive(grandchild), daemon.processes().length]).toEqual([false, ours]);
});

test('[TASK-4] a task that ends well when its time limit asks it to is a timeout all the same', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell('trap "exit 0" TERM; while :; do sleep 0.05; done', {
    pty: true,
    timeout: 0.5,
  });
  expect(await client.waitForCompletion(handle)).toMatchObject({ state: 'timeout', exitCode: 0 });
});

test('[TASK-2] [TASK-4] a cancelled task is gone with its whole tree, and reads cancelled', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ours = daemon.processes().length;
  const handle = await client.runShell(treeOf(), { pty: true });
  const grandchild = await grandchildOf(client, handle);
  const waiting = client.waitForCompletion(handle);
  expect(await client.cancelTask(handle)).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
  expect([isAlive(grandchild), daemon.processes().length]).toEqual([false, ours]);
  expect(await waiting).toMatchObject({ state: 'cancelled' });
  expect(await client.cancelTask(handle)).toMatchObject({ state: 'cancelled' });
});

test('[TASK-3] events have the agreed shapes and order, and the joined log is the log', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const all = client.taskEvents();
  const handle = await client.runShell('printf "é"; sleep 0.2; echo "\\033[1mbold\\033[m"; sleep 0.2; exit 3', {
    pty: true,
    taskName: 'told',
  });
  const { startedAt, durationMs } = await client.waitForCompletion(handle);
  const { taskId } = handle;
  const number = expect.any(Number) as number;
  const expected = [
    { type: 'task_started', at: number, taskId, name: 'told', startedAt },
    { type: 'task_log', taskId, chunk: (await outputOf(client, taskId)).toString() },
    { type: 'task_finished', at: number, taskId, name: 'told', state: 'error', exitCode: 3, durationMs },
  ];
  const heard: TaskStreamEvent[] = [];
  for await (const event of all) {
    heard.push(event);
    if (event.type === 'task_finished') break;
  }
  expect(heard.filter(({ type }) => type === 'task_log').length).toBeGreaterThan(1);
  expect(joined(heard)).toEqual(expected);
  // For an ended task, requested by name: the same, and then the end.
  const again: TaskStreamEvent[] = [];
  for await (const event of client.taskEvents({ tasks: ['told'] })) again.push(event);
  expect(joined(again)).toEqual(expected);
});

test('[TASK-3] [LIFE-1] events go on over a killed keeper: all tasks, each start and end once, no output lost or twice', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = scratch();
  const gated = `echo before; ${gate(folder, 'go')}; echo after; exit 6`;
  const first = await client.runShell(gated, { pty: true });
  const heard: TaskStreamEvent[] = [];
  const events = client.taskEvents();
  const listening = (async () => {
    for await (const event of events) heard.push(event);
  })();
  await until('the output is heard', () => heard.some((event) => event.type === 'task_log'));
  await killOne(client, 'keeper');
  // On another connection, while this one may still be connecting: its start may be missed.
  const second = await (await daemon.client()).runShell(gated, { pty: true });
  writeFileSync(`${folder}/go`, '');
  await until('both ends are told', () => heard.filter(({ type }) => type === 'task_finished').length === 2);
  events.close();
  await listening;
  for (const { taskId } of [first, second]) {
    const ofTask = joined(heard.filter((event) => event.taskId === taskId));
    expect(ofTask).toMatchObject([
      { type: 'task_started' },
      { type: 'task_log', chunk: 'before\r\nafter\r\n' },
      { type: 'task_finished', state: 'error', exitCode: 6 },
    ]);
  }
});

test.each(['keeper', 'holder'] as const)(
  '[TASK-6] [LIFE-1] a task started before a kill of the %s is awaited right after it, by us and by another process',
  async (victim) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const folder = scratch();
    const handle = await client.runShell(`${gate(folder, 'go')}; echo the last word; exit 9`, { pty: true });
    const before = client.waitForCompletion(handle);
    await killOne(client, victim);
    const after = client.waitForCompletion(handle);
    const elsewhere = awaitElsewhere(daemon, handle);
    const byVerb = daemon.spool(['task', 'wait', handle.taskId]);
    writeFileSync(`${folder}/go`, '');
    const end = { state: 'error', exitCode: 9, lastLines: ['the last word'] };
    expect(await Promise.all([before, after, elsewhere])).toMatchObject([end, end, end]);
    expect(await byVerb).toMatchObject({ code: 9, stdout: expect.stringContaining('exit code 9\n  the last word\n') });
  },
);

test('[TASK-6] [TASK-4] a time limit holds over a killed keeper', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell('sleep 1000', { pty: true, timeout: 1.5 });
  await killOne(client, 'keeper');
  expect(await client.waitForCompletion(handle)).toMatchObject({ state: 'timeout' });
});

test('[TASK-6] [TASK-4] a keeper killed between the end of a task and that of its tree: who awaits it is answered when none is left', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell(treeOf(), { pty: true, timeout: 0.5 });
  const grandchild = await grandchildOf(client, handle);
  await client.wait(handle.taskId); // its first process is gone; the grandchild has its grace period
  await killOne(client, 'keeper');
  expect(await client.waitForCompletion(handle)).toMatchObject({ state: 'timeout' });
  expect(isAlive(grandchild)).toBe(false);
});

test('[TASK-6] the same id starts nothing twice: a program that was killed can begin again', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = scratch();
  const options = { pty: true, id: 'planstep1', taskName: 'step', cwd: folder } as const;
  const command = `echo once >> ran; ${gate(folder, 'go')}`;
  const one = await client.runShell(command, options);
  expect(await client.runShell(command, options)).toEqual(one);
  writeFileSync(`${folder}/go`, '');
  await client.waitForCompletion(one);
  expect(await (await daemon.client()).runShell(command, options)).toEqual(one);
  expect(await client.runShell(command, { ...options, pty: false })).toMatchObject({
    id: one.taskId,
    state: 'success',
  });
  expect(readFileSync(`${folder}/ran`, 'utf8')).toBe('once\n');
  expect(await client.tasks()).toHaveLength(1);
});

test('[TASK-6] the planner: killed in the middle, a second process takes over, and all three results are right', async () => {
  await using daemon = new TestDaemon();
  const folder = scratch();
  const commands = [
    `web=mkdir web; echo web begun; ${gate(folder, 'go')}; echo web made > web/made`,
    `api=echo api begun; ${gate(folder, 'go')}; echo api broke; exit 3`,
    'docs=echo docs made > docs',
  ];
  const first = planner(daemon, folder, commands);
  await until('it shows two that run and one that has finished', () =>
    ['web begun', 'api begun', 'success: exit code 0'].every((text) => first.printed().includes(text)),
  );
  process.kill(first.pid, 'SIGKILL');
  expect((await first.ended).code).toBe(null);
  const second = planner(daemon, folder, ['--resume', 'planner.json']);
  await until('it shows what it has taken over', () => second.printed().includes('web begun'));
  writeFileSync(`${folder}/go`, '');
  const { code, stdout, stderr } = await second.ended;
  const report = stdout.split('\n').slice(-6);
  expect({ code, stderr, report }).toEqual({
    code: 1,
    stderr: '',
    report: [
      expect.stringMatching(/^web: success after \d+\.\d s, exit code 0$/),
      expect.stringMatching(/^api: error after \d+\.\d s, exit code 3$/),
      '  api begun',
      '  api broke',
      expect.stringMatching(/^docs: success after \d+\.\d s, exit code 0$/),
      '',
    ],
  });
  expect([readFileSync(`${folder}/web/made`, 'utf8'), readFileSync(`${folder}/docs`, 'utf8')]).toEqual([
    'web made\n',
    'docs made\n',
  ]);
});

test('the planner as it comes: three scaffolds in a temporary folder, live lines on a terminal, exit code 0', async () => {
  await using daemon = new TestDaemon();
  const folder = scratch();
  const inFolder = ['sh', '-c', 'cd "$1" && exec "$2" "$3"', 'sh', folder, process.execPath, PLANNER];
  const temporary = scratch();
  using terminal = new Terminal(inFolder, { ...daemon.env, TMPDIR: temporary }, SIZE);
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
  // A program's end may be reported before its last output is read.
  let lines: readonly string[] = [];
  await until('its last line is read', async () => {
    ({ lines } = await picture(terminal));
    return lines.some((line) => line.startsWith('docs: success'));
  });
  expect(lines.slice(1, 7)).toEqual([
    ...['web', 'api', 'docs'].map((name) => expect.stringMatching(`^${name} +\\d+\\.\\d s  success: exit code 0$`)),
    ...['web', 'api', 'docs'].map((name) =>
      expect.stringMatching(`^${name}: success after \\d+\\.\\d s, exit code 0$`),
    ),
  ]);
  const [made] = readdirSync(temporary).filter((name) => name.startsWith('planner-'));
  expect(readFileSync(`${temporary}/${made}/web/src/app.ts`, 'utf8')).toBe('src/app.ts\n');
  expect(readdirSync(folder)).toEqual([]);
});

test('task run, for scripts: lines for start, milestones and end, the exit code, and the last lines of a failure', async () => {
  await using daemon = new TestDaemon();
  const script = 'echo "added 12 packages in 3s"; echo sorry; exit 5';
  const failed = await daemon.spool(['task', 'run', '--name', 'install', '--shell', script]);
  expect(failed.code).toBe(5);
  expect(failed.stdout.split('\n')).toEqual([
    expect.stringMatching(/^install \([a-z0-9]+\): started$/),
    'install: 12 packages installed',
    expect.stringMatching(/^install: error after [0-9.]+s: exit code 5$/),
    '  added 12 packages in 3s',
    '  sorry',
    '',
  ]);
  const slow = await daemon.spool(['task', 'run', '-t', '400ms', 'sh', '-c', 'sleep 1000', '-v']);
  expect(slow).toMatchObject({ code: 124 });
  expect(slow.stdout).toMatch(/sh: timeout after .*: ended by its time limit after .*s, with all its processes\n/);
  const verbose = await daemon.spool(['task', 'run', '-v', '--pipes', '--', 'sh', '-c', 'cat; echo out; echo err >&2']);
  expect(verbose).toMatchObject({ code: 0, stdout: 'out\nerr\n', stderr: expect.stringContaining('sh: success') });
  expect((await daemon.spool(['task', 'run', '--shell', 'kill -9 $$'])).code).toBe(137);
  expect((await daemon.spool(['task', 'run', 'no-such-command-here'])).code).toBe(127);
  expect((await daemon.spool(['task', 'run'])).code).toBe(2);
});

test('[TASK-3] task run --json, wait --json: the events, a line each, milestones between start and end', async () => {
  await using daemon = new TestDaemon();
  const script = 'printf "added 12 packages in 3s\\n"; exit 2';
  const ran = await daemon.spool(['task', 'run', '--json', '--name', 'told', '--shell', script]);
  const events = ndjson(ran.stdout);
  expect({ code: ran.code, types: new Set(events.map(({ type }) => type)) }).toEqual({
    code: 2,
    types: new Set(['task_started', 'task_log', 'milestone', 'task_finished']),
  });
  const { taskId } = events[0]!;
  expect(events[0]).toMatchObject({ type: 'task_started', name: 'told', startedAt: expect.any(Number) as number });
  expect(events.find(({ type }) => type === 'milestone')).toMatchObject({
    id: taskId,
    name: 'told',
    milestone: { title: '12 packages installed' },
  });
  expect(events.at(-1)).toMatchObject({ type: 'task_finished', taskId, state: 'error', exitCode: 2 });
  const waited = await daemon.spool(['task', 'wait', '--json', 'told', 'told']);
  expect(waited.code).toBe(2);
  expect(
    ndjson(waited.stdout)
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(events.map(({ type }) => type).toSorted());
});

test('task run -d, ls, wait, logs and cancel, for scripts', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = scratch();
  const handle = await daemon.json<TaskHandle>(
    'task',
    'run',
    '-d',
    '-n',
    'one',
    '--shell',
    `${gate(folder, 'go')}; exit 8`,
  );
  expect(handle).toMatchObject({ id: handle.taskId, name: 'one', state: 'running' });
  const { stdout } = await daemon.spool([
    'task',
    'run',
    '-d',
    '-n',
    'two',
    '-C',
    folder,
    '-e',
    'W=x',
    '-c',
    'pwd; echo $W',
  ]);
  await client.waitForCompletion(stdout.trim());
  expect((await daemon.spool(['task', 'logs', '-f'])).stdout).toBe(`${folder}\nx\n`);
  expect((await daemon.spool(['task', 'logs', '--raw', 'two'])).stdout).toBe(`${folder}\r\nx\r\n`);
  const listed = (await daemon.spool(['task', 'ls'])).stdout.split('\n');
  expect(listed.map((line) => line.split(/ +/).slice(0, 3))).toEqual([
    ['ID', 'NAME', 'STATE'],
    [handle.taskId, 'one', 'running'],
    [stdout.trim(), 'two', 'success'],
    [''],
  ]);
  expect((await daemon.spool(['task', 'wait', '--timeout', '100ms'])).code).toBe(124);
  const waiting = daemon.spool(['task', 'wait', 'one', 'two']);
  writeFileSync(`${folder}/go`, '');
  const waited = await waiting;
  expect(waited).toMatchObject({ code: 8, stdout: expect.stringMatching(/^two: success after/m) });
  expect(waited.stdout).toMatch(/^one: error after .*: exit code 8$/m);
  expect(await daemon.spool(['task', 'wait'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('No task is running.\n'),
  });

  const sleeper = await daemon.json<TaskHandle>('task', 'run', '-d', '--', 'sleep', '1000');
  expect(await daemon.json('task', 'cancel', sleeper.taskId)).toMatchObject({ state: 'cancelled' });
  const both = await daemon.spool(['task', 'cancel', sleeper.taskId, 'no-such-task']);
  expect(both).toMatchObject({ code: 3, stdout: expect.stringMatching(/^sleep: cancelled after /) });
  expect((await daemon.spool(['task', 'cancel'])).code).toBe(2);

  const { id } = await client.run({ command: ['sleep', '1000'], name: 'no-task' });
  const refused = await daemon.spool(['task', 'cancel', 'no-task']);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/this session "no-task" is not a task; .*spool stop/),
  });
  expect((await client.get(id)).state).toBe('running');
});

test('task run on a terminal: one live line with elapsed, last line, progress, milestone; then the end and the last lines', async () => {
  await using daemon = new TestDaemon();
  const folder = scratch();
  const script = [
    'echo looking around',
    gate(folder, 'progress'),
    String.raw`printf "\033]9;4;1;40\007"`,
    gate(folder, 'milestone'),
    String.raw`printf "\033]9;4;0\007added 12 packages in 3s\n"`,
    gate(folder, 'end'),
    'echo sorry',
    'exit 5',
  ].join('; ');
  using terminal = new Terminal([SPOOL, 'task', 'run', '-n', 'build', '--shell', script], daemon.env, SIZE);
  const shows = async (pattern: RegExp): Promise<void> => {
    await until(`the line shows ${pattern}`, async () => {
      const { lines } = await picture(terminal);
      return pattern.test(lines[0]!) && lines.slice(1).every((line) => line === '');
    });
  };
  await shows(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] build +[0-9.]+s {2}looking around$/);
  writeFileSync(`${folder}/progress`, '');
  await shows(/^. build +[0-9.]+s ████░░░░░░ {2}40% {2}looking around$/);
  writeFileSync(`${folder}/milestone`, '');
  await shows(/^. build +[0-9.]+s {2}12 packages installed$/);
  writeFileSync(`${folder}/end`, '');
  expect(await terminal.ended()).toEqual({ code: 5, signal: 0 });
  const { lines } = await picture(terminal);
  expect(lines.slice(0, 5)).toEqual([
    expect.stringMatching(/^✗ build +[0-9.]+s {2}exit code 5$/),
    '  looking around',
    '  added 12 packages in 3s',
    '  sorry',
    '',
  ]);
});

test('Ctrl-C leaves a task running and says how to come back; a second one cancels it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { taskId } = await client.runShell('echo at work; sleep 1000', { pty: true, taskName: 'long' });
  const wait = [SPOOL, 'task', 'wait', 'long'];
  using first = new Terminal(wait, daemon.env, { cols: 120, rows: 24 });
  await first.sees('at work');
  first.type('\x03');
  await first.sees('[spool: long keeps running; return with: ');
  await first.sees(`spool task wait ${taskId}`);
  expect(await first.ended()).toEqual({ code: 130, signal: 0 });
  expect(await client.get(taskId)).toMatchObject({ state: 'running' });

  using second = new Terminal(wait, daemon.env, { cols: 120, rows: 24 });
  await second.sees('at work');
  second.type('\x03');
  await second.sees('keeps running');
  second.type('\x03');
  expect(await second.ended()).toEqual({ code: 143, signal: 0 });
  expect((await client.tasks())[0]).toMatchObject({ state: 'cancelled' });
});

const PLANNER = join(ROOT, 'examples/planner.ts');

function planner(
  daemon: TestDaemon,
  cwd: string,
  args: readonly string[],
): { readonly pid: number; readonly printed: () => string; readonly ended: Promise<RunResult> } {
  const child = spawn(process.execPath, [PLANNER, ...args], {
    cwd,
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
  return { pid: child.pid!, printed: () => texts.stdout, ended };
}

/** Awaits a task in another process, which has only its handle as text; returns the result. */
async function awaitElsewhere(daemon: TestDaemon, handle: TaskHandle): Promise<TaskResult> {
  const script = `
    import { connect } from '@spool/client/node';
    await using client = await connect();
    console.log(JSON.stringify(await client.waitForCompletion(JSON.parse(process.argv[1]))));`;
  const args = ['--input-type=module', '-e', script, JSON.stringify(handle)];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: daemon.env, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(child, 'close');
  return JSON.parse(stdout) as TaskResult;
}

/** Kills one process of the daemon, as soon as the daemon reports that one may die. */
async function killOne(client: Client, victim: 'keeper' | 'holder'): Promise<void> {
  process.kill((await client.status())[victim].pid, 'SIGKILL');
}

/** Returns a shell script with a child, and a double-forked grandchild in another session which ignores most signals. */
function treeOf(): string {
  const grandchild = 'trap "" TERM HUP INT; echo grandchild $$; while :; do sleep 1; done';
  return `(setsid sh -c '${grandchild}' &); sleep 1000`;
}

async function grandchildOf(client: Client, { taskId }: TaskHandle): Promise<number> {
  const pid = Number(/grandchild (\d+)\r\n/.exec(await seen(client, taskId, '\r\n'))![1]);
  expect(isAlive(pid)).toBe(true);
  return pid;
}

/** Returns a shell command that waits until the file exists. */
function gate(folder: string, file: string): string {
  return `until [ -e ${folder}/${file} ]; do sleep 0.02; done`;
}

function scratch(): string {
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Joins the pieces of a log. */
function joined(events: readonly TaskStreamEvent[]): TaskStreamEvent[] {
  const all: TaskStreamEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === 'task_log' && last?.type === 'task_log')
      all.splice(-1, 1, { ...last, chunk: last.chunk + event.chunk });
    else all.push(event);
  }
  return all;
}

function ndjson(text: string): { readonly type: string; readonly taskId: string }[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { type: string; taskId: string });
}

async function picture(terminal: Terminal): Promise<{ readonly lines: readonly string[] }> {
  const glass = new ReferenceTerminal(SIZE);
  await glass.feed(Buffer.from(terminal.printed, 'latin1'));
  return glass.picture;
}

test('[TASK-2] a wait for a task does not affect how it is ended, and respects its own time limit', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const tidied = `${daemon.home}/tidied`;
  // The first process is gone at once; the other cleans up, and takes longer than the usual grace period.
  const tidy = `mkfifo ${tidied}.not; trap "" HUP; trap "read -t 6 <>${tidied}.not; touch ${tidied}; exit" TERM; echo ready; while :; do sleep 0.05; done`;
  const task = await client.runShell(`bash -c '${tidy}' & exec sleep 1000`, { pty: true, taskName: 'tidy' });
  await seen(client, task.taskId, 'ready');
  const waiting = client.waitForCompletion(task);
  const stopping = client.stop(task.taskId, { graceMs: 60_000 });
  await until('its first process is gone', async () => (await client.get(task.taskId)).state !== 'running');
  const impatient = await client.waitForCompletion(task, { timeoutMs: 50 });
  expect([impatient.state, existsSync(tidied)]).toEqual(['cancelled', false]);
  expect((await waiting).state).toBe('cancelled');
  expect(existsSync(tidied)).toBe(true);
  await stopping;
}, 60_000);
