/**
 * The real agents in terminals of a daemon, beside a scripted model: all in one separate network, so that a driver reaches the ports
 * of its agent, and no one else does.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import type { AgentEvent } from '@spool/protocol/agent';
import { program, seen, SPOOL, statusField, TestDaemon, until } from '@spool/testkit';
import { type Agent, AGENT_STEP_MS_MAX, AgentHome, isInstalled } from '@spool/testkit/agents';
import { expect } from 'vitest';

const SCRIPTED_MODEL = fileURLToPath(new URL('../../packages/testkit/programs/scripted-model.mjs', import.meta.url));
export const STEP_MS_MAX = 200_000;
/** The end of the output of a command. */
const DONE = '-- done --';
const SIZE = { cols: 100, rows: 30 };

/** Returns the reason why the tests of this agent cannot run; null if they can. */
export function missing(agent: Agent): string | null {
  if (!isInstalled(agent)) return `it runs once \`node scripts/agents.mjs ${agent.name}\` has brought the program`;
  if (spawnSync(program('offline'), ['true']).status !== 0)
    return 'it runs where a program may be given a network of its own';
  return null;
}

/** A daemon and a scripted model in a separate network. */
export class OfflineDaemon extends TestDaemon {
  #network: ChildProcess | null = null;

  async start(): Promise<Client> {
    const script = `"${SPOOL}" ls >/dev/null 2>&1 && echo up && exec sh`;
    this.#network = spawn(program('offline'), [process.execPath, SCRIPTED_MODEL, 'sh', '-c', script], {
      env: this.env,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    await once(this.#network.stdout!, 'data');
    return this.client();
  }

  /** Runs a command of the shell in that network, and returns its output. */
  async inNetwork(command: string): Promise<string> {
    const { stdin, stdout } = this.#network!;
    let text = '';
    const isDone = Promise.withResolvers<void>();
    const take = (bytes: Buffer): void => {
      text += bytes.toString();
      if (text.endsWith(`${DONE}\n`)) isDone.resolve();
    };
    stdout!.on('data', take);
    stdin!.write(`${command}; echo ${DONE}\n`);
    await isDone.promise;
    stdout!.off('data', take);
    return text.slice(0, -DONE.length - 1);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.#network?.pid !== undefined) process.kill(-this.#network.pid, 'SIGKILL');
    await super[Symbol.asyncDispose]();
  }
}

export interface TerminalAgentOptions {
  readonly agent: Agent;
  readonly client: Client;
  /** The arguments of the agent. */
  readonly words: readonly string[];
  /** A text of its dialog that asks for a permission. */
  readonly dialog: string;
  /** More settings, for an agent whose settings are one JSON file. */
  readonly settings?: object;
  /** The home of an earlier run, in which this one continues. */
  readonly home?: AgentHome;
}

/** An agent in a terminal. */
export class TerminalAgent {
  readonly home: AgentHome;
  readonly #options: TerminalAgentOptions;
  readonly #program: string;
  id = '';

  constructor(options: TerminalAgentOptions) {
    this.#options = options;
    const { agent, settings = {} } = options;
    const merged = (project: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(agent.settings(project)).map(([path, text]) =>
          path.endsWith('.json') ? [path, JSON.stringify({ ...JSON.parse(text), ...settings })] : [path, text],
        ),
      );
    this.home = options.home ?? new AgentHome({ ...agent, settings: merged });
    this.#program = this.home.alias(options.agent);
  }

  get #client(): Client {
    return this.#options.client;
  }

  async start(options: { sideChannel?: false } = {}): Promise<void> {
    const { agent, words } = this.#options;
    const { home } = this;
    const command = [this.#program, ...words];
    const env = { PATH: process.env.PATH!, ...home.env };
    for (;;) {
      const { id } = await this.#client.run({ command, cwd: home.project, env, size: SIZE, ...options });
      this.id = id;
      // Beside many busy processes even `--version` may take longer than a user would wait.
      if (!(await this.#client.explain(id)).sideChannel?.why?.includes('did not answer')) break;
      await this.#client.remove(id, { force: true });
    }
    const { id } = this;
    await seen(this.#client, id, agent.ready, AGENT_STEP_MS_MAX);
  }

  async events(): Promise<AgentEvent[]> {
    const found: AgentEvent[] = [];
    await using events = this.#client.watchEvents(this.id);
    for await (const item of events) {
      if (item.type === 'synced') break; // all so far were read
      if (item.type === 'event') found.push(item.event);
    }
    return found;
  }

  async of<K extends AgentEvent['kind']>(kind: K): Promise<Extract<AgentEvent, { kind: K }>[]> {
    return (await this.events()).filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
  }

  /** Returns the decision about each permission, and its author. */
  async decisions(): Promise<[decision: string, by: string][]> {
    return (await this.of('permission.resolved')).map(({ decision, by }) => [decision, by]);
  }

  /** Returns the id of the request that waits, if one does. */
  async request(): Promise<string | undefined> {
    return (await this.#client.get(this.id)).status.requests?.[0]?.request;
  }

  /** Resolves with the id of the request that waits, once its dialog, with this text, is on the screen too. */
  async asked(text = ''): Promise<string> {
    const agent = await this.#client.openAgent(this.id);
    await until(
      `a request waits for ${text}`,
      async () => {
        const [open] = await agent.requests();
        return open !== undefined && JSON.stringify(open).includes(text);
      },
      STEP_MS_MAX,
    );
    await until(
      'the dialog is drawn',
      async () => {
        const screen = await this.text();
        const at = screen.lastIndexOf(this.#options.dialog);
        return at >= 0 && screen.slice(0, at).split('\n').slice(-12).join('\n').includes(text);
      },
      STEP_MS_MAX,
    );
    return (await this.request())!;
  }

  async text(): Promise<string> {
    return (await this.#client.screen(this.id, { format: 'text' })).content;
  }

  async prompt(text: string): Promise<void> {
    await this.#client.prompt(this.id, text); // the events show whether it was taken, however late
  }

  /** Resolves when this many turns have ended, and the terminal accepts the next prompt. */
  async rests(turns: number): Promise<void> {
    await until(`${turns} turns have ended`, async () => (await this.of('turn.ended')).length === turns, STEP_MS_MAX);
    await until('it is idle', async () => (await this.#client.get(this.id)).status.state === 'idle', STEP_MS_MAX);
  }

  made(name: string): boolean {
    return existsSync(`${this.home.project}/${name}`);
  }

  /** Kills the driver, with its connection to the agent. */
  async killDriver(): Promise<void> {
    const { keeper } = await this.#client.status();
    const drivers = pids().filter(
      (pid) => statusField(pid, 'PPid') === String(keeper.pid) && statusField(pid, 'Name').startsWith('spool-driver'),
    );
    expect(drivers).toHaveLength(1);
    process.kill(drivers[0]!, 'SIGKILL');
  }

  /** Returns the process of the agent whose command line has this word. */
  process(word: string): number {
    const program = realpathSync(this.#options.agent.program);
    const found = pids().filter((pid) => hasWord(pid, this.id, program, word));
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function hasWord(pid: number, session: string, program: string, word: string): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/exe`) !== program) return false;
    const hasIt = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    return hasIt && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SPOOL_SESSION=${session}`);
  } catch {
    return false; // gone meanwhile
  }
}
