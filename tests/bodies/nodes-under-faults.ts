/**
 * Four machines, each in its own network namespace: one uses the others over the roads join, url and ssh, with 60 ms in each direction. While
 * streams run in both directions, cables are pulled, connections cut, gateways and keepers killed, daemons restarted, and the machine of the client
 * is paused while the nodes print 20 MB. Returns what its client has seen.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { askNodes } from '@spool/client/nodes';
import { program, SPOOL, until } from '@spool/testkit';
import { NetworkMachine } from '../support/network.ts';
import { TestSshd } from '../support/sshd.ts';
import type { NodeProgress, NodeWork } from './node-client.ts';

export interface FaultsInput {
  /** The number of times that every fault happens. 0: only two of them, once. */
  readonly rounds: number;
  /** The time for which the machine of the client is paused, at least. */
  readonly pauseMs: number;
  readonly floodBytes: number;
}

export interface FaultsReport {
  /** Each must be empty. */
  readonly wrong: readonly string[];
  /** The faults, with the time until all streams moved again, for a reader. */
  readonly backAfterMs: Readonly<Record<string, number>>;
}

const DELAY_MS = 60;
const BUSY_MS = 90_000;
const SIZE = { cols: 80, rows: 24 };
/** Without end, some kilobytes a second. */
const SOURCE = [program('verified-source'), '1000000000000', '20000', '8'];
const CLIENT = fileURLToPath(new URL('node-client.ts', import.meta.url));

type Progress = Readonly<Record<string, NodeProgress>>;

