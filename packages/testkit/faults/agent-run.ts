/** One run of a scripted agent in a campaign: its prompts, the lines that it received, and the events that must follow. */
import { existsSync, readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle } from '@spool/client';
import { statusField } from '@spool/testkit';
import type { World } from './world.ts';

/** The kind of agent; `opencode` serves HTTP, so a bridge connects it. */
export type AgentKind = 'claude' | 'opencode';

const PIECES = 30;
const COUNTED = Array.from({ length: PIECES }, (_, at) => `${at} `).join('');
/** The answer to each prompt of a run. */
const TEXTS: Readonly<Record<AgentKind, string>> = {
  claude: `${COUNTED}count is done`,
  opencode: `${COUNTED}flood is done`,
};
const START_TRIES_MAX = 60;
const AGAIN_MS = 250;
/** The longest turn on a busy machine. */
const TURN_MS_MAX = 60_000;

const scripted = (name: string): string => fileURLToPath(new URL(`../programs/${name}.mjs`, import.meta.url));

interface ReceivedLine {
  readonly type?: string;
  readonly uuid?: string;
  readonly request_id?: string;
  readonly call?: string;
  readonly pid?: number;
}

export class FaultAgentRun {
  readonly kind: AgentKind;
  readonly handle: AgentHandle;
  /** The events in their order of arrival, over every break of the link. */
  readonly events: AgentEvent[] = [];
  /** Whether it was killed on purpose. */
  isKilled = false;
  hasEnded = false;
  /** Whether a fault of the disk has lost a part of its wire: the driver has then closed the open items, and the agent continues. */
  hasGap = false;
  readonly #world: World;
  readonly #received: string;
  readonly #prompts: string[] = [];
  readonly #reading: Promise<void>;

  private constructor(world: World, kind: AgentKind, handle: AgentHandle, received: string) {
    this.#world = world;
    this.kind = kind;
    this.handle = handle;
    this.#received = received;
    this.#reading = this.#read();
    world.agents.add(this);
  }

  /** Starts an agent. While a fault of the disk is injected, no session can be started: then it tries again. */
  static async start(world: World, kind: AgentKind): Promise<FaultAgentRun> {
    const received = `${world.place}/agent-${world.agentsStarted++}.ndjson`;
    const program =
      kind === 'claude' ? [execPath, scripted('scripted-agent'), received] : [execPath, scripted('scripted-server')];
    const env = { PATH: process.env.PATH!, SCRIPTED_LOG: received };
    for (let tries = 1; ; tries++) {
      try {
        return new FaultAgentRun(
          world,
          kind,
          await world.client.agent(kind, { program, cwd: world.place, env }),
          received,
        );
      } catch (error) {
        if (tries >= START_TRIES_MAX) throw error;
        await world.sleep(AGAIN_MS);
      }
    }
  }

  /** Resolves when its turn, the agent, or the campaign has ended. A repeated id is not a second prompt. */
  async prompt(signal: AbortSignal): Promise<void> {
    const id = `prompt-${this.#prompts.length}`;
    this.#prompts.push(id);
    const text = `${this.kind === 'claude' ? 'count' : 'flood'} ${PIECES}`;
    const isOver = (): boolean => this.hasEnded || this.hasGap || this.#hasTurnEnded(id);
    for (let isSent = false; !isOver();) {
      isSent ||= await this.handle.prompt(text, { id }).then(
        () => true,
        () => false, // the disk is full, or the agent has ended
      );
      if (isSent && signal.aborted) return await this.#overWithin(TURN_MS_MAX, id, isOver);
      await this.#world.sleep(isSent ? 20 : AGAIN_MS);
    }
  }

