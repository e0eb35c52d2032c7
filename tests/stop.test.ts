import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { isAlive, outputOf, program, seen, statusField, TestDaemon, until } from '@spool/testkit';
import { NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

/** A duration that no other process sleeps: another run of these tests may be active at the same time. */
const OWN = `${process.pid}`;

/**
 * Processes of all kinds that ever escaped a stop: background, nohup, own session, double fork, deaf to signals, without the
 * environment.
 */
const NASTY_TREE = `
  sleep 7771.${OWN} &
  nohup sleep 7772.${OWN} >/dev/null 2>&1 &
  setsid sleep 7773.${OWN} >/dev/null 2>&1 </dev/null &
  (setsid bash -c 'trap "" HUP TERM INT; exec -a deaf-daemon sleep 7774.${OWN}' </dev/null >/dev/null 2>&1 &)
  setsid bash -c 'trap "" TERM HUP INT; while :; do sleep 1; done' </dev/null >/dev/null 2>&1 &
  env -i sleep 7776.${OWN} &
  env -i bash -c 'trap "" TERM HUP; sleep 7777.${OWN} & wait' &
  echo started; sleep 7775.${OWN}`;

/** The limit of a stop: the work after the grace period takes a second, and longer on a busy machine. */
const STOP_MS_MAX = 60_000;

test('[RUN-41] a stop leaves no process of a nasty tree, soon after the grace period', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['bash', '-c', NASTY_TREE], size: PTY, env });
  await seen(client, session.id, 'started');
  await until('the whole tree is there', () => sleepers().length >= 7);
  const graceMs = 1000;
  const askedAt = performance.now();
  const info = await client.stop(session.id, { graceMs });
  expect(performance.now() - askedAt).toBeLessThan(graceMs + STOP_MS_MAX);
  expect(info.state).toBe('stopped');
  expect(sleepers()).toEqual([]);
});

test('[RUN-41, RUN-42] a kill leaves none at once, and reads killed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['bash', '-c', NASTY_TREE], size: PTY, env });
  await seen(client, session.id, 'started');
  await until('the whole tree is there', () => sleepers().length >= 7);
  const info = await client.kill(session.id);
  expect(info).toMatchObject({ state: 'killed', signal: 'SIGKILL', endedBy: 'kill' });
  expect(sleepers()).toEqual([]);
});

/** The child exits at once on request; one process of its tree does not. */
const SLOW_TREE = `
  (setsid bash -c 'trap "" HUP TERM INT; exec sleep 7778.${OWN}' </dev/null >/dev/null 2>&1 &)
  echo started; exec sleep 7779.${OWN}`;

test('[RUN-41] [LIFE-1] a keeper that dies between the end of a child and that of its tree: the next one goes on', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '-c', SLOW_TREE], size: PTY, env });
  await seen(client, id, 'started');
  await until('the whole tree is there', () => sleepers().length >= 2);
  const stopping = client.stop(id, { graceMs: 60_000 }).catch(() => null);
  await client.wait(id);
  expect(sleepers()).not.toEqual([]);
  const { keeper } = await client.status();
  client.close(); // no client asks again
  process.kill(keeper.pid, 'SIGKILL');
  await stopping;
  await until('nothing of it is left', () => sleepers().length === 0, 20_000);
});

test('[RUN-41] stopping the daemon ends trees whose child has gone already', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '-c', SLOW_TREE], size: PTY, env });
  await seen(client, id, 'started');
  await until('the whole tree is there', () => sleepers().length >= 2);
  void client.stop(id, { graceMs: 60_000 }).catch(() => null);
  await client.wait(id);
  expect((await daemon.spool(['daemon', 'stop', '--grace', '0s'])).code).toBe(0);
  expect(sleepers()).toEqual([]);
});

