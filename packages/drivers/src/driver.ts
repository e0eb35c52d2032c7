/** A dialect at work: it keeps the state, and puts each event into its envelope. Keeps DRV-10. */
import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import type { Dialect, DialectOptions, DriverInput } from './dialect.ts';

export interface DriverOutput {
  readonly events: readonly AgentEvent[];
  readonly writes: readonly string[];
  /** The agent's input ends after these. */
  readonly closes?: boolean;
}

/** Where to go on: what a driver that was started again knows from the logs. */
export interface Checkpoint {
  readonly state: unknown;
  readonly seq: number;
}

export class Driver {
  readonly #dialect: Dialect;
  readonly #session: string;
  #state: unknown;
  #seq: number;

  constructor(dialect: Dialect, session: string, options: DialectOptions = {}, from?: Checkpoint) {
    this.#dialect = dialect;
    this.#session = session;
    this.#state = from ? from.state : dialect.initial(options);
    this.#seq = from?.seq ?? 0;
  }

  take(input: DriverInput): DriverOutput {
    const { state, events, ...rest } = this.#dialect.step(this.#state, input);
    this.#state = state;
    const isLine = input.type === 'line';
    const raw = isLine ? { raw: { offset: input.offset, length: input.length } } : {};
    const envelope = {
      at: input.at,
      session: this.#session,
      source: this.#dialect.source,
      evidence: isLine ? ('wire' as const) : ('daemon' as const),
    };
    return { events: events.map((body) => ({ seq: this.#seq++, ...envelope, ...body, ...raw })), ...rest };
  }

  /** An event that no input gave, such as the refusal of what is not a command. */
  say(body: AgentBody, at: number): AgentEvent {
    const { source } = this.#dialect;
    return { seq: this.#seq++, at, session: this.#session, source, evidence: 'daemon', ...body };
  }

  /** Plain JSON; with it and the rest of the logs another driver goes on. */
  get checkpoint(): Checkpoint {
    return { state: this.#state, seq: this.#seq };
  }
}
