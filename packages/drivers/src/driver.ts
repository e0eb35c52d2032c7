/** A dialect with its state: takes inputs, and puts each event into its envelope. Keeps DRV-10. */
import type { AgentBody, AgentEvent, AgentEvidence, AgentSource } from '@spool/protocol/agent';
import type { Dialect, DialectOptions, DriverInput, Step } from './dialect.ts';

export interface DriverOutput {
  readonly events: readonly AgentEvent[];
  readonly writes: readonly string[];
  /** Whether the agent's input ends after these lines. */
  readonly closes?: boolean;
}

/** The state with which another driver continues. It is plain JSON. */
export interface DriverState {
  readonly state: unknown;
  readonly seq: number;
}

/** The bytes of the output log that an event was read from. */
export interface RawSpan {
  readonly offset: number;
  readonly length: number;
}

export class Driver {
  readonly #dialect: Dialect;
  readonly #session: string;
  #state: unknown;
  #seq: number;

  constructor(dialect: Dialect, session: string, options: DialectOptions = {}, from?: DriverState) {
    this.#dialect = dialect;
    this.#session = session;
    this.#state = from ? from.state : dialect.initial(options);
    this.#seq = from?.seq ?? 0;
  }

  get source(): AgentSource {
    return this.#dialect.source;
  }

  take(input: DriverInput): DriverOutput {
    const { events, ...rest } = this.step(input);
    const isLine = input.type === 'line';
    const raw = isLine ? { offset: input.offset, length: input.length } : undefined;
    return { events: events.map((body) => this.envelop(body, input.at, isLine ? 'wire' : 'daemon', raw)), ...rest };
  }

  /** Takes an input, and returns the events without their envelopes; they get their numbers when they are published. */
  step(input: DriverInput): Omit<Step<unknown>, 'state'> {
    const { state, ...rest } = this.#dialect.step(this.#state, input);
    this.#state = state;
    return rest;
  }

  /** Returns the event with the next number. */
  envelop(body: AgentBody, at: number, evidence: AgentEvidence, raw?: RawSpan): AgentEvent {
    const { source } = this;
    return { seq: this.#seq++, at, session: this.#session, source, evidence, ...(raw && { raw }), ...body };
  }

  /** Counts events that an earlier driver has published. */
  skip(events: number): void {
    this.#seq += events;
  }

  get checkpoint(): DriverState {
    return { state: this.#state, seq: this.#seq };
  }
}
