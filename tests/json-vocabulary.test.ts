/**
 * Tests that JSON has one vocabulary: a reader of one verb's output can read that of any other, and the structured results of the
 * MCP tools. Each verb is really run, and each object that it prints is compared with the rules below.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SPOOL, TestDaemon, until } from '@spool/testkit';
import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERBS } from '../packages/cli/src/command-line/verb-table.ts';
import { McpAgent } from './support/mcp-agent.ts';

const SCRIPTED_AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const LIFE: ReadonlySet<unknown> = new Set(['running', 'exited', 'failed', 'stopped', 'killed', 'lost']);
const TASK_LIFE: ReadonlySet<unknown> = new Set(['running', 'success', 'error', 'timeout', 'cancelled']);
const DOING: ReadonlySet<unknown> = new Set(['starting', 'working', 'blocked', 'idle', 'exited']);
/** Words for a session that would be a second vocabulary. */
const FOREIGN: readonly string[] = ['sessionId', 'sessionName', 'session_id', 'sid', 'uuid'];
/**
 * Fields with other words: reports of a program are passed on in the program's words; a driver's life is that of a process, and
 * the outcome of an agent's command is an event, which has the vocabulary of agents, and so has a request.
 */
const VERBATIM: ReadonlySet<string> = new Set([
  ...['fact', 'env', 'labels', 'modes', 'content', 'driver', 'outcome'],
  ...['requests', 'input'],
]);

type Json = Readonly<Record<string, unknown>>;

/** Returns every offence in a value, with its path. */
function offences(value: unknown, path = '$'): string[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => offences(each, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Json;
  return [
    ...FOREIGN.filter((key) => key in object).map((key) => `${path}.${key}: say id and name`),
    ...idOffences(object, path),
    ...stateOffences(object, path),
    ...timeOffences(object, path),
    ...Object.entries(object).flatMap(([key, each]) => (VERBATIM.has(key) ? [] : offences(each, `${path}.${key}`))),
  ];
}

function idOffences({ id, name, taskId, session }: Json, path: string): string[] {
  const isNamed = typeof id === 'string' && id !== '' && typeof name === 'string' && name !== '';
  return [
    ...(id !== undefined && !isNamed ? [`${path}: has id ${String(id)} and name ${String(name)}`] : []),
    ...(taskId !== undefined && taskId !== id ? [`${path}.taskId: is not its id`] : []),
    ...(session !== undefined && typeof session !== 'object' ? [`${path}.session: is no session, but a text`] : []),
  ];
}

function stateOffences(object: Json, path: string): string[] {
  const { id, state, status, taskId, finishedAt } = object;
  const isTask = taskId !== undefined || finishedAt !== undefined;
  const known = id === undefined ? DOING : isTask ? TASK_LIFE : LIFE;
  return [
    ...(state !== undefined && !known.has(state) && !isMcp(object) ? [`${path}.state: ${String(state)}`] : []),
    ...(status !== undefined && !DOING.has((status as Json | null)?.['state']) ? [`${path}.status: has no state`] : []),
  ];
}

/**
 * Returns whether an object is a tool's answer about several sessions: it has no id, but the state of the session that it
 * examined.
 */
const isMcp = ({ reason, state }: Json): boolean => reason === 'timeout' && LIFE.has(state);

/** Checks that times are milliseconds since 1970, and that durations have a unit. */
function timeOffences(object: Json, path: string): string[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const isTime = key === 'at' || key === 'since' || /[a-z]At$/.test(key);
    if (isTime && value !== null && !(typeof value === 'number' && (value === 0 || value > 1e12)))
      return [`${path}.${key}: ${String(value)} is no time in milliseconds`];
    return key === 'duration' ? [`${path}.${key}: has no unit`] : [];
  });
}

const lines = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);

/** The verbs whose JSON does not describe a session; `queue` lists prompts. */
const WITHOUT_SESSION: readonly string[] = [
  'queue',
  'web',
  'token',
  'share',
  'audit',
  'daemon',
  'doctor',
  'service',
  'install',
  'uninstall',
  'node',
  'completions',
  'version',
  'skill',
  'config',
  'policy',
  'context',
  'notify',
  'shell-integration',
];
/**
 * Verbs that print no JSON of the daemon: `mcp` speaks its protocol (see below), `replay` draws, `driver` prints an agent's
 * events. The scripted agent asks no question that `answer` could answer; its result has the shape of `approve`.
 */
const WITHOUT_JSON: readonly string[] = ['mcp', 'replay', 'driver', 'answer'];

test('the rules find what breaks them', () => {
  expect(
    [
      { id: 'a' },
      { id: 'a', name: 'b', state: 'blocked' },
      { id: 'a', name: 'b', status: 'started' },
      { taskId: 'a' },
      { session: 'a' },
      { sessions: [{ sessionId: 'a' }] },
      { at: '2026-01-31T14:03' },
      { id: 'a', name: 'b', state: 'running', status: { state: 'idle', since: 1_800_000_000_000 } },
    ].map((value) => offences(value).length),
  ).toEqual([1, 1, 1, 1, 1, 1, 1, 0]);
});

