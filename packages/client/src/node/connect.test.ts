import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectTo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SpoolError } from '@spool/protocol';
import { NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { expect, onTestFinished, test } from 'vitest';
import { type Client, connect, type ConnectOptions } from './index.ts';

const FAKE_DAEMON = fileURLToPath(new URL('../../test/fake-daemon.mjs', import.meta.url));

interface StartRecord {
  readonly pid: number;
  readonly way: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly isLeader: boolean;
}

/** Creates a folder for one daemon; all processes started in it end with the test. */
function setUp(): {
  home: string;
  run: string;
  starts: () => StartRecord[];
  dial: (options?: ConnectOptions & { fake?: string }) => Promise<Client>;
} {
  const home = mkdtempSync(`${tmpdir()}/spool-client-`);
  const clients: Client[] = [];
  const starts = (): StartRecord[] =>
    [`${home}/starts`, `${home}/spool/starts`]
      .filter((path) => existsSync(path))
      .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line) as StartRecord);
  onTestFinished(() => {
    for (const client of clients) client.close();
    for (const { pid } of starts()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // ESRCH: it has ended already
      }
    }
    rmSync(home, { recursive: true, force: true });
  });
  return {
    home,
    run: `${home}/run`,
    starts,
    async dial({ fake, ...options } = {}) {
      const env = {
        HOME: '/nowhere',
        PATH: process.env['PATH'],
        SPOOL_HOME: home,
        ...(fake && { SPOOL_FAKE: fake }),
        ...options.env,
      };
      const client = await connect({ daemonEntry: FAKE_DAEMON, ...options, env });
      clients.push(client);
      return client;
    },
  };
}

async function pidOf(client: Client): Promise<number> {
  return (await client.status()).keeper.pid;
}

test('the first client starts the daemon, the second finds it', async () => {
  const { dial, starts } = setUp();
  const pids = [await pidOf(await dial()), await pidOf(await dial())];
  expect(starts().map(({ pid }) => pid)).toEqual([pids[0]]);
  expect(pids[1]).toBe(pids[0]);
});

test('the daemon stands apart: its own session, at the root, with little of our environment', async () => {
  const { dial, starts, home } = setUp();
  await dial({
    env: {
      HOME: '/nowhere',
      USER: 'ada',
      LOGNAME: 'ada',
      LANG: 'C',
      TMPDIR: '/tmp',
      XDG_STATE_HOME: '/s',
      XDG_RUNTIME_DIR: '/r',
      XDG_CONFIG_HOME: '/c',
      SPOOL_LOG: 'debug',
      SPOOL_SESSION: 'outer',
      SPOOL_SOCKET: '/outer',
      SPOOL_UNSET: undefined,
      NODE_OPTIONS: '--no-warnings',
      GITHUB_TOKEN: 'secret',
      SSH_AUTH_SOCK: '/a',
      TERM: 'xterm',
      LD_PRELOAD: '',
      npm_config_x: 'y',
    },
  });
  const [started] = starts();
  expect(started).toMatchObject({ way: '--ready-fd', cwd: '/', isLeader: true });
  expect(started!.env).toEqual({
    HOME: '/nowhere',
    USER: 'ada',
    LOGNAME: 'ada',
    LANG: 'C',
    TMPDIR: '/tmp',
    XDG_STATE_HOME: '/s',
    XDG_RUNTIME_DIR: '/r',
    XDG_CONFIG_HOME: '/c',
    PATH: process.env['PATH'],
    SPOOL_HOME: home,
    SPOOL_LOG: 'debug',
    SPOOL_DAEMON: '1',
  });
});

