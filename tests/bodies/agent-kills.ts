/**
 * Runs a real agent beside a scripted model, once undisturbed and once with all processes around it killed, in turn: its driver,
 * the keeper, the holder; while it streams and while a permission waits. Then the agent itself is killed, in both situations, and
 * resumed. Returns the result of each turn, so that the test can compare.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { AgentEvent, Client } from '@spool/client';
import { program, SPOOL, statusField, TestDaemon, until } from '@spool/testkit';
import { AGENTS, AgentHome, commandOf } from '@spool/testkit/agents';
import { MATRIX, type MatrixAgent } from '../support/agent-session.ts';
import { FollowedAgent, PATIENCE_MS, type Turn } from '../support/followed-agent.ts';

const KILLED = ['driver', 'keeper', 'holder'] as const;
/** The number of words, at ten a second: long enough for three kills and the restarts after them. */
const TICKS = 60;

export interface KillReport {
  /** The turns of the undisturbed run and of the other: a stream, and a command that was approved. */
  readonly undisturbed: readonly Shape[];
  readonly disturbed: readonly Shape[];
  /** Sequence numbers that are missing, or that came twice. */
  readonly outOfOrder: readonly number[];
  /**
   * The results of the agent that was killed in mid-turn and with a pending permission: the turn's end, and the first word after
   * it was resumed.
   */
  readonly deaths: readonly { readonly outcome: string; readonly message: string; readonly balance: string }[];
  readonly refused: string;
  readonly recalled: readonly string[];
  readonly ranAfterDeath: boolean;
  readonly unknown: readonly string[];
}

/** The form of a turn, without ids, times and the sizes of deltas. */
type Shape = readonly string[];

export default async function killed({ name }: { name: string }): Promise<KillReport> {
  const agent = MATRIX.find((each) => each.name === name)!;
  const real = AGENTS.find((each) => each.name === name)!;
  using home = new AgentHome(real);
  await using daemon = new TestDaemon();
  const offline = program('offline');
  // A bridge must reach the agent: then the whole daemon is in the agent's network.
  if (agent.isBridged) spawnSync(offline, [SPOOL, 'daemon', 'start'], { env: daemon.env as NodeJS.ProcessEnv });
  const client = await daemon.client();
  const env = { PATH: process.env.PATH!, ...home.env, ...agent.env };
  const start = async (): Promise<FollowedAgent> =>
    new FollowedAgent(
      client,
      await client.agent(name, {
        ...(agent.mode !== undefined && { mode: agent.mode }),
        program: [...(agent.isBridged ? [] : [offline]), ...commandOf(real)],
        cwd: home.project,
        env,
      }),
    );
  const file = `${home.project}/approved.txt`;

  const alone = await start();
  const undisturbed = [await alone.turn(`please count ${TICKS}`), await approved(alone, agent)].map(shapeOf);
  await client.stop(alone.agent.id);
  if (!existsSync(file)) throw new Error('the approved command has not run');
  rmSync(file);

  const run = await start();
  const streaming = await run.submit(`please count ${TICKS}`);
  for (const what of KILLED) {
    const seen = textOf(run.turnOf(streaming)).length;
    await until(
      `text comes before the ${what} is killed`,
      () => textOf(run.turnOf(streaming)).length > seen,
      PATIENCE_MS,
    );
    await kill(client, what);
  }
  const streamed = await run.ended(streaming);
  const asking = await run.submit(`please run ${agent.shell('approved')}`);
  for (const what of KILLED) {
    await run.asked();
    await kill(client, what);
    await until('it is blocked again', async () => (await stateOf(client, run)) === 'blocked', PATIENCE_MS);
  }
  const decided = await run.agent.approve(await run.asked());
  if (!decided.isOurs) throw new Error(`the answer was not taken: ${decided.reason}`);
  const disturbed = [streamed, await run.ended(asking)].map(shapeOf);
  if (!existsSync(file)) throw new Error('the approved command has not run after the kills');

  const deaths: KillReport['deaths'][number][] = [];
  const recalled: string[] = [];
  const dies = async (victim: FollowedAgent, prompt: string): Promise<void> => {
    process.kill(await agentOf(client, victim), 'SIGKILL');
    await until('the session has ended', () => victim.events.some(({ kind }) => kind === 'session.ended'), PATIENCE_MS);
    deaths.push(deathOf(victim, prompt));
  };
  const resumed = async (victim: FollowedAgent): Promise<FollowedAgent> => {
    if (agent.resumesNextMinute) await laterMinute(victim.events.find(({ kind }) => kind === 'session.started')!.at);
    const next = new FollowedAgent(client, await client.resumeAgent(victim.agent.id, { env }));
    recalled.push((await next.turn('please recall')).texts.join(''));
    return next;
  };
  const waiting = await run.submit('please wait');
  await run.streams(waiting);
  await dies(run, waiting);
  const second = await resumed(run);
  const pending = await second.submit(`please run ${agent.shell('never')}`);
  const open = await second.asked();
  await dies(second, pending);
  const refused = await second.agent.approve(open).then(
    () => 'it was taken',
    (error: { code?: string }) => error.code ?? String(error),
  );
  const ranAfterDeath = existsSync(`${home.project}/never.txt`);
  // Gemini does not find a session again that it has loaded once.
  const third = agent.resumesNextMinute ? null : await resumed(second);
  if (third !== null) await client.stop(third.agent.id);
  return {
    undisturbed,
    disturbed,
    outOfOrder: run.events.flatMap(({ seq }, at) => (seq === at ? [] : [seq])),
    deaths,
    refused,
    recalled,
    ranAfterDeath,
    unknown: [...run.unknown, ...second.unknown, ...(third?.unknown ?? [])],
  };
}

