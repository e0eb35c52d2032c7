/**
 * The driver's model of an agent: the dialect's state, the events to publish, and the lines to write. It depends only on its
 * inputs, so the successor of a killed driver rebuilds the same state from the logs: `replay` takes a batch of the events log
 * again.
 */
import {
  commandFault,
  type CommandInput,
  type Dialect,
  type DialectOptions,
  Driver,
  type DriverInput,
  type RawSpan,
} from '@spool/drivers';
import type { BatchRecord } from '@spool/protocol';
import type { AgentBody, AgentEvent, AgentEvidence, AgentSource } from '@spool/protocol/agent';
import { AgentStatus, type AgentStatusState } from './agent-status.ts';

/** The number of command ids that are kept: a repeated id is not a second command. */
const IDS_MAX = 5000;

export interface UnpublishedEvent {
  readonly body: AgentBody;
  readonly raw?: RawSpan;
  readonly evidence: AgentEvidence;
}

export interface MachineState {
  readonly dialect: unknown;
  readonly seq: number;
  readonly ids: readonly string[];
  readonly status: AgentStatusState;
}

export class AgentMachine {
  readonly status: AgentStatus;
  readonly #driver: Driver;
  readonly #ids: Set<string>;
  /** Events whose inputs are not in a record yet. */
  readonly #events: UnpublishedEvent[] = [];
  #writes: string[] = [];
  #closes = false;

  readonly #isChannel: boolean;

  /** `isChannel`: the lines are of a side channel, not of the output. */
  constructor(dialect: Dialect, session: string, options: DialectOptions, from?: MachineState, isChannel = false) {
    this.#isChannel = isChannel;
    this.#driver = new Driver(dialect, session, options, from && { state: from.dialect, seq: from.seq });
    this.#ids = new Set(from?.ids);
    this.status = new AgentStatus(from?.status);
  }

  /**
   * The state as plain JSON, from which the machine of another driver can continue. It is complete only if all events are
   * published.
   */
  get state(): MachineState {
    const { state: dialect, seq } = this.#driver.checkpoint;
    return { dialect, seq, ids: [...this.#ids], status: this.status.state };
  }

  get source(): AgentSource {
    return this.#driver.source;
  }

  get hasUnpublished(): boolean {
    return this.#events.length > 0 || this.#writes.length > 0 || this.#closes;
  }

  get unpublished(): number {
    return this.#events.length;
  }

  /** Takes an input, and returns the events that it causes. */
  take(input: DriverInput): readonly AgentBody[] {
    if (input.type === 'command' && !this.#isNew(input)) return [];
    if (input.type === 'command' && isClose(input)) {
      this.#closes = true;
      return [];
    }
    const { events, writes, closes } = this.#driver.step(input);
    this.#closes ||= closes === true;
    // The events log refers to lines by their offset in the output; the lines of a side channel are not in the output.
    const isOutput = input.type === 'line' && !this.#isChannel;
    const raw = isOutput ? { offset: input.offset, length: input.length } : undefined;
    const evidence = this.#evidenceOf(input);
    for (const body of events) this.#events.push({ body, evidence, ...(raw && { raw }) });
    this.#writes.push(...writes);
    return events;
  }

  /** Returns the next event to publish, in its envelope. */
  next(at: number): AgentEvent | undefined {
    const first = this.#events.shift();
    if (!first) return undefined;
    const { body, raw, evidence } = first;
    const event = this.#driver.envelop(body, at, evidence, raw);
    this.status.take(event);
    return event;
  }

  takeWrites(): { readonly lines: readonly string[]; readonly closes: boolean } {
    const lines = this.#writes;
    const closes = this.#closes;
    this.#writes = [];
    this.#closes = false;
    return { lines, closes };
  }

  /** Takes a batch of an earlier driver, after its inputs were taken. Returns the lines that the earlier driver had to write. */
  replayed({ events, more, writes = [], closes = false }: BatchRecord): { lines: readonly string[]; closes: boolean } {
    this.#events.splice(0, more ? events.length : this.#events.length); // published events are kept in their published form
    for (const event of events) this.status.take(event);
    this.#driver.skip(events.length);
    if (more) return { lines: [], closes: false };
    const taken = this.takeWrites();
    const lines = writes.map((line, at) => (typeof line === 'string' ? line : (taken.lines[at] ?? '')));
    return { lines, closes };
  }

  /** Notes a prompt that is in the log and has not been taken yet. */
  promptSent({ command }: Pick<CommandInput, 'command'>): void {
    if (commandFault(command) === null && command.do === 'prompt') this.status.promptSent(command.clientId);
  }

  #evidenceOf(input: DriverInput): AgentEvidence {
    if (input.type !== 'line') return input.type === 'command' ? 'wire' : 'daemon';
    if (!this.#isChannel) return 'wire';
    if (input.text.startsWith('{"relay"')) return 'wire';
    return input.text.startsWith('{"hook"') ? 'hook' : 'file';
  }

  #isNew({ id }: CommandInput): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > IDS_MAX) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}

function isClose({ command }: CommandInput): boolean {
  return commandFault(command) === null && command.do === 'close';
}