/** Listens, accepts no connection and computes: the first connections wait, and the next one is refused with EAGAIN. */
const BUSY_LISTENER = `
require('node:net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
  require('node:fs').writeSync(1, 'listening');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

test('a daemon that is too busy to answer, and then dies, is replaced', async () => {
  const { dial, starts, run } = setUp();
  mkdirSync(run, { mode: 0o700 });
  const socket = `${run}/spool.sock`;
  const old = spawn(process.execPath, ['-e', BUSY_LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void old.kill('SIGKILL'));
  await new Promise((resolve) => old.stdout.once('data', resolve));
  const waiting: Socket[] = [];
  onTestFinished(() => waiting.forEach((each) => each.destroy()));
  for (let code: unknown; code !== 'EAGAIN';) {
    const one = connectTo(socket);
    waiting.push(one);
    code = await new Promise((resolve) => {
      one.once('connect', resolve);
      one.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
  }
  const dialled = dial();
  await new Promise((resolve) => setTimeout(resolve, 50)); // so that it usually finds the busy one
  old.kill('SIGKILL');
  expect(await pidOf(await dialled)).toBe(starts()[0]!.pid);
});

test('fifty clients at once find one daemon, and do not start fifty processes for it', async () => {
  const { dial, starts, home } = setUp();
  const clients = await Promise.all(Array.from({ length: 50 }, () => dial()));
  const pids = new Set(await Promise.all(clients.map(pidOf)));
  expect(pids.size).toBe(1);
  expect(starts().length).toBeLessThan(10); // usually one; a busy machine may time out
  expect(existsSync(`${home}/starting`)).toBe(false);
});

test('a second start that loses the race is no failure', async () => {
  const { dial, starts, home } = setUp();
  // The daemon is being started by a client that left no claim: both start one, and one of these reports `busy`.
  const slow = dial({ fake: 'slow' });
  while (starts().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  rmSync(`${home}/starting`);
  const clients = await Promise.all([slow, dial()]);
  expect(new Set(await Promise.all(clients.map(pidOf))).size).toBe(1);
  expect(starts().length).toBe(2);
});

test('a daemon whose socket comes a little after its word is waited for', async () => {
  const { dial } = setUp();
  expect(await pidOf(await dial({ fake: 'late' }))).toBeGreaterThan(0);
});

test('a claim that was left by a client that died holds nobody up', async () => {
  const tookMs: number[] = [];
  // One that waited for the claim to grow old would never be this quick; on a busy machine one of many is.
  for (let round = 0; round < 20 && !tookMs.some((ms) => ms < 1400); round++) {
    const { dial, home, starts } = setUp();
    writeFileSync(`${home}/starting`, '');
    utimesSync(`${home}/starting`, 1, 1);
    const before = performance.now();
    await dial();
    tookMs.push(performance.now() - before);
    expect([starts().length, existsSync(`${home}/starting`)]).toEqual([1, false]);
  }
  expect(Math.min(...tookMs)).toBeLessThan(1400);
});

test('a claim whose owner does not get on is waited for only a little', async () => {
  const { dial, home, starts } = setUp();
  writeFileSync(`${home}/starting`, '');
  const before = performance.now();
  await dial();
  expect(performance.now() - before).toBeGreaterThan(1400);
  expect([starts().length, existsSync(`${home}/starting`)]).toEqual([1, true]); // we must not remove it
});

test('a socket that nobody listens on any more is no obstacle', async () => {
  const { dial, run, starts } = setUp();
  await dial();
  process.kill(starts()[0]!.pid, 'SIGKILL');
  rmSync(`${run}/taken`, { recursive: true });
  expect(lstatSync(`${run}/spool.sock`).isSocket()).toBe(true);
  const client = await dial();
  expect(await pidOf(client)).toBe(starts()[1]!.pid);
});

test('a client whose daemon was killed goes on with the next one', async () => {
  const { dial, run, starts } = setUp();
  const client = await dial();
  const first = await pidOf(client);
  rmSync(`${run}/taken`, { recursive: true });
  process.kill(first, 'SIGKILL');
  expect(await pidOf(client)).toBe(starts()[1]!.pid);
});

test('a client that may not start a daemon says that there is none, and leaves nothing behind', async () => {
  const { dial, home, starts } = setUp();
  await expect(dial({ start: false })).rejects.toMatchObject({
    code: 'DAEMON_UNREACHABLE',
    details: { socket: `${home}/run/spool.sock` },
  });
  expect([starts(), existsSync(`${home}/run`)]).toEqual([[], false]);
  await dial();
  await dial({ start: false });
});

test('[LIFE-0] a client that knows only the state folder finds the daemon by the address there', async () => {
  const { dial, home, run, starts } = setUp();
  const elsewhere = `${home}/r`;
  mkdirSync(elsewhere, { mode: 0o700 });
  const env = { SPOOL_HOME: '', HOME: home, XDG_STATE_HOME: home };
  const first = await dial({ env: { ...env, XDG_RUNTIME_DIR: elsewhere } });
  const write = (address: unknown): void => writeFileSync(`${home}/spool/daemon.address`, JSON.stringify(address));
  write({ sockets: [`${run}/gone.sock`, `${elsewhere}/spool/spool.sock`], host: 'here' });
  const second = await dial({ env, start: false });
  expect(await pidOf(second)).toBe(await pidOf(first));
  write({ sockets: ['relative'], host: 'here' });
  await expect(dial({ env, start: false })).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  expect(starts().length).toBe(1);
});

test('[LIFE-0] the daemon of another state folder is not ours, though it listens in our runtime folder', async () => {
  const { dial, home } = setUp();
  mkdirSync(`${home}/r`, { mode: 0o700 });
  const env = { SPOOL_HOME: '', HOME: home, XDG_STATE_HOME: home, XDG_RUNTIME_DIR: `${home}/r` };
  await dial({ env });
  await dial({ env, start: false }); // an older version, which did not record its owner
  writeFileSync(`${home}/r/spool/daemon.lock`, `${home}/other\n`);
  await expect(dial({ env, start: false })).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
});

test('a daemon on another host is named', async () => {
  const { dial, home } = setUp();
  writeFileSync(`${home}/daemon.address`, JSON.stringify({ sockets: [`${home}/run/x.sock`], host: 'elsewhere' }));
  await expect(dial({ start: false })).rejects.toMatchObject({ details: { host: 'elsewhere' } });
});

test('a daemon that cannot start says why in its own words', async () => {
  const { dial, home } = setUp();
  await expect(dial({ fake: 'refused' })).rejects.toMatchObject({
    code: 'FOLDER_REFUSED',
    details: { folder: home, reason: 'it is on the moon' },
  });
});

test.each([
  ['falls', 'falls', { exitCode: 1 }],
  ['is killed', 'killed', { signal: 'SIGKILL' }],
  ['talks nonsense', 'nonsense', { reason: 'it said: hello?' }],
])('a daemon that %s is told with all that is known, and where its log is', async (_what, fake, details) => {
  const { dial, home } = setUp();
  const log = `${home}/daemon.log`;
  await expect(dial({ fake })).rejects.toMatchObject({ code: 'DAEMON_START_FAILED', details: { ...details, log } });
  if (fake === 'falls') expect(readFileSync(log, 'utf8')).toContain('the addon is missing');
  expect(statSync(log).mode & 0o777).toBe(0o600);
});

test('a program that is not there is told, too', async () => {
  const { dial } = setUp();
  await expect(dial({ daemonEntry: '/nowhere/holder.mjs' })).rejects.toMatchObject({
    code: 'DAEMON_START_FAILED',
    details: { exitCode: 1 },
  });
});

test('[DOOR-8] a folder that is a symbolic link is refused', async () => {
  const { dial, home, run, starts } = setUp();
  mkdirSync(`${home}/elsewhere`, { mode: 0o700 });
  symlinkSync(`${home}/elsewhere`, run);
  await expect(dial()).rejects.toMatchObject({
    code: 'FOLDER_REFUSED',
    details: { folder: run, reason: 'it is a symbolic link' },
  });
  expect(starts()).toEqual([]);
});

test('[DOOR-8] a link that leads nowhere is refused, not followed into being', async () => {
  const { dial, home, run } = setUp();
  symlinkSync(`${home}/nowhere`, run);
  await expect(dial()).rejects.toMatchObject({ code: 'FOLDER_REFUSED' });
  expect(existsSync(`${home}/nowhere`)).toBe(false);
});

test('[DOOR-8] a file in the place of the folder is refused', async () => {
  const { dial, run } = setUp();
  writeFileSync(run, '');
  await expect(dial()).rejects.toMatchObject({ code: 'FOLDER_REFUSED', details: { reason: 'it is not a folder' } });
});

test.each(['755', '770', '701', '720', '777'])(
  '[DOOR-8] a folder of mode %s is refused, with what to do',
  async (mode) => {
    const { dial, run, starts } = setUp();
    mkdirSync(run);
    chmodSync(run, Number.parseInt(mode, 8));
    const refused = await dial().catch((error: unknown) => error);
    expect(SpoolError.is(refused, 'FOLDER_REFUSED') && refused.message).toContain(`(mode ${mode}); run \`chmod 700\``);
    expect(starts()).toEqual([]);
  },
);