test('[RUN-5] a program that tidies up on SIGTERM gets the time for it, and its own exit code', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const tidy = `trap 'echo tidied; exit 5' TERM; echo ready; while :; do sleep 0.05; done`;
  const session = await client.run({ command: ['bash', '-c', tidy], size: PTY, env });
  await seen(client, session.id, 'ready');
  expect(await client.stop(session.id)).toMatchObject({ state: 'stopped', exitCode: 5, signal: null, endedBy: 'stop' });
  await seen(client, session.id, 'tidied');
});

test('[RUN-40] an interactive shell, which ignores SIGTERM, stops long before the grace period ends', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['bash', '--norc', '-i'], size: PTY, env });
  await seen(client, session.id, 'bash-');
  const askedAt = performance.now();
  const info = await client.stop(session.id, { graceMs: 20_000 });
  expect(info.state).toBe('stopped');
  expect(performance.now() - askedAt).toBeLessThan(10_000);
});

test.each<[string, (file: string) => string[]]>([
  ['is the command itself', (file) => [program('drain'), file, '1000']],
  ['handles SIGTERM once and then ignores it', (file) => [program('drain'), file, '1000', 'ignore']],
  ['is run by a script', (file) => ['sh', '-c', `${program('drain')} ${file} 1000; echo next >> ${file}`]],
  [
    'saves with the help of another program',
    (file) => [
      'bash',
      '-c',
      `trap 'sleep 1.2 && echo saved > ${file}; exit' TERM; echo ready; while :; do sleep 0.05; done`,
    ],
  ],
])('[RUN-5] a server has all of the grace to save what it has when it %s', async (_name, command) => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/saved`;
  const session = await client.run({ command: command(file), size: PTY, env });
  await seen(client, session.id, 'ready');
  const { state } = await client.stop(session.id);
  expect({ state, saved: readFileSync(file, 'utf8') }).toEqual({ state: 'stopped', saved: 'saved\n' });
});

test.each([
  ['bash', '--norc', '-i'],
  ['dash', '-i'],
  ['fish', '--no-config'],
])(
  '[RUN-5, RUN-40] a server that was typed into a shell has it too, and the shell goes right after it: %s',
  async (...shell) => {
    if (spawnSync(shell[0]!, ['-c', 'true']).status !== 0) throw new Error(`this test needs ${shell[0]}; install it`);
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const file = `${daemon.home}/saved`;
    const session = await client.run({ command: shell, size: PTY, env: { ...env, HOME: daemon.home } });
    await session.write(`${program('drain')} ${file} 700\r`);
    await seen(client, session.id, 'ready');
    const askedAt = performance.now();
    expect(await client.stop(session.id, { graceMs: 60_000 })).toMatchObject({ state: 'stopped' });
    expect(performance.now() - askedAt).toBeLessThan(30_000);
    expect(readFileSync(file, 'utf8')).toBe('saved\n');
  },
);

test('[RUN-5] [TASK-4] so has one whose time is up, and one that the daemon ends with itself', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/../saved-${OWN}`;
  const run = { size: PTY, env, command: [program('drain'), file, '800'] };
  const timed = await client.run({ ...run, timeoutMs: 1000 });
  await seen(client, timed.id, 'ready');
  expect(await client.wait(timed.id)).toMatchObject({ endedBy: 'timeout', exitCode: 0 });
  const other = await client.run(run);
  await seen(client, other.id, 'ready');
  expect((await daemon.spool(['daemon', 'stop', '--force'])).code).toBe(0);
  const saved = readFileSync(file, 'utf8');
  rmSync(file);
  expect(saved).toBe('saved\nsaved\n');
});

