/** Measures the cost of an agent without a terminal: its driver's memory and start, and twenty agents that stream at once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { statusField, TestDaemon } from '@spool/testkit';
import type { Figure } from './figure.ts';
import { privateMegabytes } from './rest.ts';

const AGENT = fileURLToPath(new URL('../programs/scripted-agent.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('../programs/scripted-server.mjs', import.meta.url));
const env = { PATH: process.env.PATH! };
const KIB = 1024;
const AGENTS = 20;
const MEASURED_MS = 10_000;
const TICKS_PER_SECOND = 100;

const BRIDGED_EVENTS = 20_000;

type Daemon = TestDaemon;

async function agentOf(daemon: Daemon, prompt: string) {
  const client = await daemon.client();
  const received = `${daemon.home}/received-${Math.random().toString(36).slice(2)}`;
  writeFileSync(received, '');
  const agent = await client.agent('claude', { prompt, program: [process.execPath, AGENT, received], env });
  return { client, agent };
}

/** Returns the drivers under this keeper. */
function driversOf(keeper: number): number[] {
  const children = readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ');
  return children.map(Number).filter((pid) => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver'));
}

const kib = (pid: number, field: string): number => Number.parseInt(statusField(pid, field), 10);

/** Returns the CPU time of a process and its threads, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Measures twenty agents, each with a delta every 20 ms, for ten seconds: the share of a core that the keeper and the drivers
 * use.
 */
export async function streamingAgents(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const startedAt = performance.now();
  const agents: Awaited<ReturnType<typeof agentOf>>[] = [];
  for (let at = 0; at < AGENTS; at++) agents.push(await agentOf(daemon, 'stream 30'));
  const client = await daemon.client();
  for (const { agent } of agents) for await (const { kind } of agent) if (kind === 'message.delta') break;
  const startMs = (performance.now() - startedAt) / AGENTS;
  const keeper = (await client.status()).keeper.pid;
  const pids = [keeper, ...driversOf(keeper)];
  const wireBytes = async (): Promise<number> => {
    const infos = await Promise.all(agents.map(({ agent }) => client.get(agent.id)));
    return infos.reduce((sum, { offset }) => sum + offset, 0);
  };
  const bytesBefore = await wireBytes();
  const before = pids.map(cpuSeconds);
  const from = performance.now();
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
  const seconds = (performance.now() - from) / 1000;
  const used = pids.map((pid, at) => (cpuSeconds(pid) - before[at]!) / seconds);
  const kibPerSecond = ((await wireBytes()) - bytesBefore) / seconds / KIB; // on a busy machine, agents write less
  const share = used.reduce((sum, each) => sum + each, 0);
  const drivers = share - used[0]!;
  const percent = (part: number): string => `${(part * 100).toFixed(0)} %`;
  const megabytes = driversOf(keeper).reduce((sum, pid) => sum + privateMegabytes(pid), 0);
  return [
    {
      what: `private memory of the drivers of these ${AGENTS} agents`,
      ours: `${megabytes.toFixed(1)} MB`,
      limit: '150 MB',
      ratio: megabytes / 150,
      goal: ['≤', 1],
    },
    {
      what: `${AGENTS} agents that stream 50 deltas/s each: share of a core (keeper ${percent(used[0]!)}, drivers ${percent(drivers)}; ${kibPerSecond.toFixed(0)} KiB/s came)`,
      ours: percent(share),
      limit: '30 %',
      ratio: share / 0.3,
      goal: ['≤', 1],
    },
    {
      what: 'start of an agent until its first text, one after the other',
      ours: `${startMs.toFixed(0)} ms`,
      limit: '1000 ms',
      ratio: startMs / 1000,
      goal: ['≤', 1],
    },
  ];
}

/** Measures the peak of a driver's memory, for each kind of output that an agent may write. */
export async function driverMemory(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, prompt] of [
    ['idle', 'say hello'],
    ['after a line of 50 MB', 'long 50'],
    ['after 50 MB of lines that are not JSON', 'garbage 50'],
    ['after 20,000 deltas at once', 'flood 20000'],
    ['after texts full of escapes and HTML', 'escapes 20'],
  ] as const) {
    await using daemon = new TestDaemon();
    const { client, agent } = await agentOf(daemon, prompt);
    for await (const { kind } of agent) if (kind === 'turn.ended') break;
    const [driver] = driversOf((await client.status()).keeper.pid);
    const peak = kib(driver!, 'VmHWM') / KIB;
    figures.push({
      what: `memory of a driver, ${what}`,
      ours: `${peak.toFixed(1)} MiB`,
      limit: '64 MiB',
      ratio: peak / 64,
      goal: ['≤', 1],
    });
  }
  return figures;
}

/** Measures the bridge of an agent that serves HTTP: the cost of its events, and its peak of memory. */
export async function bridge(): Promise<Figure[]> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const agent = await client.agent('opencode', {
    program: [process.execPath, SERVER],
    cwd: daemon.home,
    env: { ...env, SCRIPTED_LOG: `${daemon.home}/agent.ndjson` },
  });
  const turn = async (prompt: string): Promise<void> => {
    const { id } = await agent.prompt(prompt);
    let isOurs = false;
    for await (const event of agent) {
      if (event.kind === 'turn.started') isOurs = event.clientIds?.includes(id) === true;
      if (event.kind === 'turn.ended' && isOurs) return;
    }
  };
  await turn('say hello');
  const { pid } = await client.get(agent.id); // the session's child is the bridge
  const before = cpuSeconds(pid);
  await turn(`flood ${BRIDGED_EVENTS}`);
  const microseconds = ((cpuSeconds(pid) - before) / BRIDGED_EVENTS) * 1e6;
  const peak = kib(pid, 'VmHWM') / KIB;
  return [
    {
      what: `CPU of the bridge for an event of an agent that serves HTTP (${BRIDGED_EVENTS} at once)`,
      ours: `${microseconds.toFixed(0)} µs`,
      limit: '50 µs',
      ratio: microseconds / 50,
      goal: ['≤', 1],
    },
    {
      what: 'memory of the bridge after that',
      ours: `${peak.toFixed(1)} MiB`,
      limit: '80 MiB',
      ratio: peak / 80,
      goal: ['≤', 1],
    },
  ];
}
