import type { AgentServerPlan, FromKeeper, RunRequest } from '@spool/protocol';
import { expect, test } from 'vitest';
import type { KeeperSession } from '../sessions/session.ts';
import { Spawner } from './spawner.ts';

class SpawnerFixture {
  readonly sent: FromKeeper[] = [];
  holder = 1;
  planServer: (run: RunRequest) => Promise<AgentServerPlan | undefined> = () => Promise.resolve(undefined);
  readonly spawner = new Spawner({
    daemon: () => ({ home: { socket: '/run/spool.sock' } as never, sockets: ['/run/spool.sock', '/state/spool.sock'] }),
    holder: () => this.holder,
    send: (message) => this.sent.push(message),
    screensReady: () => Promise.resolve(),
    planServer: (run) => this.planServer(run),
    takeSecrets: () => ({}),
    ownPids: () => [],
  });

  /** The ids that the holder was asked to start, in order. */
  get asked(): readonly string[] {
    return this.sent.flatMap((message) => (message.type === 'spawn' ? message.run.id : []));
  }
}

const run = (id: string, rest: Partial<RunRequest> = {}): RunRequest => ({
  id,
  command: ['make'],
  cwd: '/',
  env: {},
  ...rest,
});
const session = (id: string): KeeperSession => ({ id }) as KeeperSession;

test('[RUN-1] the child gets the variables asked for, a socket that outlives the login, and nothing of the daemon', async () => {
  const { spawner, sent } = new SpawnerFixture();
  void spawner.start(run('aaaaaaaaaa', { env: { HOME: '/home/ann', SPOOL_DAEMON: 'secret' } }));
  expect(sent).toMatchObject([
    {
      run: {
        env: {
          HOME: '/home/ann',
          TERM: 'xterm-256color',
          SPOOL_SESSION: 'aaaaaaaaaa',
          SPOOL_SOCKET: '/state/spool.sock',
        },
      },
    },
  ]);
  expect(JSON.stringify(sent)).not.toContain('secret');
});

test('an error of the kernel names what the user can change', async () => {
  const { spawner } = new SpawnerFixture();
  const failures = [
    ['ENOENT', 'execve', 'COMMAND_NOT_FOUND'],
    ['EACCES', 'execve', 'COMMAND_NOT_EXECUTABLE'],
    ['ENOENT', 'chdir', 'CWD_UNUSABLE'],
    ['EMFILE', 'openpty', 'TOO_MANY_FILES'],
    ['EAGAIN', 'vfork', 'SPAWN_FAILED'],
  ] as const;
  for (const [code, syscall, error] of failures) {
    const started = spawner.start(run('aaaaaaaaaa'));
    spawner.failed('aaaaaaaaaa', code, syscall);
    await expect(started).rejects.toMatchObject({ code: error });
  }
  expect(spawner.count).toBe(0);
});

test('a name is taken while its session is being started, except for the same request again', () => {
  const { spawner } = new SpawnerFixture();
  const started = spawner.start(run('aaaaaaaaaa', { name: 'build' }));
  expect([spawner.isNameTaken('build', 'bbbbbbbbbb'), spawner.isNameTaken('build', 'aaaaaaaaaa')]).toEqual([
    true,
    false,
  ]);
  expect(spawner.underWay(run('aaaaaaaaaa', { name: 'build' }))).toBe(started);
  expect(() => spawner.underWay(run('aaaaaaaaaa', { command: ['other'] }))).toThrow(/the id belongs to a session/);
  spawner.started(session('aaaaaaaaaa'));
  expect(spawner.isNameTaken('build', 'bbbbbbbbbb')).toBe(false);
});

test('[LIFE-3] while the holder is being replaced, new children wait for the next one', async () => {
  const desk = new SpawnerFixture();
  void desk.spawner.start(run('aaaaaaaaaa'));
  const renewed = desk.spawner.pausedWhile(async () => {
    void desk.spawner.start(run('bbbbbbbbbb'));
    expect(desk.asked).toEqual(['aaaaaaaaaa']);
    desk.holder = 2;
  });
  desk.spawner.started(session('aaaaaaaaaa'));
  await renewed;
  expect(desk.asked).toEqual(['aaaaaaaaaa', 'bbbbbbbbbb']);
});

test('[LIFE-1] what a holder took with it unanswered is asked of the next one, and only that', async () => {
  const desk = new SpawnerFixture();
  void desk.spawner.start(run('aaaaaaaaaa'));
  void desk.spawner.start(run('bbbbbbbbbb'));
  desk.spawner.started(session('bbbbbbbbbb'));
  await desk.spawner.askAgain(); // the same holder: it will still answer
  expect(desk.asked).toHaveLength(2);
  desk.holder = 2;
  await desk.spawner.askAgain();
  expect(desk.asked).toEqual(['aaaaaaaaaa', 'bbbbbbbbbb', 'aaaaaaaaaa']);
});