  /** Waits for the end of a turn: closing an agent earlier would cancel a waiting prompt. */
  async #overWithin(ms: number, id: string, isOver: () => boolean): Promise<void> {
    const until = performance.now() + ms;
    while (!isOver() && performance.now() < until) await this.#world.sleep(AGAIN_MS);
    if (!isOver()) this.#world.lost.push(`${this.kind} ${this.handle.id}: ${id} had no end within ${ms} ms`);
  }

  /** Returns a process with drivers, if one runs at this moment: this agent's is in one of them. */
  async driver(): Promise<number | undefined> {
    const { keeper } = await this.#world.client.status();
    return childrenOf(keeper.pid).find((pid) => commandLine(pid).startsWith('spool-driver'));
  }

  /** Returns the pid of the agent itself; with a bridge, the process below it. */
  async agentPid(): Promise<number | undefined> {
    if (this.kind === 'opencode') return this.#receivedLines().find(({ pid }) => pid !== undefined)?.pid;
    return (await this.#world.client.get(this.handle.id)).pid ?? undefined;
  }

  async bridgePid(): Promise<number | undefined> {
    return (await this.#world.client.get(this.handle.id)).pid ?? undefined;
  }

  /** Ends the agent, reads its events again from the start, and reports errors in them. */
  async check(): Promise<void> {
    if (!this.hasEnded) await this.handle.close();
    await this.#reading;
    const whole: AgentEvent[] = [];
    for await (const event of this.handle) whole.push(event);
    const faults = [...this.#faultsOfEvents(whole), ...this.#faultsOfPrompts(whole), ...this.#faultsOfTurns(whole)];
    for (const fault of faults) this.#world.lost.push(`${this.kind} ${this.handle.id}: ${fault}`);
  }

  async #read(): Promise<void> {
    try {
      for await (const item of this.#world.client.watchEvents(this.handle.id))
        if (item.type === 'event') {
          this.events.push(item.event);
          this.hasGap ||= isGap(item.event);
        } else if (item.type === 'exit' || item.type === 'removed') break;
    } finally {
      this.hasEnded = true;
      this.#world.agents.delete(this);
    }
  }

  *#faultsOfEvents(whole: readonly AgentEvent[]): Generator<string> {
    if (whole.some(({ seq }, at) => seq !== at)) yield 'an event is missing or came twice';
    const numbers = (events: readonly AgentEvent[]): string => events.map(({ seq }) => seq).join(' ');
    if (numbers(this.events) !== numbers(whole))
      yield `${this.events.length} of ${whole.length} events were seen as they came`;
    const ends = whole.flatMap((event) => (event.kind === 'session.ended' ? [event] : []));
    if (ends.length !== 1) yield `its end was reported ${ends.length} times`;
    const how = ends[0]?.signal ?? ends[0]?.exitCode;
    if (!this.isKilled && how !== 0) yield `it was not killed, and ended with ${how}`;
  }

  /** Checks that each prompt reaches the agent once. A killed agent may have missed the last one. */
  *#faultsOfPrompts(whole: readonly AgentEvent[]): Generator<string> {
    const lines = this.#receivedLines();
    const keys = lines.flatMap(({ uuid, request_id }) => [uuid ?? [], request_id ?? []].flat());
    // Decision 143: a disk that refuses the journal, and then a death of the keeper, repeat a line.
    const repeatedMax = this.#world.isTouched(this.handle.id) ? this.#world.keeperDeaths : 0;
    if (keys.length - new Set(keys).size > repeatedMax) yield 'a line reached the agent twice';
    const arrived = lines.filter(({ type, call }) => type === 'user' || call?.endsWith('/prompt_async')).length;
    const isWhole = !this.isKilled && !this.hasGap;
    const isRight = arrived <= this.#prompts.length + repeatedMax && (!isWhole || arrived >= this.#prompts.length);
    if (!isRight) yield `${arrived} prompts arrived, of ${this.#prompts.length}`;
    for (const id of this.#prompts) {
      const started = whole.filter(
        (event) => event.kind === 'turn.started' && event.clientIds?.includes(id) === true,
      ).length;
      if (started > 1 || (started === 0 && isWhole)) yield `${id} has ${started} turns`;
    }
  }

  *#faultsOfTurns(whole: readonly AgentEvent[]): Generator<string> {
    let turn: { text: string; hasGap: boolean } | null = null;
    let isAfterGap = false; // the agent continues a turn that the gap has closed, beside the next one
    for (const event of whole) {
      if (event.kind === 'turn.started') {
        if (turn) yield 'a turn began in another one';
        turn = { text: '', hasGap: isAfterGap };
      }
      if (event.kind === 'message.delta' && turn) turn.text += event.text;
      if (isGap(event)) {
        if (!this.#world.isTouched(this.handle.id))
          yield `a gap, where no fault of the disk was injected: ${event.text}`;
        if (turn) turn.hasGap = true;
        isAfterGap = true;
      }
      if (event.kind !== 'turn.ended') continue;
      if (!turn) yield 'a turn ended that had not begun';
      else if (event.outcome !== 'completed' && !this.isKilled && !turn.hasGap)
        yield `a turn ended as ${event.outcome} (${event.error?.message ?? event.stopReason ?? 'no reason'})`;
      else if (event.outcome === 'completed' && turn.text !== TEXTS[this.kind] && !turn.hasGap)
        yield `the text of a turn is ${turn.text}`;
      turn = null;
    }
    if (turn) yield 'a turn has no end';
  }

  #hasTurnEnded(id: string): boolean {
    const from = this.events.findIndex(
      (event) => event.kind === 'turn.started' && event.clientIds?.includes(id) === true,
    );
    return from >= 0 && this.events.slice(from).some(({ kind }) => kind === 'turn.ended');
  }

  /** Returns the received lines; a line that was cut by the agent's death does not count. */
  #receivedLines(): ReceivedLine[] {
    if (!existsSync(this.#received)) return [];
    const lines = readFileSync(this.#received, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as ReceivedLine);
  }
}

function isGap(event: AgentEvent): event is Extract<AgentEvent, { readonly kind: 'notice' }> {
  return event.kind === 'notice' && event.code === 'gap';
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return []; // it is gone
  }
}

function commandLine(pid: number): string {
  try {
    return statusField(pid, 'State').startsWith('Z') ? '' : readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
