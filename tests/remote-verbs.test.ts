/**
 * Tests every verb from another machine: the same command, through a gateway, gives the same output and exit codes as on the
 * machine itself.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type RunResult, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERBS } from '../packages/cli/src/command-line/verb-table.ts';
import { ABOUT_HERE, NO_HOST } from '../packages/cli/src/remote/local-verbs.ts';
import { TestGateway } from './support/gateway.ts';
import { McpAgent } from './support/mcp-agent.ts';
import { agentRows, plain, SESSION_ROWS } from './support/verb-rows.ts';

const SCRIPTED = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const SIZE = { cols: 80, rows: 24 };

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

const here = (...args: string[]): Promise<RunResult> => daemon.spool(args);
/** Verbs that were used remotely: the last test requires each of them. */
const used = new Set<string>();
const there = (...args: string[]): Promise<RunResult> => {
  used.add(args[0]!);
  return afar.spool([...flags, ...args]);
};
const terminalThere = (...args: string[]): Terminal => {
  used.add(args[0]!);
  return new Terminal([SPOOL, ...flags, ...args], afar.env, SIZE);
};

/** Runs each row on both machines; `X` in a name becomes the place. */
async function sameFromAfar(rows: readonly (readonly string[])[]): Promise<void> {
  for (const row of rows) {
    const as = (name: string): string[] => row.map((word) => word.replace('-X', `-${name}`));
    const [one, other] = [await here(...as('here')), await there(...as('there'))];
    const same = JSON.parse(JSON.stringify(plain(other)).replaceAll('-there', '-here')) as unknown;
    expect([row, same]).toEqual([row, plain(one)]);
  }
}

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
      '--cwd',
      '/tmp',
      '--',
      'sh',
      '-c',
      'stty -echo; echo ready; exec cat',
    );
    expect(started).toMatchObject({ code: 0 });
    expect(await ask('wait', `cat-${name}`, '--until', 'match:/ready/', '--timeout', '60s')).toMatchObject({ code: 0 });
  }
  await sameFromAfar(SESSION_ROWS);
  // Its progress messages depend on the time of its checks.
  expect(await there('task', 'wait', 'job-there')).toMatchObject({ code: 0 });
  // No daemon was started on the machine where the commands were typed.
  expect(afar.processes()).toEqual([]);
}, 300_000);

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
  using terminal = terminalThere('attach', 'shared');
  await terminal.sees('welcome');
  terminal.type('hello\r');
  await terminal.sees('got hello');
  expect(await terminal.ended()).toMatchObject({ code: 6 });
});

test('[REM-6] agents from afar: start, approve, deny, answer, queue, interrupt, resume, and their events', async () => {
  const program = `${execPath} ${SCRIPTED} ${folder}/received-X`;
  await sameFromAfar(agentRows(program));
  const resumed = await there('resume', 'agent-there', '-d', '--name', 'resumed', '--json', '--', 'say again');
  expect([resumed.code, resumed.stderr]).toEqual([0, '']);
  expect(await here('wait', 'resumed', '--until', 'idle', '--timeout', '60s')).toMatchObject({ code: 0 });
  expect(await here('stop', 'resumed')).toMatchObject({ code: 0 });
});

test('[REM-6] watch, replay and the tools of an agent, from afar', async () => {
  await there('run', '-d', '--name', 'played', '--', 'sh', '-c', 'echo to be played; exit 0');
  await there('wait', 'played');
  expect(JSON.parse((await there('rerun', 'played', '--json')).stdout)).toMatchObject({ name: 'played' });
  await there('wait', 'played');
  using replayed = terminalThere('replay', '--speed', '1000', 'played');
  await replayed.sees('to be played');
  replayed.type('q');
  await replayed.ended();
  using watched = terminalThere('watch', '--all');
  await watched.sees('played');
  watched.type('q');
  expect(await watched.ended()).toMatchObject({ code: 0 });
  used.add('mcp');
  await using agent = await McpAgent.of(afar, 'legacy', flags);
  const id = await agent.run('echo $((40 + 2)) by $HOME');
  expect(await agent.text('spool_wait', { sessions: [id] })).toMatch(/exit/);
  expect(await agent.text('spool_read', { session: id })).toContain(`42 by ${daemon.env.HOME}`);
});

test('[REM-6] tokens, links, the audit log and the status of the daemon there', async () => {
  const made = JSON.parse((await there('token', 'create', '--role', 'viewer', '--json')).stdout) as { id: string };
  for (const side of [here, there]) expect((await side('token', 'ls')).stdout).toContain(made.id);
  await there('run', '-d', '--name', 'for-others', '--', 'sleep', '1000');
  expect((await there('share', 'for-others')).stdout).toContain(`${gateway.origin}/#code=`);
  expect(await there('audit', 'verify')).toMatchObject({ code: 0 });
  expect(await there('token', 'revoke', made.id)).toMatchObject({ code: 0 });
  expect(JSON.parse((await there('daemon', 'status', '--json')).stdout)).toMatchObject({
    gateway: { port: gateway.port },
  });
  await there('kill', 'for-others');
});

test('[REM-3] a wrong token, a wrong address and a host that is away are sentences and codes', async () => {
  writeFileSync(`${folder}/wrong`, 'wrong', { mode: 0o600 });
  const cases: readonly (readonly [args: readonly string[], code: number, says: RegExp])[] = [
    [['--host', gateway.origin, '--token-file', `${folder}/wrong`, 'ls'], 4, /`spool token create`/],
    [['--host', `${gateway.origin}/elsewhere`, '--token-file', `${folder}/token`, 'ls'], 3, /no Spool gateway/],
    [['--host', 'http://127.0.0.1:1', '--token-file', `${folder}/token`, 'ls'], 125, /cannot reach the host/],
    [['--host', 'http://example.org', '--token-file', `${folder}/token`, 'ls'], 2, /unencrypted/],
    [['--host', gateway.origin, 'ls'], 2, /--token-file/],
    ...Object.keys(ABOUT_HERE).map((verb) => {
      const takesWords = (VERBS[verb as keyof typeof VERBS].operands as readonly string[]).length > 0;
      const words = [verb, ...(takesWords ? ['stop'] : [])];
      return [[...flags, ...words], 2, new RegExp(`this machine.*--context local ${words.join(' ')}`)] as const;
    }),
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

test('[REM-6] what needs no daemon ignores the host', async () => {
  const words: Readonly<Record<string, readonly string[]>> = {
    context: ['ls'],
    config: ['path'],
    policy: ['check'],
    completions: ['bash'],
    'shell-integration': ['bash'],
    driver: ['claude', '--replay', '/dev/null'],
  };
  for (const verb of NO_HOST) {
    const ran = await afar.spool(['--host', 'http://127.0.0.1:1', verb, ...(words[verb] ?? [])]);
    expect([verb, ran.code, ran.stderr]).toEqual([verb, 0, '']);
  }
});

test('[REM-6] no verb is forgotten: each was used from afar, or says why not, and the page about it names those', () => {
  const elsewhere = [...Object.keys(ABOUT_HERE), ...NO_HOST];
  expect(Object.keys(VERBS).filter((verb) => !used.has(verb) && !elsewhere.includes(verb))).toEqual([]);
  const page = readFileSync(new URL('../docs/remote.md', import.meta.url), 'utf8');
  expect(elsewhere.filter((verb) => !new RegExp(`\`${verb}[ \`]`).test(page))).toEqual([]);
});
