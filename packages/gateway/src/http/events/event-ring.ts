/**
 * The latest events of the daemon, by number. An id names the gateway that created it, because the next gateway counts from the
 * start: a client with an id of another gateway, or with one that is too old, has missed events. Keeps API-2.
 */
import type { DaemonEvent, SessionInfo } from '@spool/protocol';

/** The notice that earlier events may be missing: the client must list again. */
export interface MissedEvents {
  readonly type: 'missed';
  readonly at: number;
  readonly reason: 'unknown-id' | 'slow-reader' | 'link-broken';
}

/** The session that an event is about, with the labels that it had. */
export type EventSubject = Pick<SessionInfo, 'id' | 'labels'>;

export interface RingEntry {
  readonly event: DaemonEvent | MissedEvents;
  readonly json: string;
  /** The session of the event; null if it is about none, or about all. */
  readonly about: EventSubject | null;
}

export interface RingLimits {
  readonly entriesMax: number;
  readonly charsMax: number;
}

/** The limits: an event usually has some hundred characters, so this is many minutes of a busy daemon. */
const LIMITS: RingLimits = { entriesMax: 8192, charsMax: 4 * 1024 * 1024 };

export class EventRing {
  readonly #generation: string;
  readonly #limits: RingLimits;
  readonly #entries = new Map<number, RingEntry>();
  #chars = 0;
  #first = 1;
  #end = 1;

  /** `generation` consists of lower-case letters and digits. */
  constructor(generation: string, limits: RingLimits = LIMITS) {
    this.#generation = generation;
    this.#limits = limits;
  }

  /** The number of the oldest event that is still kept. */
  get first(): number {
    return this.#first;
  }

  /** The number that the next event will get. */
  get end(): number {
    return this.#end;
  }

  push(event: DaemonEvent | MissedEvents, about: EventSubject | null): void {
    const json = JSON.stringify(event);
    this.#entries.set(this.#end++, { event, json, about });
    this.#chars += json.length;
    while (
      this.#entries.size > this.#limits.entriesMax ||
      (this.#chars > this.#limits.charsMax && this.#first < this.#end)
    )
      this.#forgetFirst();
  }

  get(number: number): RingEntry | undefined {
    return this.#entries.get(number);
  }

  /** Returns the id for a client that has seen all events before `number`. */
  idBefore(number: number): string {
    return `${this.#generation}-${number - 1}`;
  }

  /** Returns the number to continue with after an id; null if events may be missing. */
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