testNeeding(NOT_ROOT)('[DOOR-8] a folder of somebody else is refused, also when a daemon answers in it', async () => {
  const { dial, run } = setUp();
  await dial();
  chownSync(run, 65_534, 65_534);
  await expect(dial()).rejects.toMatchObject({
    code: 'FOLDER_REFUSED',
    details: { reason: 'it belongs to user 65534, not to you' },
  });
});

test('[DOOR-8] the folders that a client makes are private', async () => {
  const { home } = setUp();
  const deep = `${home}/a/b`;
  const client = await connect({
    daemonEntry: FAKE_DAEMON,
    env: { SPOOL_HOME: deep, SPOOL_FAKE: 'falls', PATH: process.env['PATH'] },
  }).catch((error: unknown) => error);
  expect(SpoolError.is(client, 'DAEMON_START_FAILED')).toBe(true);
  for (const folder of [`${home}/a`, deep, `${deep}/run`])
    expect([folder, statSync(folder).mode & 0o777]).toEqual([folder, 0o700]);
});

test('an id has ten characters, begins with a letter, and is another each time', async () => {
  const { dial } = setUp();
  const client = await dial();
  const ids = new Set<string>();
  for (let at = 0; at < 200; at++) {
    const { info } = await client.run({ command: ['sh'] });
    const asked = (
      info as unknown as { asked: { id: string; cwd: string; env: object; umask: number; nofileSoft: number } }
    ).asked;
    expect(asked).toMatchObject({ id: expect.stringMatching(/^[a-z][a-z0-9]{9}$/), cwd: process.cwd() });
    expect(Object.keys(asked.env)).not.toContain('SPOOL_HOME');
    ids.add(asked.id);
  }
  expect(ids.size).toBe(200);
});

test('where no folder can be made, that is told, and not tried for ever', async () => {
  const failure = await connect({ env: { PATH: process.env.PATH, HOME: '/proc' } }).then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 'FOLDER_REFUSED',
    details: { reason: expect.stringContaining('cannot be made') },
  });
});