test('[RUN-5] [LIFE-1] a keeper’s death in the middle of a stop does not ask twice: a second SIGTERM would end what saves', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/saved`;
  const session = await client.run({ command: [program('drain'), file, '2000'], size: PTY, env });
  await seen(client, session.id, 'ready');
  const { keeper } = await client.status();
  const stopped = client.stop(session.id, { graceMs: 30_000 });
  await until('it has been asked', () => statusField(session.info.pid, 'SigCgt').slice(-4) === '0000');
  await until('the keeper has written it down', () => recordOf(daemon, session.id).includes('"isAsked":true'));
  process.kill(keeper.pid, 'SIGKILL');
  expect(await stopped).toMatchObject({ state: 'stopped', exitCode: 0, signal: null });
  expect(readFileSync(file, 'utf8')).toBe('saved\n');
});

test('[RUN-8] a signal arrives once, at the child and at each other process of its group', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: [program('count-signals')], size: PTY, env });
  await seen(client, session.id, 'ready');
  for (let sent = 0; sent < 300; sent++) await client.signal(session.id, 'SIGINT');
  await client.signal(session.id, 'SIGTERM');
  await client.wait(session.id);
  const counts = [...(await outputOf(client, session.id)).toString().matchAll(/(\w+) handled (\d+)/g)];
  expect(counts.map(([, who]) => who).toSorted()).toEqual(['child', 'grandchild']);
  for (const [, , handled] of counts) expect(Number(handled)).toSatisfy((times: number) => times > 0 && times <= 300);
});

test('[RUN-5] a stop survives the death of the keeper that was asked', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const deaf = `trap '' TERM HUP; echo ready; while :; do sleep 0.1; done`;
  const session = await client.run({ command: ['bash', '-c', deaf], size: PTY, env });
  await seen(client, session.id, 'ready');
  const { keeper } = await client.status();
  const stopped = client.stop(session.id, { graceMs: 1500 });
  const events = client.events();
  process.kill(keeper.pid, 'SIGKILL');
  expect(await stopped).toMatchObject({ state: 'stopped', signal: 'SIGKILL' });
  expect(isAlive(session.info.pid)).toBe(false);
  events.close();
});

test('[RUN-5] a session with a time limit ends at it, by the same road', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['sleep', '1000'], size: null, env, timeoutMs: 300 });
  expect(await client.wait(session.id)).toMatchObject({ state: 'stopped', endedBy: 'timeout', signal: 'SIGTERM' });
});

/** The reason why control groups are not available, as a sentence. */
const CONTROL_GROUPS_MISSING = existsSync(`${cgroupMount()}/cgroup.procs`)
  ? null
  : 'It runs where cgroup v2 is mounted.';

testNeeding(NOT_ROOT, CONTROL_GROUPS_MISSING)(
  '[RUN-41] not even one that has shed its parent, its session and its environment is left',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const escape = `(setsid env -i bash -c 'trap "" HUP TERM; exec sleep 7779.${OWN}' </dev/null >/dev/null 2>&1 &); echo started; sleep 7775.${OWN}`;
    const session = await client.run({ command: ['bash', '-c', escape], size: PTY, env });
    await seen(client, session.id, 'started');
    await until('it has escaped', () => sleepers().length >= 2);
    await client.stop(session.id, { graceMs: 300 });
    expect(sleepers()).toEqual([]);
  },
);

testNeeding(NOT_ROOT, CONTROL_GROUPS_MISSING)(
  '[RUN-41] groups that a killed holder has left are cleared away by the next daemon',
  async () => {
    const dead = `${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]}-${spawnSync('true').pid}-12345`;
    const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))![1]!; // also the daemon's group
    const left = `${cgroupMount()}${own === '/' ? '' : own}/spool-${dead}`;
    mkdirSync(`${left}/abcdefgh12`, { recursive: true });
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    await client.run({ command: ['sleep', '100'], size: PTY, env });
    expect(existsSync(left)).toBe(false);
  },
);

function recordOf(daemon: TestDaemon, id: string): string {
  return readFileSync(`${daemon.home}/sessions/${id}/session.json`, 'utf8');
}

function cgroupMount(): string {
  return (
    readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[2] === 'cgroup2')
      ?.split(' ')[1] ?? '/none'
  );
}

/** Returns the `sleep 777x` of the tree, wherever they are. */
function sleepers(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      } catch {
        return ''; // gone meanwhile
      }
    })
    .filter((command) => new RegExp(`^(sleep|deaf-daemon) 777\\d\\.${OWN} `).test(command));
}
