/**
 * The latest events of the daemon, by number. An id names the gateway that gave it, because the next one counts anew: whoever comes
 * with an id of another gateway, or with one that is too old, has missed something. Keeps API-2.
 */
import type { DaemonEvent, SessionInfo } from '@spool/protocol';

/** Events are not complete before this one: list again. */
export interface Missed {
  readonly type: 'missed';
  readonly at: number;
  readonly reason: 'unknown-id' | 'slow-reader' | 'link-broken';
}

/** The session that an event is about, with the labels that it had. */
export type About = Pick<SessionInfo, 'id' | 'labels'>;

export interface Entry {
  readonly event: DaemonEvent | Missed;
  readonly json: string;
  /** Null: about none, or about all. */
  readonly about: About | null;
}

export interface RingLimits {
  readonly entriesMax: number;
  readonly charsMax: number;
}

/** Each event has some hundred characters as a rule: this is many minutes of a busy daemon. */
const LIMITS: RingLimits = { entriesMax: 8192, charsMax: 4 * 1024 * 1024 };

export class EventRing {
  readonly #generation: string;
  readonly #limits: RingLimits;
  readonly #entries = new Map<number, Entry>();
  #chars = 0;
  #first = 1;
  #end = 1;

  /** `generation` is lower-case letters and digits. */
  constructor(generation: string, limits: RingLimits = LIMITS) {
    this.#generation = generation;
    this.#limits = limits;
  }

  /** The number of the oldest event that is still here. */
  get first(): number {
    return this.#first;
  }

  /** The number that the next event will get. */
  get end(): number {
    return this.#end;
  }

  push(event: DaemonEvent | Missed, about: About | null): void {
    const json = JSON.stringify(event);
    this.#entries.set(this.#end++, { event, json, about });
    this.#chars += json.length;
    while (
      this.#entries.size > this.#limits.entriesMax ||
      (this.#chars > this.#limits.charsMax && this.#first < this.#end)
    )
      this.#forgetFirst();
  }

  get(number: number): Entry | undefined {
    return this.#entries.get(number);
  }

  /** For whoever has seen everything before `number`. */
  idBefore(number: number): string {
    return `${this.#generation}-${number - 1}`;
  }

  /** The number to continue with after an id; null if something may be missing. */
  after(id: string): number | null {
    const [, generation, number] = /^([0-9a-z]+)-(\d{1,15})$/.exec(id) ?? [];
    const next = Number(number) + 1;
    return generation === this.#generation && next >= this.#first && next <= this.#end ? next : null;
  }

  #forgetFirst(): void {
    this.#chars -= this.#entries.get(this.#first)!.json.length;
    this.#entries.delete(this.#first++);
  }
}
