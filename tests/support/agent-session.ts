/** Runs a real agent without a terminal in a test, and collects the results of its turns. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { AgentHandle, Client } from '@spool/client';
import { isAlive, program, SPOOL, TestDaemon, until } from '@spool/testkit';
import { AGENTS, type Agent, AgentHome, commandOf, isInstalled } from '@spool/testkit/agents';
import { FollowedAgent, PATIENCE_MS } from './followed-agent.ts';

/** The abilities of a program, and the prompts for them; docs/agents.md has the same table for users. */
export interface MatrixAgent {
  readonly name: string;
  /** The agent's own mode in which it asks. */
  readonly mode?: string;
  /** Returns a command that it asks about; the command creates NAME.txt. */
  shell(name: string, first?: string): string;
  readonly thinks: boolean;
  readonly seesImages: boolean;
  /** Whether the message of a denial is reported in a separate turn. */
  readonly deniesLater?: boolean;
  readonly showsDiffs: boolean;
  /** The failure of the model after which the agent tries again: an HTTP error, or a stream that is cut. */
  readonly retried: string;
  readonly tellsRetries: boolean;
  /** Whether it serves HTTP: its bridge must reach it, so the whole daemon is in its network. */
  readonly isBridged?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The command that runs the program. */
  readonly wrapper?: readonly string[];
  /** Whether it accepts a prompt in the running turn. */
  readonly steers?: boolean;
  /** Whether loading a session in the minute of its start empties it: its file has the minute in its name. */
  readonly resumesNextMinute?: boolean;
}

const touch = (name: string, first = 'true'): string => `${first} && touch ${name}.txt`;
const CAN = {
  shell: touch,
  thinks: true,
  seesImages: true,
  showsDiffs: true,
  retried: 'fail 500',
  tellsRetries: true,
};

export const MATRIX: readonly MatrixAgent[] = [
  { ...CAN, name: 'claude', mode: 'manual', steers: true },
  { ...CAN, name: 'codex', retried: 'break now', steers: true },
  { ...CAN, name: 'gemini', deniesLater: true, tellsRetries: false, resumesNextMinute: true },
  {
    ...CAN,
    name: 'grok',
    // It runs the other command without asking.
    shell: (name, first) => `for once in 1; do ${touch(name, first)}; done`,
    deniesLater: true,
  },
  // It never asks by default.
  { ...CAN, name: 'opencode', isBridged: true, env: { OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask"}' } },
];

export class AgentSession extends FollowedAgent implements AsyncDisposable {
  readonly daemon: TestDaemon;
  /** The same agent in another client. */
  readonly other: AgentHandle;
  readonly #home: AgentHome;

  private constructor(
    daemon: TestDaemon,
    home: AgentHome,
    { client, agent, other }: { client: Client; agent: AgentHandle; other: AgentHandle },
  ) {
    super(client, agent);
    this.daemon = daemon;
    this.#home = home;
    this.other = other;
  }

  static async start(
    { name, mode, isBridged = false, env = {}, wrapper = [] }: MatrixAgent,
    skip: (condition: boolean, why: string) => void,
    prompt?: string,
    limits: { readonly maxTurns?: number; readonly budgetUsd?: number } = {},
  ): Promise<AgentSession> {
    const real: Agent = AGENTS.find((each) => each.name === name)!;
    skip(!isInstalled(real), `it runs once \`node scripts/agents.mjs ${name}\` has brought the program`);
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
    const home = new AgentHome(real);
    const daemon = new TestDaemon();
    if (isBridged) spawnSync(offline, [SPOOL, 'daemon', 'start'], { env: daemon.env as NodeJS.ProcessEnv });
    const client = await daemon.client();
    const [node, model, ...command] = commandOf(real);
    const agent = await client.agent(name, {
      mode,
      ...(prompt !== undefined && { prompt }),
      ...limits,
      program: [...(isBridged ? [] : [offline]), node!, model!, ...wrapper, ...command],
      cwd: home.project,
      env: { PATH: process.env.PATH!, ...home.env, ...env },
    });
    const other = await (await daemon.client({ who: 'another' })).openAgent(agent.id);
    return new AgentSession(daemon, home, { client, agent, other });
  }

  get project(): string {
    return this.#home.project;
  }

  /** A grey square of 32 × 32 pixels. */
  readonly image = {
    type: 'image' as const,
    mime: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAAAAABWESUoAAAAFklEQVR4nGNoIAAYRhWMKhhVMFIVAABCAAAfNUt+NwAAAABJRU5ErkJggg==',
  };

  /** Returns the process with this command line, in the agent's project. */
  async processOf(command: string): Promise<number> {
    let found: number | undefined;
    await until(`${command} runs`, () => (found = this.#processes(command)[0]) !== undefined, PATIENCE_MS);
    return found!;
  }

  /** Returns all processes of the daemon whose command line contains this text. */
  processesWith(text: string): number[] {
    return this.daemon.processes().filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
      } catch {
        return false; // gone meanwhile
      }
    });
  }

  async gone(pid: number): Promise<void> {
    await until(`${pid} is gone`, () => !isAlive(pid), PATIENCE_MS);
  }

  #processes(command: string): number[] {
    return readdirSync('/proc').flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isHere = readFileSync(`/proc/${name}/environ`, 'utf8').includes(
          this.#home.project.replace('/project', ''),
        );
        return line === command && isHere ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
  }

  async stop(): Promise<void> {
    await this.client.stop(this.agent.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    this.#home[Symbol.dispose]();
  }
}