test('[SAY-3] every verb with --json says id, name, state and status.state for the same things', async () => {
  await using daemon = new TestDaemon();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  const told = new Map<string, Json[]>();
  const say = async (...args: string[]): Promise<Json[]> => {
    const at = args.indexOf('--');
    const flagged = at === -1 ? [...args, '--json'] : [...args.slice(0, at), '--json', ...args.slice(at)];
    const { stdout, stderr } = await daemon.spool(flagged);
    const said = lines(stdout);
    expect(said.length, `spool ${flagged.join(' ')}: ${stderr}`).toBeGreaterThan(0);
    told.set(args[0]!, [...(told.get(args[0]!) ?? []), ...said]);
    return said;
  };
  const shell = ['bash', '--norc', '--noprofile', '-i'];
  await say('run', '-d', '--name', 'shell', '--env', 'PS1=$ ', '--', ...shell);
  await say('run', '-d', '--name', 'asks', '--', 'sh', '-c', 'printf "Go on? [y/N] "; read x; exec sleep 1000');
  await say('run', '--name', 'done', '--', 'sh', '-c', 'echo "added 12 packages in 3s"; exit 3');
  await say('wait', 'shell', 'asks', '--until', 'idle,blocked');
  await say('prompt', 'shell', 'echo hello');
  await say('prompt', 'shell', 'echo again', '--wait', 'idle');
  await say('send', 'shell', 'true', '--enter');
  await say('send', 'shell', 'true', '--key', 'once');
  await say('paste', 'shell', ' ');
  await say('keys', 'shell', 'C-u');
  await say('rename', 'shell', 'renamed');
  await say('update', 'renamed', '--label', 'team=a');
  for (const verb of ['ls', 'inspect', 'explain', 'summary', 'screen', 'logs']) await say(verb);
  await say('explain', '--history', 'done');
  await say('explain', '--save', 'idle', 'renamed');
  await say('doctor', 'rules');
  await say('screen', '--format', 'json', 'renamed');
  await say('attach', '-r', 'done');
  await say('export', '--text', '-o', `${folder}/out.txt`, 'done');
  await say('task', 'run', '-d', '--name', 'quick', '--', 'echo', 'hello');
  await say('task', 'wait', 'quick');
  await say('task', 'run', '--', 'sh', '-c', 'echo "added 12 packages in 3s"; exit 2');
  await say('task', 'ls');
  await say('task', 'logs', 'quick');
  await say('events');
  await say('events', 'asks', 'done');
  for (const args of [['status'], ['start']]) await say('daemon', ...args);
  for (const args of [['doctor'], ['version'], ['skill'], ['completions', 'bash']]) await say(...args);
  await say('wait', 'asks', '--timeout', '10ms');
  const program = `${execPath} ${SCRIPTED_AGENT} ${folder}/received`;
  await say('run', '--agent', 'claude', '-d', '--name', 'agent', '--program', program, '--', 'ask 3');
  await say('wait', 'agent', '--until', 'blocked');
  await say('approve', 'agent', '--request', 'request-1-0');
  await say('deny', 'agent', '--request', 'request-1-1');
  for (const verb of ['queue', 'interrupt']) await say(verb, 'agent');
  await say('kill', 'agent');
  await say('resume', 'agent');
  await say('rerun', 'done');
  await say('kill', 'agent');
  told.set('watch', await rowsOf(daemon));
  await say('kill', 'asks');
  await say('stop', 'renamed');
  await say('task', 'cancel', 'quick');
  await say('rm', 'asks', 'renamed');
  rmSync(folder, { recursive: true });

  const verbs = Object.keys(VERBS).filter((verb) => !WITHOUT_JSON.includes(verb));
  expect(verbs.filter((verb) => !told.has(verb) && !WITHOUT_SESSION.includes(verb))).toEqual([]);
  for (const [verb, values] of told) {
    expect([verb, offences(values)]).toEqual([verb, []]);
    if (!WITHOUT_SESSION.includes(verb)) expect(JSON.stringify(values), verb).toMatch(/"id":"\w+"/);
  }
  expect(told.get('wait')!.map(shapeOf)).toEqual(told.get('wait')!.map(() => shapeOf(told.get('wait')![0]!)));
}, 400_000); // some sixty verbs, one after the other

test('[SAY-3] the structured results of the MCP tools use the same words', async () => {
  await using daemon = new TestDaemon();
  await using agent = await McpAgent.of(daemon);
  const one = await agent.run('exec sleep 1000');
  const two = await agent.run('exit 3');
  const waits = [
    await agent.call('spool_wait', { sessions: [one, two] }),
    await agent.call('spool_wait', { sessions: [one], timeoutSeconds: 0.05 }),
    await agent.call('spool_wait', { sessions: [one, one], timeoutSeconds: 0.05 }),
  ].map(({ structuredContent }) => structuredContent as Json);
  const { tools } = await agent.client.listTools();
  expect(tools.filter(({ outputSchema }) => outputSchema).map(({ name }) => name)).toEqual(['spool_wait']);
  expect(offences(waits)).toEqual([]);
  expect(waits[0]).toMatchObject({
    id: two,
    name: expect.stringMatching(/^sh/),
    state: 'failed',
    status: { state: 'exited' },
    exitCode: 3,
  });
});

/** Returns the keys of an object, without the one that only a match has. */
const shapeOf = (object: Json): string[] => Object.keys(object).filter((key) => key !== 'match');

/** Returns the first rows of `watch --json`, which runs until its reader is gone. */
async function rowsOf(daemon: TestDaemon): Promise<Json[]> {
  const watch = spawn(SPOOL, ['watch', '--json'], { env: daemon.env, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  watch.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await until('there is a row', () => text.includes('\n'));
  const ended = new Promise((resolve) => watch.once('close', resolve));
  watch.kill();
  await ended;
  return lines(text.slice(0, text.lastIndexOf('\n')));
}
