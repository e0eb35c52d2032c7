import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { native } from '@spool/native';
import type { DaemonStatus, SessionInfo } from '@spool/protocol';
import { isAlive, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PATH = process.env.PATH!;
const HOLDER = fileURLToPath(new URL('../dist/holder.mjs', import.meta.url));

/** Returns a home with two runtime folders, and a function that runs `spool` in it with only the given environment. */
function aHome(): {
  base: string;
  daemon: TestDaemon;
  spool: (env: Record<string, string>, ...args: string[]) => Promise<ProgramResult>;
} {
  const base = mkdtempSync(`${tmpdir()}/spool-test-`);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of ['runtime', 'other-runtime']) mkdirSync(`${base}/${name}`, { mode: 0o700 });
  return {
    base,
    daemon: new TestDaemon({ home: base, env: { SPOOL_HOME: '', HOME: base } }),
    spool: (env, ...args) => runSpool({ PATH, HOME: base, ...env }, args),
  };
}

interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runSpool(env: Record<string, string>, args: readonly string[]): Promise<ProgramResult> {
  const child = spawn(SPOOL, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said })));
}

test('[LIFE-0] every environment of a user reaches the one daemon, and none can take its sessions for lost', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  const environments = {
    'a login': { XDG_RUNTIME_DIR: `${base}/runtime` },
    'cron, or an MCP client': {},
    'another runtime folder': { XDG_RUNTIME_DIR: `${base}/other-runtime` },
    'a runtime folder that is not there': { XDG_RUNTIME_DIR: `${base}/nowhere` },
    'a session of a daemon that is gone': { SPOOL_SOCKET: `${base}/nowhere/spool.sock` },
  };
  const started = await spool(environments['a login'], 'run', '-d', '--json', '--', 'cat');
  const { id } = JSON.parse(started.stdout) as SessionInfo;
  const pids = new Set<number>();
  for (const [what, env] of Object.entries(environments)) {
    const listed = await spool(env, 'ls', '--json');
    expect([what, (JSON.parse(listed.stdout) as SessionInfo[]).map(({ state }) => state)]).toEqual([what, ['running']]);
    expect([what, (await spool(env, 'rm', id)).code]).not.toEqual([what, 0]);
    pids.add((JSON.parse((await spool(env, 'daemon', 'status', '--json')).stdout) as DaemonStatus).holder.pid);
  }
  expect(pids.size).toBe(1);
  expect(existsSync(`${base}/.local/state/spool/sessions/${id}`)).toBe(true);
  expect(existsSync(`${base}/nowhere`)).toBe(false);
}, 60_000);

test('[LIFE-0] a copy of the state folder is no way to the daemon of the original', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  await spool({}, 'run', '-d', '--name', 'original', '--', 'cat');
  const copy = `${base}/copy`;
  cpSync(`${base}/.local/state/spool`, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
  chmodSync(copy, 0o700);
  await using _copied = new TestDaemon({ home: copy });
  const stopped = await spool({ SPOOL_HOME: copy }, 'stop', 'original');
  expect(stopped.code).toBe(0);
  const removed = await spool({ SPOOL_HOME: copy }, 'rm', 'original');
  expect([removed.code, removed.stderr]).toEqual([0, '']); // its state there is `lost`
  const listed = JSON.parse((await spool({}, 'ls', '--json')).stdout) as SessionInfo[];
  expect(listed.map(({ name, state }) => [name, state])).toEqual([['original', 'running']]);
}, 60_000);

test('[LIFE-0] starts at once from three environments make one daemon', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  const environments = [{}, { XDG_RUNTIME_DIR: `${base}/runtime` }, { XDG_RUNTIME_DIR: `${base}/other-runtime` }];
  const ran = await Promise.all(
    Array.from({ length: 9 }, (_each, at) => spool(environments[at % 3]!, 'run', '-d', '--', 'cat')),
  );
  expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(ran.map(() => [0, '']));
  const listed = JSON.parse((await spool({}, 'ls', '--json')).stdout) as SessionInfo[];
  expect(listed.map(({ state }) => state)).toEqual(ran.map(() => 'running'));
}, 60_000);

test('[LIFE-0] a daemon whose runtime folder is removed at logout is found by the next login', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  const login = { XDG_RUNTIME_DIR: `${base}/runtime` };
  const before = JSON.parse((await spool(login, 'daemon', 'start', '--json')).stdout) as DaemonStatus;
  expect(before.socket).toBe(`${base}/runtime/spool/spool.sock`);
  await spool(login, 'run', '-d', '--', 'cat');
  rmSync(`${base}/runtime`, { recursive: true });
  for (const env of [{}, login]) {
    const after = JSON.parse((await spool(env, 'daemon', 'status', '--json')).stdout) as DaemonStatus;
    expect(after).toMatchObject({ holder: before.holder, sessions: { running: 1 } });
  }
  mkdirSync(`${base}/runtime`, { mode: 0o700 });
  expect(JSON.parse((await spool(login, 'ls', '--json')).stdout)).toMatchObject([{ state: 'running' }]);
}, 60_000);

