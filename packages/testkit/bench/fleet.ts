/**
 * Measures a machine with 200 nodes of 50 sessions each, over the road join: `npm run bench -- fleet`. The nodes are in this process
 * (`LightNode`), so on a busy machine the times are those of both ends; bytes, counts and ratios are not.
 */
import { mkdtempSync, rmSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@spool/client';
import { connect } from '@spool/client/node';
import { LightNode } from '@spool/gateway/light-node';
import { program, TestDaemon, until } from '@spool/testkit';
import type { Figure } from './figure.ts';

const NODES = 200;
const SESSIONS = 50;
const LISTS = 15;
const IDLE_MS = 20_000;
const FLAPS = 20;
const KEYS = 200;
const WITHIN_MS = 120_000;
const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

interface Fleet extends AsyncDisposable {
  readonly client: Client;
  readonly gateway: number;
  readonly nodes: readonly LightNode[];
}

async function fleet(): Promise<Fleet> {
  const daemon = new TestDaemon();
  const client = await daemon.client();
  await daemon.json('web', '--no-open', '--port', daemon.gatewayPort);
  const { info } = await client.run({ command: ['cat'], env });
  const folder = mkdtempSync(`${tmpdir()}/spool-fleet-`);
  const nodes: LightNode[] = [];
  for (let at = 0; at < NODES; at++) {
    const own = (index: number): string => `s${String(at).padStart(4, '0')}${String(index).padStart(5, '0')}`;
    const sessions = Array.from({ length: SESSIONS }, (_, index) => ({ ...info, id: own(index), name: own(index) }));
    const node = new LightNode(`node${at}`, folder, `http://127.0.0.1:${daemon.gatewayPort}`, sessions);
    const { token } = await client.doors.createToken({
      kind: 'invite',
      role: 'operator',
      name: 'invite',
      expiresAt: Date.now() + WITHIN_MS,
    });
    await node.join(token);
    nodes.push(node);
  }
  const areSeen = async (): Promise<boolean> => (await client.nodes.sessions()).length === 1 + NODES * SESSIONS;
  await until('all sessions are listed', areSeen, WITHIN_MS);
  return {
    client,
    gateway: (await client.doors.status())!.pid,
    nodes,
    async [Symbol.asyncDispose]() {
      for (const node of nodes) node.end();
      await daemon[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function fleetOfLightNodes(): Promise<Figure[]> {
  await using world = await fleet();
  const { client, gateway, nodes } = world;
  const figures: Figure[] = [];
  const lists: number[] = [];
  const before = cpuMs(gateway);
  for (let round = 0; round < LISTS; round++) {
    const startedAt = performance.now();
    await client.nodes.sessions();
    lists.push(performance.now() - startedAt);
  }
  const what = `a list of ${NODES} nodes × ${SESSIONS} sessions`;
  figures.push(limited(what, median(lists), 200, 'ms'));
  figures.push(limited(`${what}: CPU of the gateway`, (cpuMs(gateway) - before) / LISTS, 200, 'ms'));

  const idle = nodes.map(({ bytes }) => bytes);
  await pause(IDLE_MS);
  const perSecond = nodes.map(({ bytes }, at) => ((bytes - idle[at]!) * 1000) / IDLE_MS);
  figures.push(limited('idle traffic of a node, both directions', Math.max(...perSecond), 1024, 'B/s'));

  figures.push(await deadNode(client, nodes[0]!));
  figures.push(...(await flappingNode(world, nodes[1]!)));
  return figures;
}

/** Measures the time until a node is shown as away that has fallen silent. */
async function deadNode(client: Client, node: LightNode): Promise<Figure> {
  const startedAt = performance.now();
  node.fallSilent();
  for await (const view of client.nodes.watch()) if (view.nodes.get(node.name)?.info.state === 'away') break;
  return limited('a node that falls silent is shown as away', performance.now() - startedAt, 5000, 'ms');
}

/** Lets a node come and go, and counts what others notice: their lists, and the news of a client that follows. */
async function flappingNode({ client, gateway, nodes }: Fleet, flapping: LightNode): Promise<Figure[]> {
  const others = nodes.filter((node) => node !== flapping);
  const listed = (): number => others.reduce((sum, { lists }) => sum + lists, 0);
  const ended = new AbortController();
  let news = 0;
  const following = (async () => {
    for await (const _view of client.nodes.watch({ signal: ended.signal })) news++;
  })();
  await until('the client follows', () => news > 0, WITHIN_MS);
  const [listsBefore, newsBefore, cpuBefore] = [listed(), news, cpuMs(gateway)];
  for (let flap = 0; flap < FLAPS; flap++) {
    flapping.end();
    await flapping.dial();
  }
  await until(
    'it is back',
    async () => (await client.nodes.list()).some(({ name, state }) => name === flapping.name && state === 'online'),
    WITHIN_MS,
  );
  await pause(1000);
  const [lists, told, cpu] = [listed() - listsBefore, news - newsBefore, cpuMs(gateway) - cpuBefore];
  ended.abort();
  await following;
  return [
    limited(`a node comes and goes ${FLAPS} times: lists of other nodes`, lists, 1, ''),
    limited('the same: news for a client that follows, each time', told / FLAPS, 4, ''),
    limited('the same: CPU of the gateway, each time', cpu / FLAPS, 50, 'ms'),
  ];
}

/** Measures an echo through a join link, against one on the node, and beside another node that sends as fast as it can. */
export async function echoOfANode(): Promise<Figure[]> {
  await using primary = new TestDaemon();
  await using calm = new TestDaemon();
  await using fat = new TestDaemon();
  for (const daemon of [primary, calm, fat]) await daemon.json('web', '--no-open', '--port', daemon.gatewayPort);
  for (const [name, daemon] of [
    ['calm', calm],
    ['fat', fat],
  ] as const) {
    const { url, code } = await primary.json<{ url: string; code: string }>('node', 'invite', '--role', 'operator');
    await daemon.json('node', 'join', url, code, '--name', name);
  }
  await using here = await calm.client();
  await using afar = await connect({ node: 'calm', env: primary.env });
  const { id } = await here.run({ command: [program('limit'), 'mirror'], size: PTY, env });
  const [local, remote]: number[][] = [[], []];
  for (let round = 0; round < 5; round++) {
    local!.push(...(await echoes(here, id)));
    remote!.push(...(await echoes(afar, id)));
  }
  const flood = await (
    await fat.client()
  ).run({ command: [program('verified-source'), '1000000000000'], size: PTY, env });
  await using greedy = await connect({ node: 'fat', env: primary.env });
  const ended = new AbortController();
  let bytes = 0;
  const reading = (async () => {
    for await (const item of greedy.watch(flood.id, { from: 0, signal: ended.signal }))
      if (item.type === 'output') bytes += item.bytes.length;
  })().catch(() => {}); // it is aborted
  await until('the flood flows', () => bytes > 1_000_000, WITHIN_MS);
  const [beside, alone]: number[][] = [[], []];
  for (let round = 0; round < 5; round++) {
    beside!.push(...(await echoes(afar, id)));
    // The same processes are as busy for an echo on the node itself.
    alone!.push(...(await echoes(here, id)));
  }
  ended.abort();
  await (await fat.client()).kill(flood.id);
  await reading;
  const added = median(remote!) - median(local!);
  return [
    limited('an echo through a join link, beyond one on the node, p50', added, 1, 'ms'),
    {
      what: 'an echo of a node beside a flood of another, against without it, p50',
      ours: `${median(beside!).toFixed(2)} ms`,
      limit: `${median(remote!).toFixed(2)} ms`,
      ratio: median(beside!) / median(remote!),
      goal: ['≤', 2],
    },
    {
      what: 'the same on the node itself, without a link',
      ours: `${median(alone!).toFixed(2)} ms`,
      limit: `${median(local!).toFixed(2)} ms`,
      ratio: median(alone!) / median(local!),
      goal: ['≤', 2],
    },
  ];
}

/** Returns the times from a key to its echo. */
async function echoes(client: Client, id: string): Promise<number[]> {
  const times: number[] = [];
  const attachment = client.attach(id, { size: PTY });
  let isShown = (): void => {};
  const reading = (async () => {
    for await (const item of attachment) if (item.type === 'output') isShown();
  })();
  for (let key = 0; key < KEYS / 5; key++) {
    const shown = new Promise<void>((resolve) => (isShown = resolve));
    const startedAt = performance.now();
    await attachment.type(Buffer.from('x'));
    await shown;
    times.push(performance.now() - startedAt);
  }
  await attachment[Symbol.asyncDispose]();
  await reading;
  return times;
}

/** Returns the CPU time of a process. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function limited(what: string, ours: number, limit: number, unit: string): Figure {
  const shown = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ${unit}`.trim();
  return { what, ours: shown(ours), limit: shown(limit), ratio: ours / limit, goal: ['≤', 1] };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
