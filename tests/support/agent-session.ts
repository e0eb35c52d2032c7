/** A real agent without a terminal in a test, and what became of its turns. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { AgentEvent, AgentHandle, Client } from '@spool/client';
import { isAlive, program, SPOOL, TestDaemon, until } from '@spool/testkit';
import { AGENTS, type Agent, AgentHome, commandOf, isInstalled } from './agents.ts';

/** Real programs on a machine that does other things too. */
const PATIENCE_MS = 60_000;

/** What the program can do, and how it is asked; docs/agents.md has the same table for people. */
export interface MatrixAgent {
  readonly name: string;
  /** The agent's own mode in which it asks. */
  readonly mode?: string;
  /** A command that it asks about; it makes NAME.txt. */
  shell(name: string, first?: string): string;
  readonly thinks: boolean;
  readonly seesImages: boolean;
  /** The message of a denial is told in a turn of its own. */
  readonly deniesLater?: boolean;
  readonly showsDiffs: boolean;
  /** What the model does so that the agent asks it again: an HTTP error, or a stream that is cut. */
  readonly retried: string;
  readonly tellsRetries: boolean;
  /** It serves HTTP: its bridge must reach it, so the whole daemon is in its network. */
  readonly isBridged?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs the program. */
  readonly wrapper?: readonly string[];
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
  { ...CAN, name: 'claude', mode: 'manual' },
  { ...CAN, name: 'codex', retried: 'break now' },
  { ...CAN, name: 'gemini', deniesLater: true, tellsRetries: false },
  {
    ...CAN,
    name: 'grok',
    // It runs the other command without a question.
    shell: (name, first) => `for once in 1; do ${touch(name, first)}; done`,
    deniesLater: true,
  },
  // It asks nothing by itself.
  { ...CAN, name: 'opencode', isBridged: true, env: { OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask"}' } },
];

type Of<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;

export class Turn {
  readonly events: readonly AgentEvent[];

  constructor(events: readonly AgentEvent[]) {
    this.events = events;
  }

  of<K extends AgentEvent['kind']>(kind: K): Of<K>[] {
    return this.events.filter((event): event is Of<K> => event.kind === kind);
  }

  get outcome(): string {
    return this.of('turn.ended')[0]?.outcome ?? 'running';
  }

  /** As they are shown at the end. */
  get texts(): string[] {
    const withdrawn = new Set(this.of('message.retracted').flatMap(({ messages }) => messages));
    return this.of('message.done').flatMap(({ message, text }) => (withdrawn.has(message) ? [] : [text]));
  }

  get thoughts(): string[] {
    return this.of('thinking.done').map(({ text }) => text);
  }
}

export class AgentSession implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly client: Client;
  readonly agent: AgentHandle;
  /** The same agent as another client sees it. */
  readonly other: AgentHandle;
  /** All of them so far. */
  readonly events: AgentEvent[] = [];
  readonly #home: AgentHome;

  private constructor(
    daemon: TestDaemon,
    home: AgentHome,
    { client, agent, other }: { client: Client; agent: AgentHandle; other: AgentHandle },
  ) {
    this.daemon = daemon;
    this.#home = home;
    this.client = client;
    this.agent = agent;
    this.other = other;
    void this.#follow().catch(() => {}); // the daemon is stopped
  }

  static async start(
    { name, mode, isBridged = false, env = {}, wrapper = [] }: MatrixAgent,
    skip: (condition: boolean, why: string) => void,
    prompt?: string,
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

  /** Until the session has ended; across restarts of the daemon. */
  async #follow(): Promise<void> {
    for await (const item of this.client.watchEvents(this.agent.id))
      if (item.type === 'event') this.events.push(item.event);
  }

  /** The id of the prompt. */
  async submit(prompt: Parameters<AgentHandle['prompt']>[0]): Promise<string> {
    return (await this.agent.prompt(prompt)).id;
  }

  async turn(prompt: Parameters<AgentHandle['prompt']>[0]): Promise<Turn> {
    return await this.ended(await this.submit(prompt));
  }

  /** The turn of a prompt, so far. */
  turnOf(prompt: string): Turn {
    const { events } = this;
    const from = events.findIndex((event) => event.kind === 'turn.started' && event.clientIds?.includes(prompt));
    if (from < 0) return new Turn([]);
    const ended = events.findIndex((event, at) => at > from && event.kind === 'turn.ended');
    return new Turn(events.slice(from, ended < 0 ? events.length : ended + 1));
  }

  async ended(prompt: string, { approving = false } = {}): Promise<Turn> {
    await until(
      'the turn has ended',
      async () => {
        if (approving) for (const { request } of this.pending) await this.agent.approve(request);
        return this.turnOf(prompt).outcome !== 'running';
      },
      PATIENCE_MS,
    );
    return this.turnOf(prompt);
  }

  async streams(prompt: string): Promise<void> {
    await until('text comes', () => this.turnOf(prompt).of('message.delta').length > 2, PATIENCE_MS);
  }

  /** The permissions that wait. */
  get pending(): Of<'permission.requested'>[] {
    const all = new Turn(this.events);
    const resolved = new Set(all.of('permission.resolved').map(({ request }) => request));
    return all.of('permission.requested').filter(({ request }) => !resolved.has(request));
  }

  async asked(): Promise<Of<'permission.requested'>> {
    await until('a permission waits', () => this.pending.length > 0, PATIENCE_MS);
    return this.pending[0]!;
  }

  get unknown(): string[] {
    return new Turn(this.events).of('raw').map(({ type }) => type);
  }

  /** The process with this command line, in the agent's project. */
  async processOf(command: string): Promise<number> {
    let found: number | undefined;
    await until(`${command} runs`, () => (found = this.#processes(command)[0]) !== undefined, PATIENCE_MS);
    return found!;
  }

  /** All processes of the daemon whose command line has this in it. */
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