test('[LIFE-0] two state folders that share a runtime folder have a daemon each, and none removes the socket of the other', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  const first = { XDG_RUNTIME_DIR: `${base}/runtime`, XDG_STATE_HOME: `${base}/a` };
  const second = { ...first, XDG_STATE_HOME: `${base}/b` };
  const sockets: string[] = [];
  for (const env of [first, second]) {
    const started = JSON.parse((await spool(env, 'daemon', 'start', '--json')).stdout) as DaemonStatus;
    expect(started.home).toBe(`${env.XDG_STATE_HOME}/spool`);
    sockets.push(started.socket);
  }
  expect(sockets).toEqual([`${base}/runtime/spool/spool.sock`, `${base}/b/spool/run/spool.sock`]);
  expect((await spool(second, 'daemon', 'stop')).code).toBe(0);
  const left = JSON.parse((await spool(first, 'daemon', 'status', '--json')).stdout) as DaemonStatus;
  expect(left.home).toBe(`${base}/a/spool`);
  expect((await spool(first, 'daemon', 'stop')).code).toBe(0);
}, 60_000);

test('[LIFE-0] [LIFE-4] an address and sockets that a dead daemon left behind are replaced', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  const state = `${base}/.local/state/spool`;
  mkdirSync(`${state}/run`, { recursive: true, mode: 0o700 });
  for (const left of ['{"sock', JSON.stringify({ sockets: [`${state}/run/old.sock`], host: 'nowhere' })]) {
    writeFileSync(`${state}/daemon.address`, left);
    writeFileSync(`${state}/run/spool.sock`, '');
    const started = JSON.parse((await spool({}, 'daemon', 'start', '--json')).stdout) as DaemonStatus;
    expect(JSON.parse(readFileSync(`${state}/daemon.address`, 'utf8'))).toMatchObject({ sockets: [started.socket] });
    expect((await spool({}, 'daemon', 'stop')).code).toBe(0);
    expect([existsSync(`${state}/daemon.address`), existsSync(started.socket)]).toEqual([false, false]);
    await until('both are gone', () => !isAlive(started.holder.pid) && !isAlive(started.keeper.pid));
  }
}, 60_000);

test('[LIFE-0] a daemon of an older version, whose lock lies beside its socket, is found and not replaced', async () => {
  const { base, daemon } = aHome();
  await using _ = daemon;
  const run = `${base}/.local/state/spool/run`;
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const lock = openSync(`${run}/daemon.lock`, 'a', 0o600);
  expect(native.tryLock(lock)).toBe(true);
  const socket = native.listenUnix(`${run}/spool.sock`, 1);
  const inode = lstatSync(`${run}/spool.sock`).ino;
  const holder = spawn(process.execPath, [HOLDER, '--ready-fd', '1'], {
    env: { PATH, HOME: base },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise((resolve) => holder.stdout.once('data', (line: Buffer) => resolve(line.toString())));
  native.close(socket);
  native.close(lock);
  expect(said).toBe('busy\n');
  expect(lstatSync(`${run}/spool.sock`).ino).toBe(inode);
  const address = JSON.parse(readFileSync(`${base}/.local/state/spool/daemon.address`, 'utf8'));
  expect(address).toMatchObject({ sockets: [`${run}/spool.sock`] });
});

test('[LIFE-0] doctor tells which state folder, which sockets, and that the lock is held by the daemon that answers', async () => {
  const { base, daemon, spool } = aHome();
  await using _ = daemon;
  const login = { XDG_RUNTIME_DIR: `${base}/runtime` };
  await spool(login, 'daemon', 'start');
  const find = async (env: Record<string, string>): Promise<string> => (await spool(env, 'doctor')).stdout;
  for (const env of [login, {}]) {
    const told = await find(env);
    expect(told).toMatch(
      new RegExp(`^ok +one daemon .*${base}/.local/state/spool.*${base}/runtime/spool/spool.sock`, 'm'),
    );
  }
  // Another process has the lock now, so the daemon cannot take it back.
  const lock = `${base}/.local/state/spool/daemon.lock`;
  rmSync(lock);
  const fd = openSync(lock, 'a', 0o600);
  onTestFinished(() => native.close(fd));
  expect(native.tryLock(fd)).toBe(true);
  expect(await find({})).toMatch(/^fail +one daemon .*lock/m);
}, 60_000);