class PausableClient {
  readonly child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(work: readonly NodeWork[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [CLIENT, JSON.stringify(work)], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  async ask(request: { readonly type?: string; readonly settle?: boolean } = {}): Promise<Progress> {
    this.child.stdin!.write(`${JSON.stringify(request)}\n`);
    return JSON.parse((await this.#answers.next()).value as string) as Progress;
  }
}

export default async function nodesUnderFaults(input: FaultsInput): Promise<FaultsReport> {
  const primary = await NetworkMachine.create();
  const nodes = {
    byjoin: await NetworkMachine.create(),
    byurl: await NetworkMachine.create(),
    byssh: await NetworkMachine.create(),
  };
  const sshd = await TestSshd.start(nodes.byssh.home, 'exec sh -c "$SSH_ORIGINAL_COMMAND"', nodes.byssh.inside);
  await using stack = new AsyncDisposableStack();
  for (const machine of [sshd, ...Object.values(nodes), primary]) stack.use(machine);
  primary.env['PATH'] = sshd.path;
  sshd.usePackage(SPOOL);
  await join(primary, nodes, sshd);

  const work = await Promise.all(Object.entries(nodes).map(([name, node]) => startWork(name, node, input.floodBytes)));
  const client = new PausableClient(work, primary.env as NodeJS.ProcessEnv);
  stack.defer(() => void client.child.kill('SIGKILL'));
  const backAfterMs: Record<string, number> = {};
  let typed = '';

  /** Waits until the stream of each node moves, and all keys are answered. */
  const moves = async (what: string): Promise<void> => {
    const from = performance.now();
    const before = await client.ask();
    const text = `${Object.keys(backAfterMs).length}${what},`;
    typed += text;
    await client.ask({ type: text });
    await until(
      `streams move after: ${what}`,
      async () =>
        Object.entries(await client.ask()).every(
          ([name, { offset, shown }]) => offset > before[name]!.offset && shown.endsWith(text),
        ),
      BUSY_MS,
    );
    backAfterMs[`${Object.keys(backAfterMs).length} ${what}`] = Math.round(performance.now() - from);
  };

  await moves('start');
  const { cable, both, ...more } = faults(primary, nodes);
  for (let round = 0; round < Math.max(1, input.rounds); round++)
    for (const [what, harm] of Object.entries({ cable, both, ...(input.rounds > 0 && more) })) {
      await harm();
      await moves(what);
    }
  typed += 'paused,';
  await pauseClient(input, primary, nodes, { client, work });
  await moves('pause');

  const isOver = ({ exitCode, flooded }: NodeProgress): boolean => exitCode !== null && flooded === input.floodBytes;
  await until('all is there', async () => Object.values(await client.ask()).every(isOver), BUSY_MS);
  const last = await client.ask({ settle: true });
  const wrong = Object.entries(last).flatMap(([name, { gaps, shown, exitCode, failures }]) => [
    ...failures.map((failure) => `${name}: ${failure}`),
    ...(gaps > 0 ? [`${name}: ${gaps} gaps`] : []),
    ...(shown.slice(shown.indexOf('0start')) === typed ? [] : [`${name}: typed ${typed}, shown ${shown}`]),
    ...(exitCode === 7 ? [] : [`${name}: the wait was answered with ${exitCode}`]),
  ]);
  return { wrong, backAfterMs };
}

type Nodes = Readonly<Record<'byjoin' | 'byurl' | 'byssh', NetworkMachine>>;

/** Starts the daemons, lays the cables, and makes each machine a node over its road. */
async function join(primary: NetworkMachine, nodes: Nodes, sshd: TestSshd): Promise<void> {
  for (const [at, node] of Object.values(nodes).entries()) primary.cableTo(node, at);
  const urls = await Promise.all(
    [primary, ...Object.values(nodes)].map(
      async (machine) => await machine.json<{ port: number }>('web', '--no-open', '--port', machine.gatewayPort),
    ),
  );
  await nodes.byjoin.reach(primary, '10.77.0.1', urls[0]!.port, DELAY_MS);
  await primary.reach(nodes.byurl, '10.77.1.2', urls[2]!.port, DELAY_MS);
  await primary.reach(nodes.byssh, '10.77.2.2', sshd.port, DELAY_MS);
  const { url, code } = await primary.json<{ url: string; code: string }>('node', 'invite', '--role', 'operator');
  await nodes.byjoin.json('node', 'join', url, code, '--name', 'byjoin');
  const { token } = await nodes.byurl.json<{ token: string }>('token', 'create', '--role', 'operator');
  writeFileSync(`${primary.home}/token`, token, { mode: 0o600 });
  const address = `http://127.0.0.1:${urls[2]!.port}`;
  await primary.json('node', 'add', address, '--name', 'byurl', '--token-file', `${primary.home}/token`);
  await askNodes('add', { url: 'ssh://box', name: 'byssh' }, { env: primary.env }); // without the copy of the package
}

async function startWork(node: string, machine: NetworkMachine, floodBytes: number): Promise<NodeWork> {
  const client = await machine.client();
  const env = { PATH: process.env['PATH']! };
  const run = async (command: readonly string[]): Promise<string> =>
    (await client.run({ command, size: SIZE, env })).id;
  const flood = `${program('verified-source')} ${floodBytes}`;
  return {
    node,
    source: await run(SOURCE),
    echo: await run(['sh', '-c', 'stty raw -echo; exec cat']),
    flood: (await client.run({ command: ['sh', '-c', `read line; exec ${flood}`], size: null, env })).id,
  };
}

type Fault = 'cut' | 'cable' | 'gateway' | 'gateways' | 'keepers' | 'both' | 'restarts';
type Faults = Readonly<Record<Fault, () => Promise<void>>>;

function faults(primary: NetworkMachine, nodes: Nodes): Faults {
  const all = Object.values(nodes);
  const gatewayOf = async (machine: NetworkMachine): Promise<number> =>
    (await (await machine.client()).doors.status())!.pid;
  const keeperOf = async (machine: NetworkMachine): Promise<number> =>
    (await (await machine.client()).status()).keeper.pid;
  const kill = async (
    machines: readonly NetworkMachine[],
    ...whom: readonly ((one: NetworkMachine) => Promise<number>)[]
  ) => {
    const pids = await Promise.all(machines.flatMap((machine) => whom.map(async (find) => await find(machine))));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  };
  return {
    async cut() {
      for (const machine of [primary, ...all]) machine.cut();
    },
    async cable() {
      const links = all.map((_node, at) => `to${at}`);
      for (const link of links) primary.run('ip', 'link', 'set', link, 'down');
      // Long enough for a link to be given up, and for the next attempts to fail.
      const here = await primary.client();
      const areAway = async (): Promise<boolean> => (await here.nodes.list()).every(({ state }) => state === 'away');
      await until('the nodes are away', areAway, BUSY_MS);
      for (const link of links) primary.run('ip', 'link', 'set', link, 'up');
    },
    gateway: async () => await kill([primary], gatewayOf),
    gateways: async () => await kill(all, gatewayOf),
    keepers: async () => await kill(all, keeperOf),
    both: async () => await kill([primary, ...all], gatewayOf, keeperOf),
    async restarts() {
      for (const machine of [...all, primary]) {
        const { code, stderr } = await machine.spool(['daemon', 'restart']);
        if (code !== 0) throw new Error(stderr);
      }
    },
  };
}

/**
 * Pauses the client, which has just been given keys, and the daemon of its machine, until the nodes have printed that much and have given their
 * links up, and for at least that long.
 */
async function pauseClient(
  { pauseMs }: FaultsInput,
  primary: NetworkMachine,
  nodes: Nodes,
  { client, work }: { readonly client: PausableClient; readonly work: readonly NodeWork[] },
): Promise<void> {
  const endsAt = performance.now() + pauseMs;
  const typing = client.ask({ type: 'paused,' });
  const paused = primary.processes();
  for (const pid of paused) process.kill(pid, 'SIGSTOP');
  for (const { node, flood } of work) {
    const there = await nodes[node as keyof Nodes].client();
    await there.write(flood, 'go\n');
    await there.wait(flood);
  }
  const isAway = async (): Promise<boolean> =>
    (await askNodes('joins', {}, { env: nodes.byjoin.env })).machines[0]?.state !== 'online';
  await until('the node has given its link up', isAway, BUSY_MS);
  await until('the pause is over', () => performance.now() >= endsAt, pauseMs + BUSY_MS);
  for (const pid of paused) process.kill(pid, 'SIGCONT');
  await typing;
}