async function laterMinute(than: number): Promise<void> {
  const minute = (at: number): number => Math.floor(at / 60_000);
  await until('it is another minute', () => minute(Date.now()) > minute(than), 2 * PATIENCE_MS);
}

async function approved(run: FollowedAgent, agent: MatrixAgent): Promise<Turn> {
  const prompt = await run.submit(`please run ${agent.shell('approved')}`);
  await run.agent.approve(await run.asked());
  return await run.ended(prompt);
}

const textOf = (turn: Turn): string =>
  turn
    .of('message.delta')
    .map(({ text }) => text)
    .join('');

async function stateOf(client: Client, { agent }: FollowedAgent): Promise<string> {
  return (await client.get(agent.id)).status.state;
}

/** Kills a process, and resolves when it was replaced. */
async function kill(client: Client, what: (typeof KILLED)[number]): Promise<void> {
  const before = await pidOf(client, what);
  process.kill(before, 'SIGKILL');
  const isBack = async (): Promise<boolean> => {
    try {
      return (await pidOf(client, what)) !== before;
    } catch {
      return false;
    }
  };
  await until(`another ${what} is there`, isBack, PATIENCE_MS);
}

async function pidOf(client: Client, what: (typeof KILLED)[number]): Promise<number> {
  const { keeper, holder } = await client.status();
  if (what !== 'driver') return what === 'keeper' ? keeper.pid : holder.pid;
  const driver = childrenOf(keeper.pid).find((pid) => statusField(pid, 'Name').startsWith('spool-driver'));
  if (driver === undefined) throw new Error('there is no driver');
  return driver;
}

/**
 * Returns the agent's own process: the session's child is the scripted model, which has started it; Gemini has another parent
 * process.
 */
async function agentOf(client: Client, { agent }: FollowedAgent): Promise<number> {
  let pid = (await client.get(agent.id)).pid;
  for (let at = 0; at < 3; at++) pid = childrenOf(pid).find((child) => child > 0 && isAgent(child)) ?? pid;
  return pid;
}

/** Returns whether a process is the agent, not one of its tools or a thread of another program. */
function isAgent(pid: number): boolean {
  return AGENTS.some(({ program: file }) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(file));
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

function deathOf(run: FollowedAgent, prompt: string): KillReport['deaths'][number] {
  const [ended] = run.turnOf(prompt).of('turn.ended');
  const count = (kind: AgentEvent['kind']): number => run.events.filter((event) => event.kind === kind).length;
  const balance = [
    count('turn.started') - count('turn.ended'),
    count('tool.started') - count('tool.ended'),
    count('permission.requested') - count('permission.resolved'),
  ].join(' ');
  return { outcome: ended?.outcome ?? 'none', message: ended?.error?.message ?? '', balance };
}

/** Facts about a command besides its output, which Codex and Gemini send to the model. */
const OWN_IDS = /(CHUNK ID|WALL TIME|PROCESS GROUP PGID): [\w.]+/g;

/**
 * Returns the form of a turn: texts are joined, ids are numbered by their subjects, and values that depend on the clock are left
 * out.
 */
function shapeOf({ events }: Turn): Shape {
  const ids = new Map<string, string>();
  const named = (kind: string, id: string): string => {
    if (!ids.has(id)) ids.set(id, `${kind}${[...ids.values()].filter((known) => known.startsWith(kind)).length + 1}`);
    return ids.get(id)!;
  };
  const lines: string[] = [];
  for (const event of events) {
    const last = lines.at(-1) ?? '';
    switch (event.kind) {
      case 'message.delta':
      case 'thinking.delta': {
        const head = `${event.kind} ${named('message', event.message)} ${event.part}: `;
        if (last.startsWith(head)) lines[lines.length - 1] = last + event.text;
        else lines.push(head + event.text);
        break;
      }
      case 'message.done':
      case 'thinking.done':
        lines.push(`${event.kind} ${named('message', event.message)} ${event.part}: ${event.text}`);
        break;
      case 'tool.started':
        lines.push(`${event.kind} ${named('tool', event.tool)} ${event.name} ${event.toolKind}`);
        break;
      case 'tool.ended':
        lines.push(`${event.kind} ${named('tool', event.tool)} ${event.status} ${event.exitCode ?? ''}`);
        break;
      case 'permission.requested':
        lines.push(
          `${event.kind} ${named('request', event.request)} ${event.options.map(({ kind }) => kind).join(' ')}`,
        );
        break;
      case 'permission.resolved':
        lines.push(`${event.kind} ${named('request', event.request)} ${event.decision} ${event.by}`);
        break;
      case 'turn.started':
        lines.push(`${event.kind} ${JSON.stringify(event.prompt)}`);
        break;
      case 'turn.ended':
        lines.push(`${event.kind} ${event.outcome} ${event.text}`);
        break;
      case 'prompt':
      case 'file.changed':
      case 'raw':
      case 'fault':
      case 'retry':
        lines.push(event.kind);
        break;
      default: // levels and measurements: status, usage, quota, progress
    }
  }
  return lines.map((line) => line.replaceAll(OWN_IDS, '$1: …'));
}
