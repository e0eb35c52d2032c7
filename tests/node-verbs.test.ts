/**
 * Tests every verb about sessions on a node that has joined: the same command gives the same output and exit code as on the node
 * itself, with `--node NODE` and with `NODE/ID`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { type RunResult, SPOOL, Terminal, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERBS } from '../packages/cli/src/command-line/verb-table.ts';
import { ABOUT_HERE, NO_HOST } from '../packages/cli/src/remote/local-verbs.ts';
import { TestGateway } from './support/gateway.ts';
import { McpAgent } from './support/mcp-agent.ts';
import { TwoMachines } from './support/nodes.ts';
import { agentRows, CAT_ROWS, plain, SESSION_ROWS } from './support/verb-rows.ts';

const SCRIPTED = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const BUSY_MS = 60_000;

let machines: TwoMachines;
let folder: string;
/** Verbs that were used for the node: the last test requires each of them. */
const used = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  machines = await TwoMachines.start('owner', '--role', 'owner');
});

afterAll(async () => {
  await machines[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

type RunPlace = 'here' | 'flag' | 'slash';

/** Runs `spool` on the node itself, or from the other machine in one of the two spellings. */
function spool(place: RunPlace, words: readonly string[]): Promise<RunResult> {
  const own = words.map((word) => word.replace('-X', `-${place}`));
  if (place === 'here') return machines.node.spool(own);
  used.add(words[0]!);
  return machines.primary.spool(place === 'slash' && namesSession(words) ? withNode(own) : withFlag(own));
}

function withFlag(words: readonly string[]): readonly string[] {
  const [verb, ...rest] = words;
  return [verb!, '--node', 'build1', ...rest];
}

function withNode(words: readonly string[]): readonly string[] {
  const at = sessionAt(words);
  return words.map((word, index) => (index === at ? `build1/${word}` : word));
}

/** Returns the place of the word that names a session: the first after the verb, or after `task wait`. */
function sessionAt([verb]: readonly string[]): number {
  return verb === 'task' ? 2 : 1;
}

/** Returns whether the row names a session where its verb takes an ID, by the table of verbs. */
function namesSession(words: readonly string[]): boolean {
  const { operands } = VERBS[words[0] as keyof typeof VERBS];
  const word = words[sessionAt(words)];
  return word !== undefined && !word.startsWith('-') && /^\[?ID\b/.test(operands[sessionAt(words) - 1] ?? '');
}

async function sameOnNode(rows: readonly (readonly string[])[]): Promise<void> {
  for (const row of rows) {
    const [here, flag, slash] = await Promise.all(
      (['here', 'flag', 'slash'] as const).map((place) => spool(place, row)),
    );
    const as = (place: RunPlace, ran: RunResult): unknown =>
      JSON.parse(JSON.stringify(plain(ran)).replaceAll(`-${place}`, '-here')) as unknown;
    expect([row, as('flag', flag!)]).toEqual([row, plain(here!)]);
    expect([row, as('slash', slash!)]).toEqual([row, plain(here!)]);
  }
}

test('[NODE-6] each verb does the same on a node as on that machine itself, in both spellings', async () => {
  await sameOnNode(CAT_ROWS);
  await sameOnNode(SESSION_ROWS);
}, 300_000);

test('[NODE-6] agents on a node: start, approve, deny, answer, queue, interrupt, resume, and their events', async () => {
  await sameOnNode(agentRows(`${execPath} ${SCRIPTED} ${folder}/received-X`));
  const resumed = await spool('slash', ['resume', 'agent-X', '-d', '--name', 'resumed-X', '--json', '--', 'say again']);
  expect([resumed.code, resumed.stderr]).toEqual([0, '']);
  expect(await spool('flag', ['stop', 'resumed-slash'])).toMatchObject({ code: 0 });
}, 300_000);

test('[NODE-6] tokens, links, reruns, summaries and the audit log of a node', async () => {
  await spool('flag', ['run', '-d', '--name', 'played', '--', 'sh', '-c', 'echo to be played; exit 0']);
  await spool('slash', ['wait', 'played']);
  expect(JSON.parse((await spool('slash', ['rerun', 'played', '--json'])).stdout)).toMatchObject({ name: 'played' });
  using replayed = new Terminal([SPOOL, 'replay', '--speed', '1000', 'build1/played'], machines.primary.env, {
    cols: 80,
    rows: 24,
  });
  await replayed.sees('to be played');
  replayed.type('q');
  await replayed.ended();
  expect((await spool('slash', ['share', 'played'])).stdout).toContain('#code=');
  expect(await spool('flag', ['token', 'ls'])).toMatchObject({ code: 0 });
  expect(await spool('flag', ['audit', 'verify'])).toMatchObject({ code: 0 });
});

test('[NODE-40] a name alone is enough if one machine has it; a session of this machine counts first', async () => {
  const { primary, node } = machines;
  const { id } = await node.json<{ id: string }>('run', '-d', '--name', 'lonely', '--', 'cat');
  expect((await primary.json<{ id: string }>('inspect', 'lonely')).id).toBe(id);
  expect((await primary.json<{ id: string }>('inspect', id.slice(0, 6))).id).toBe(id);
  expect(await primary.spool(['send', 'lonely', 'by name'])).toMatchObject({ code: 0 });
  const own = await primary.json<{ id: string }>('run', '-d', '--name', 'lonely', '--', 'cat');
  expect((await primary.json<{ id: string }>('inspect', 'lonely')).id).toBe(own.id);
  const stopped = await primary.spool(['stop', 'lonely', 'build1/lonely', '--json']);
  const ids = stopped.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect([stopped.code, ids]).toEqual([0, [own.id, id]]);
  expect(await primary.spool(['inspect', 'no-such-session'])).toMatchObject({ code: 3 });
});

test('[NODE-41] one stream has the events of all machines, each with its node', async () => {
  const { primary, node } = machines;
  const client = await primary.client();
  const over = new AbortController();
  const told: string[] = [];
  const following = (async () => {
    for await (const event of client.nodes.events({ signal: over.signal }))
      if (event.type === 'session-started') told.push(`${event.node ?? ''}/${event.session.name}`);
      else if (event.type === 'node-away' || event.type === 'node-online') told.push(`${event.type} ${event.node}`);
  })();
  await until(
    'the stream of the node is open',
    async () => {
      await node.spool(['run', '-d', '--name', 'event-first', '--', 'true']);
      return told.includes('build1/event-first');
    },
    BUSY_MS,
  );
  await primary.spool(['run', '-d', '--name', 'event-here', '--', 'true']);
  await node.spool(['run', '-d', '--name', 'event-there', '--', 'true']);
  const past = async (): Promise<readonly { type: string; name: string; node?: string }[]> =>
    (await primary.spool(['events', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; name: string; node?: string });
  const ends = (name: string, at: string | undefined) => async (): Promise<boolean> =>
    (await past()).some((event) => event.type === 'session-exited' && event.name === name && event.node === at);
  await until('the end here is listed', ends('event-here', undefined), BUSY_MS);
  await until('the end there is listed', ends('event-there', 'build1'), BUSY_MS);
  const all = ['/event-here', 'build1/event-there'];
  await until('both are in the stream', () => all.every((each) => told.includes(each)), BUSY_MS);
  const lonely = await node.json<{ id: string }>('run', '-d', '--name', 'stays', '--', 'cat');
  await until(
    'it is known',
    async () => (await client.nodes.sessions({ name: 'stays' })).some(({ id }) => id === lonely.id),
    BUSY_MS,
  );
  await node.spool(['web', 'stop']);
  await until('the node is away', () => told.includes('node-away build1'), BUSY_MS);
  expect(await client.nodes.list()).toMatchObject([{ name: 'build1', state: 'away', version: '0.1.0' }]);
  const [away] = await client.nodes.sessions({ name: 'stays' });
  expect(away).toMatchObject({ id: lonely.id, node: 'build1', nodeAwaySince: expect.any(Number) as number });
  await TestGateway.start(node);
  await until('the node is back', () => told.includes('node-online build1'), BUSY_MS);
  await using there = client.node('build1');
  expect((await there.get('stays')).id).toBe(lonely.id);
  await until(
    'its events come again',
    async () => {
      await there.run({ command: ['true'], name: 'event-again' });
      return told.includes('build1/event-again');
    },
    BUSY_MS,
  );
  over.abort();
  await following;
}, 180_000);

test('[NODE-42] completions offer the sessions of all machines, and the nodes, without asking a node', async () => {
  const { primary, node } = machines;
  await node.spool(['run', '-d', '--name', 'offered', '--', 'cat']);
  const names = async (): Promise<string> =>
    (await primary.spool(['ls', '--seen', '--running', '--format', '{{.name}}'])).stdout;
  await until('it is offered', async () => (await names()).includes('build1/offered\n'), BUSY_MS);
  expect((await primary.spool(['node', 'ls', '--quiet'])).stdout).toBe('build1\n');
  await node.spool(['stop', 'offered']);
});

test('[MCP-15] tools take a node, and the list has the nodes and their sessions', async () => {
  used.add('mcp');
  await using agent = await McpAgent.of(machines.primary);
  const { tools } = await agent.client.listTools();
  expect(tools.every(({ inputSchema }) => 'node' in (inputSchema.properties ?? {}))).toBe(true);
  const id = await agent.run('echo $((40 + 2)); exec cat', { node: 'build1' });
  expect(await agent.text('spool_wait', { sessions: [`build1/${id}`], until: ['match:/42/'] })).toContain('42');
  expect(await agent.text('spool_read', { session: id, node: 'build1' })).toContain('42');
  const listed = async (): Promise<CallToolResult> => await agent.call('spool_list');
  await until(
    'it is listed',
    async () => JSON.stringify((await listed()).structuredContent).includes(`"id":"${id}"`),
    BUSY_MS,
  );
  expect((await listed()).structuredContent).toMatchObject({
    nodes: [{ name: 'build1', state: 'online', version: '0.1.0' }],
    sessions: expect.arrayContaining([expect.objectContaining({ id, node: 'build1' })]) as unknown[],
  });
  expect((await agent.call('spool_stop', { session: `build1/${id}` })).structuredContent).toMatchObject({
    node: 'build1',
  });
  expect((await agent.call('spool_list', { node: 'nowhere' })).isError).toBe(true);
});

test('[NODE-46] a session of a node that fails notifies the user of this machine, once', async () => {
  const { primary, node } = machines;
  const file = `${folder}/notified`;
  await primary.spool([
    'config',
    'set',
    'notify.command',
    JSON.stringify(['sh', '-c', `cat >> ${file}; echo >> ${file}`]),
  ]);
  const lines = (): readonly string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const { id } = await node.json<{ id: string }>('run', '-d', '--name', 'breaks', '--', 'sh', '-c', 'exit 3');
  await until('it is notified', () => lines().some((line) => line.includes(id)), BUSY_MS);
  await node.json('run', '-d', '--name', 'breaks2', '--', 'sh', '-c', 'exit 4');
  await until('the next one too', () => lines().some((line) => line.includes('breaks2')), BUSY_MS);
  expect(
    lines()
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([expect.objectContaining({ id: `build1/${id}`, name: 'build1/breaks', about: 'failure' })]);
});

test('[NODE-47] watch shows the sessions of all machines, and attaches to one of a node', async () => {
  const { primary, node } = machines;
  await node.spool(['run', '-d', '--name', 'watched', '--', 'sh', '-c', 'echo over there; exec cat']);
  using watched = new Terminal([SPOOL, 'watch'], primary.env, { cols: 100, rows: 30 });
  await watched.sees('build1/watched');
  watched.type('/watched\r');
  watched.type('\r');
  await watched.sees('over there');
  watched.type('typed in watch\r');
  await until(
    'the keys have arrived',
    async () => (await node.spool(['logs', 'watched'])).stdout.includes('typed in watch'),
    BUSY_MS,
  );
  await node.spool(['stop', 'watched']);
});

test('[NODE-6] no verb is forgotten: each was used on the node, or says why not', () => {
  const others = [...Object.keys(ABOUT_HERE), ...NO_HOST];
  expect(Object.keys(VERBS).filter((verb) => !used.has(verb) && !others.includes(verb))).toEqual([]);
});
