/** Seed 003, "PTY streaming for scaffolding progress": its statements, as a user of that system expects them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client, TaskStreamEvent } from '@spool/client';
import { isAlive, SPOOL, TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../support/sources.ts';

/** A script that asks like npm, and ends with the answer. */
const ASKS = `printf 'Need to install the following packages:\\ncreate-vite@8.0.0\\nOk to proceed? (y) '; read answer; test "$answer" = y`;

/** A tree that resists: children that ignore SIGHUP and SIGTERM, and one in another session. All write their pids. */
const tree = (file: string): string =>
  `(trap '' HUP TERM; echo $$ >> ${file}; setsid sh -c 'echo $$ >> ${file}; exec sleep 1000' & sleep 1000 & echo $! >> ${file}; wait)`;

function folder(): string {
  const path = mkdtempSync(`${tmpdir()}/spool-seed-003-`);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Returns a program that starts a tied and an untied task, and is killed. */
function ownerProgram(daemon: TestDaemon, files: { readonly tied: string; readonly untied: string }): ChildProcess {
  const script = `
    import { connect } from '${ROOT}/packages/client/src/node/index.ts';
    const client = await connect();
    await client.runShell(${JSON.stringify(tree(files.tied))}, { pty: true, taskName: 'tied', whileOwner: true });
    await client.runShell(${JSON.stringify(tree(files.untied))}, { pty: true, taskName: 'untied' });
    console.log(JSON.stringify((await client.tasks({ mine: true })).map(({ name }) => name)));
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void owner.kill('SIGKILL'));
  return owner;
}

/** The default grace period of `stop`. */
const GRACE_MS = 5000;

const pidsIn = (file: string): number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number);

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  '[TASK-8] "`atexit` hook kills lingering tasks": the owner ends by %s, its tied tasks are gone with their trees, others live',
  async (signal) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const at = folder();
    const files = { tied: `${at}/tied`, untied: `${at}/untied` };
    const owner = ownerProgram(daemon, files);
    const [said] = (await once(owner.stdout!, 'data')) as [Buffer];
    expect(JSON.parse(String(said))).toEqual(['tied', 'untied']);
    expect(await client.tasks({ mine: true })).toEqual([]); // they do not belong to this process
    for (const file of Object.values(files))
      await until('its tree runs', () => existsWith(file, 3) && pidsIn(file).every(isAlive));
    const ended = client.waitForCompletion('tied');
    const died = once(owner, 'exit').then(() => Date.now());
    owner.kill(signal);
    const result = await ended;
    const took = Date.now() - (await died);
    expect(took).toBeGreaterThan(GRACE_MS - 1000); // the tree ignores SIGTERM: it gets the whole grace
    expect(result).toMatchObject({ state: 'cancelled', startedBy: { isTied: true, owners: [{ pid: owner.pid }] } });
    expect(result.reason).toBe(`stopped because the process that owned it is gone (pid ${owner.pid})`);
    expect(pidsIn(files.tied).filter(isAlive)).toEqual([]);
    expect(pidsIn(files.untied).filter(isAlive)).toHaveLength(3);
    await client.cancelTask('untied');
  },
);

function existsWith(file: string, lines: number): boolean {
  try {
    return pidsIn(file).length === lines;
  } catch {
    return false;
  }
}

test('[TASK-8] a tied task survives what its owner survives, a killed keeper, and the next keeper knows the owner', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const at = folder();
  const files = { tied: `${at}/tied`, untied: `${at}/untied` };
  const owner = ownerProgram(daemon, files);
  await once(owner.stdout!, 'data');
  await until('its tree runs', () => existsWith(files.tied, 3));
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  expect((await client.get('tied')).state).toBe('running');
  expect((await client.status()).sessions.running).toBe(2);
  expect(pidsIn(files.tied).every(isAlive)).toBe(true);
  owner.kill('SIGKILL');
  expect(await client.waitForCompletion('tied')).toMatchObject({ state: 'cancelled' });
  expect(pidsIn(files.tied).filter(isAlive)).toEqual([]);
});

test('[TASK-8] `task run --with-me`: the program that called spool is gone, or the command itself', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // `read` prevents the shell from being replaced by spool.
  const shell = spawn('sh', ['-c', `${SPOOL} task run -d --with-me --name one -- sleep 1000; read x; true`], {
    env: daemon.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(shell.stdout, 'data');
  const foreground = spawn(SPOOL, ['task', 'run', '--with-me', '--name', 'two', '--', 'sleep', '1000'], {
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(foreground.stdout, 'data');
  const named = await daemon.spool([
    'task',
    'run',
    '-d',
    '--owner',
    String(process.pid),
    '-n',
    'three',
    '--',
    'sleep',
    '1000',
  ]);
  expect(named.code).toBe(0);
  shell.kill('SIGKILL');
  foreground.kill('SIGKILL');
  for (const name of ['one', 'two'])
    expect(await client.waitForCompletion(name)).toMatchObject({ state: 'cancelled', reason: /owned it is gone/ });
  expect((await client.get('three')).state).toBe('running');
  const gone = await daemon.spool(['task', 'run', '-d', '--owner', '999999999', '--', 'true']);
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('process 999999999 is gone')]);
});

test('[TASK-10] "run_shell(cmd, pty=True, task_name)": the name is a label, several tasks may have it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const options = { pty: true, taskName: 'scaffold', labels: { app: 'web' }, size: { cols: 100, rows: 30 } } as const;
  const [one, two] = [
    await client.runShell('stty size; read x', options),
    await client.runShell('stty size; read x', options),
  ];
  expect([one.name, two.name]).toEqual(['scaffold', 'scaffold']);
  expect((await client.tasks()).map(({ id, name, attachName }) => [id, name, attachName])).toEqual([
    [one.taskId, 'scaffold', 'scaffold'],
    [two.taskId, 'scaffold', 'scaffold-2'],
  ]);
  expect((await daemon.spool(['task', 'ls'])).stdout).toMatch(/scaffold {2,}running[^]*scaffold-2 {2,}running/);
  expect(await client.tasks()).toMatchObject([{ labels: { app: 'web' }, timeoutMs: 300_000 }, {}]);
  for (const { taskId } of [one, two]) await client.write(taskId, '\r');
  for (const task of [one, two]) {
    expect(await client.waitForCompletion(task)).toMatchObject({ name: 'scaffold', state: 'success' });
    expect(await client.tail(task.taskId, { lines: 5 })).toContain('30 100');
  }
});

test('[TASK-10] "timeout: int = 300" on the command line too, and `--timeout none`', async () => {
  await using daemon = new TestDaemon();
  const limited = await daemon.spool(['task', 'run', '-d', '--json', '--', 'sleep', '1000']);
  const free = await daemon.spool(['task', 'run', '-d', '--json', '--timeout', 'none', '--', 'sleep', '1000']);
  expect([JSON.parse(limited.stdout).timeoutMs, JSON.parse(free.stdout).timeoutMs]).toEqual([300_000, null]);
});

test('[TASK-10] "npx create-next-app" finds its environment: CI, NODE_ENV and npm_config_* pass for tasks, `inheritEnv` passes all', async () => {
  const given = { CI: '1', NODE_ENV: 'test', npm_config_registry: 'http://127.0.0.1:9', SECRET: 's' };
  await using daemon = new TestDaemon({ env: given });
  const shown = 'echo "$CI $NODE_ENV $npm_config_registry $SECRET"';
  const client = await daemon.client();
  expect((await client.runShell(shown)).stdout).toBe('1 test http://127.0.0.1:9 \n');
  expect((await client.runShell(shown, { inheritEnv: true })).stdout).toBe('1 test http://127.0.0.1:9 s\n');
  const run = async (...flags: string[]): Promise<string> =>
    (await daemon.spool(['task', 'run', '-v', ...flags, '--shell', shown])).stdout.trimEnd();
  expect(await run()).toBe('1 test http://127.0.0.1:9');
  expect(await run('--inherit-env')).toBe('1 test http://127.0.0.1:9 s');
});

test('[TASK-9] a task that asks says so: `task_blocked`, `until: blocked`, and the reason of a timeout', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const task = await client.runShell(ASKS, { pty: true, taskName: 'scaffold' });
  const blocked = await client.waitForCompletion(task, { until: ['blocked'] });
  expect(blocked).toMatchObject({
    state: 'running',
    blocked: { kind: 'confirm', question: 'Ok to proceed? (y)' },
    reason: 'waits for a person: "Ok to proceed? (y)"',
  });
  await client.write(task.taskId, 'y\r');
  expect(await client.waitForCompletion(task)).toMatchObject({ state: 'success', blocked: null });

  const events = client.events({ types: ['task_blocked', 'task_unblocked'] });
  const late = await client.runShell(ASKS, { pty: true, taskName: 'late', timeout: 8 });
  const { value } = await events.next();
  expect(value).toMatchObject({
    type: 'task_blocked',
    taskId: late.taskId,
    name: 'late',
    kind: 'confirm',
    question: 'Ok to proceed? (y)',
  });
  events.close();
  const result = await client.waitForCompletion(late);
  expect(result.state).toBe('timeout');
  expect(result.reason).toMatch(/with all its processes; it was waiting for a person: "Ok to proceed\? \(y\)"$/);
});

test('[TASK-3] "task_log {taskId, chunk}": on pipes it names its stream, and `spool events` tells it on request', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const following = spawn(
    SPOOL,
    ['events', '--follow', '--new', '--json', '--type', 'task_log', '--type', 'task_finished'],
    {
      env: daemon.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void following.kill());
  let lines = '';
  following.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString()));
  const all = followed(client);
  const heard: string[] = [];
  for (let round = 0; !heard.includes('task_finished'); round++) {
    // The command may not be subscribed yet: then it gets the next task.
    const pipes = await client.runShell('echo out; echo err >&2', { taskName: `pipes-${round}` });
    await until('it may be told', () => all.of(pipes.id).some(({ type }) => type === 'task_finished'));
    heard.push(
      ...lines
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { type: string }).type),
    );
    const logs = all.of(pipes.id).filter((event) => event.type === 'task_log');
    expect(logs.map(({ stream, chunk }) => `${stream} ${chunk}`).sort()).toEqual(['stderr err\n', 'stdout out\n']);
  }
  await until('the output is told too', () => lines.includes('"task_log"') && lines.includes('"stream":"stderr"'));
});

function followed(client: Client): { of(taskId: string): readonly TaskStreamEvent[] } {
  const all: TaskStreamEvent[] = [];
  const events = client.taskEvents();
  void (async () => {
    for await (const event of events) all.push(event);
  })().catch(() => {});
  onTestFinished(() => events.close());
  return { of: (taskId) => all.filter((event) => event.taskId === taskId) };
}

testNeeding(missingProgram('python3'))(
  '[TASK-8] "handle = run_shell(…); await PTY_MANAGER.wait_for_completion(handle)" from Python, and the program\'s end is the task\'s',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const script = `
import asyncio, sys
sys.path.insert(0, ${JSON.stringify(`${ROOT}/examples`)})
from run_shell import run_shell, wait_for_completion

async def main():
    handle = await run_shell(cmd="echo made; exit 3", pty=True, task_name="scaffold")
    result = await wait_for_completion(handle["taskId"])
    print(handle["name"], result["state"], result["exitCode"], repr(result["log"]), flush=True)
    print((await run_shell("echo there"))["log"], end="", flush=True)
    await run_shell("exec sleep 1000", pty=True, task_name="left")

asyncio.run(main())
`;
    const python = spawn('python3', ['-c', script], {
      env: { ...daemon.env, SPOOL, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    python.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await once(python, 'close');
    expect(printed).toBe("scaffold error 3 'made\\r\\n'\nthere\n");
    expect(await client.waitForCompletion('left')).toMatchObject({ state: 'cancelled', reason: /owned it is gone/ });
  },
);
