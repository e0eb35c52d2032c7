/**
 * The agent as its driver knows it: the dialect's state, what is to be published, and what is to be written. A function of its
 * inputs, so a driver that was killed gets the same from the logs: `replay` takes a batch of the events log again.
 */
import type { CommandInput, Dialect, DialectOptions, DriverInput } from '@spool/drivers';
import type { BatchRecord } from '@spool/protocol';
import type { AgentBody, AgentEvent, AgentSource } from '@spool/protocol/agent';
import { AgentStatus, type StatusState } from './agent-status.ts';

/** Ids of commands are remembered for this many: the same one again is not a second command. */
const IDS_MAX = 5000;

export interface Unpublished {
  readonly body: AgentBody;
  readonly raw?: { readonly offset: number; readonly length: number };
  readonly isWire: boolean;
}

export interface MachineState {
  readonly dialect: unknown;
  readonly seq: number;
  readonly ids: readonly string[];
  readonly status: StatusState;
}

export class AgentMachine {
  readonly status: AgentStatus;
  readonly #dialect: Dialect;
  readonly #session: string;
  #state: unknown;
  #seq: number;
  readonly #ids: Set<string>;
  /** What inputs meant, and no record has yet. */
  readonly #events: Unpublished[] = [];
  #writes: string[] = [];
  #closes = false;

  constructor(dialect: Dialect, session: string, options: DialectOptions, from?: MachineState) {
    this.#dialect = dialect;
    this.#session = session;
    this.#state = from ? from.dialect : dialect.initial(options);
    this.#seq = from?.seq ?? 0;
    this.#ids = new Set(from?.ids);
    this.status = new AgentStatus(from?.status);
  }

  /** Plain JSON: with it, another one goes on. Only complete while nothing is unpublished. */
  get state(): MachineState {
    return { dialect: this.#state, seq: this.#seq, ids: [...this.#ids], status: this.status.state };
  }

  get source(): AgentSource {
    return this.#dialect.source;
  }

  get hasUnpublished(): boolean {
    return this.#events.length > 0 || this.#writes.length > 0 || this.#closes;
  }

  get unpublished(): number {
    return this.#events.length;
  }

  /** The bodies that this input gave. */
  take(input: DriverInput): readonly AgentBody[] {
    if (input.type === 'command' && !this.#isNew(input)) return [];
    if (input.type === 'command' && input.command.do === 'close') {
      this.#closes = true;
      return [];
    }
    const { state, events, writes, closes } = this.#dialect.step(this.#state, input);
    this.#state = state;
    this.#closes ||= closes === true;
    const raw = input.type === 'line' ? { offset: input.offset, length: input.length } : undefined;
    const isWire = input.type === 'line' || input.type === 'command';
    for (const body of events) this.#events.push({ body, isWire, ...(raw && { raw }) });
    this.#writes.push(...writes);
    return events;
  }

  /** The next event to publish, in its envelope. */
  next(at: number): AgentEvent | undefined {
    const first = this.#events.shift();
    if (!first) return undefined;
    const { body, raw, isWire } = first;
    const envelope = { seq: this.#seq++, at, session: this.#session, source: this.source };
    const event = { ...envelope, evidence: isWire ? 'wire' : 'daemon', ...(raw && { raw }), ...body } as AgentEvent;
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

  /** A batch of an earlier driver, after its inputs were taken. Returns what it had to write. */
  replayed({ events, more, writes = [], closes = false }: BatchRecord): { lines: readonly string[]; closes: boolean } {
    this.#events.splice(0, more ? events.length : this.#events.length); // what was published is as it was published
    for (const event of events) this.status.take(event);
    this.#seq += events.length;
    if (more) return { lines: [], closes: false };
    const taken = this.takeWrites();
    const lines = writes.map((line, at) => (typeof line === 'string' ? line : (taken.lines[at] ?? '')));
    return { lines, closes };
  }

  #isNew({ id }: CommandInput): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > IDS_MAX) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}
