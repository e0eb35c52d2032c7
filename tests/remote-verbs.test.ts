/** Every verb from afar: the same words, through a gateway, give the same output and exit codes as on the machine itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Ran, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

let daemon: TestDaemon;
let gateway: TestGateway;
/** Another machine: another home without a daemon, and the flags before the verb. */
let afar: TestDaemon;
let flags: readonly string[];
let folder: string;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  afar = new TestDaemon();
  folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  writeFileSync(`${folder}/token`, (await gateway.token('owner')).token, { mode: 0o600 });
  flags = ['--host', gateway.origin, '--token-file', `${folder}/token`];
});

afterAll(async () => {
  await afar[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const here = (...args: string[]): Promise<Ran> => daemon.spool(args);
const there = (...args: string[]): Promise<Ran> => afar.spool([...flags, ...args]);

/** Ids and times differ from run to run. */
const plain = ({ code, stdout, stderr }: Ran): unknown => ({
  code,
  stdout: stdout
    .replaceAll(/\b[a-z][a-z0-9]{9}\b/g, 'ID')
    .replaceAll(/\d+(\.\d+)?(ms|s|m)\b/g, 'TIME')
    .replaceAll(/\d{13}/g, 'AT'),
  stderr: stderr.replaceAll(/\b[a-z][a-z0-9]{9}\b/g, 'ID').replaceAll(/\d+(\.\d+)?(ms|s|m)\b/g, 'TIME'),
});

test('[REM-6] each verb does the same from afar as on the machine itself', async () => {
  for (const [name, ask] of [
    ['here', here],
    ['there', there],
  ] as const) {
    const started = await ask(
      'run',
      '-d',
      '--name',
      `cat-${name}`,
      '--',
      'sh',
      '-c',
      'stty -echo; echo ready; exec cat',
    );
    expect(started).toMatchObject({ code: 0 });
    expect(await ask('wait', `cat-${name}`, '--until', 'match:/ready/', '--timeout', '60s')).toMatchObject({ code: 0 });
  }
  const rows: readonly (readonly string[])[] = [
    ['send', 'cat-X', 'hello'],
    ['keys', 'cat-X', 'enter'],
    ['wait', 'cat-X', '--until', 'match:/hello/', '--timeout', '60s'],
    ['paste', 'cat-X', 'pasted'],
    ['keys', 'cat-X', 'enter'],
    ['wait', 'cat-X', '--until', 'match:/pasted/', '--timeout', '60s'],
    ['logs', 'cat-X'],
    ['screen', 'cat-X'],
    ['update', 'cat-X', '--label', 'a=b'],
    ['rename', 'cat-X', 'cat2-X'],
    ['stop', 'cat2-X'],
    ['send', 'cat2-X', 'too late'],
    ['logs', 'cat2-X', '--json'],
    ['export', 'cat2-X', '--text'],
    ['wait', 'cat2-X'],
    ['rm', 'cat2-X'],
    ['inspect', 'cat2-X'],
    ['run', '--', 'sh', '-c', 'echo out; exit 3'],
    ['run', '--', 'no-such-command'],
    ['run', '--env', 'FOO=bar', '--cwd', '/tmp', '--', 'sh', '-c', 'echo $FOO; pwd'],
    ['run', '--headless', '--', 'sh', '-c', 'echo err >&2'],
    ['task', 'run', '--name', 'job-X', '--', 'sh', '-c', 'echo done'],
    ['task', 'wait', 'job-X'],
    ['task', 'logs', 'job-X'],
    ['ls', '--frobnicate'],
    ['attach', 'no-such-session'],
  ];
  for (const row of rows) {
    const as = (name: string): string[] => row.map((word) => word.replace('-X', `-${name}`));
    const [one, other] = [await here(...as('here')), await there(...as('there'))];
    const same = JSON.parse(JSON.stringify(plain(other)).replaceAll('-there', '-here')) as unknown;
    expect([row, same]).toEqual([row, plain(one)]);
  }
  // No daemon was started on the machine where the commands were typed.
  expect(afar.processes()).toEqual([]);
});

test('[REM-5] a session from afar starts at home there, with nothing of the environment here', async () => {
  const spool = new TestDaemon({ home: afar.home, env: { SECRET_HERE: 'leak', LANG: 'xx_XX', HOME: '/nowhere' } });
  const { stdout, code } = await spool.spool([...flags, 'run', '--', 'sh', '-c', 'pwd; echo $HOME; env']);
  expect(code).toBe(0);
  const [cwd, home] = stdout.split('\n');
  expect([cwd, home]).toEqual([daemon.env.HOME, daemon.env.HOME]);
  expect(stdout).not.toMatch(/leak|xx_XX|nowhere/);
  expect(await there('run', '--inherit-env', '--', 'env')).toMatchObject({ code: 2 });
  const shell = await afar.spool([...flags, 'run', '--headless'], { input: 'echo from the $0; exit 4\n' });
  expect(shell).toMatchObject({ code: 4, stdout: expect.stringMatching(/from the .*sh/) as string });
});

test('[REM-6] attach from afar: keys, output, detach, and the exit code', async () => {
  await there('run', '-d', '--name', 'shared', '--', 'sh', '-c', 'echo welcome; read x; echo got $x; exit 6');
  using terminal = new Terminal([SPOOL, ...flags, 'attach', 'shared'], afar.env);
  await terminal.sees('welcome');
  terminal.type('hello\r');
  await terminal.sees('got hello');
  expect(await terminal.ended()).toMatchObject({ code: 6 });
});

test('[REM-3] a wrong token, a wrong address and a host that is away are sentences and codes', async () => {
  writeFileSync(`${folder}/wrong`, 'wrong', { mode: 0o600 });
  const cases: readonly (readonly [args: readonly string[], code: number, says: RegExp])[] = [
    [['--host', gateway.origin, '--token-file', `${folder}/wrong`, 'ls'], 4, /`spool token create`/],
    [['--host', `${gateway.origin}/elsewhere`, '--token-file', `${folder}/token`, 'ls'], 3, /no Spool gateway/],
    [['--host', 'http://127.0.0.1:1', '--token-file', `${folder}/token`, 'ls'], 125, /cannot reach the host/],
    [['--host', 'http://example.org', '--token-file', `${folder}/token`, 'ls'], 2, /unencrypted/],
    [['--host', gateway.origin, 'ls'], 2, /--token-file/],
    [[...flags, 'daemon', 'stop'], 2, /--context local daemon stop/],
    [['ls', '--host', gateway.origin], 2, /comes before the verb/],
  ];
  for (const [args, code, says] of cases) {
    const ran = await afar.spool(args);
    expect([args, ran.code, ran.stderr]).toEqual([args, code, expect.stringMatching(says)]);
  }
});

test('[REM-6] a context is saved, used and removed', async () => {
  await here('run', '-d', '--', 'true');
  const { token } = await gateway.token('viewer');
  expect(await afar.spool(['context', 'add', 'work', gateway.origin], { input: `${token}\n` })).toMatchObject({
    code: 0,
  });
  expect(await afar.spool(['context', 'use', 'work'])).toMatchObject({ code: 0 });
  expect((await afar.json<unknown[]>('ls')).length).toBeGreaterThan(0);
  expect((await afar.spool(['context', 'ls'])).stdout).not.toContain(token);
  expect(await afar.spool(['run', '-d', '--', 'true'])).toMatchObject({ code: 4 }); // a viewer
  expect(await afar.spool(['context', 'rm', 'work'])).toMatchObject({ code: 0 });
  await until('commands are local again', async () => (await afar.spool(['daemon', 'status'])).code === 1);
});
