/**
 * One reader of events (SSE). It has a place in the ring and no queue of its own: while it does not read, it costs what its socket holds,
 * and when the ring has moved on it is told that it missed something. Keeps API-2.
 */
import type { ServerResponse } from 'node:http';
import type { Entry, EventRing, Missed } from './event-ring.ts';

/** A client that has read nothing for so many heartbeats is gone. */
const SILENT_BEATS_MAX = 6;

/** How soon a browser comes again. */
const RETRY_MS = 1000;

export interface EventStreamOptions {
  readonly ring: EventRing;
  readonly response: Pick<ServerResponse, 'write' | 'destroy' | 'on'>;
  /** What this client is told of an event: JSON, or nothing. */
  readonly told: (entry: Entry) => string | null;
  readonly lastId: string | undefined;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  #next: number;
  #isFull = false;
  #silentBeats = 0;

  constructor(options: EventStreamOptions) {
    const { ring, response, lastId } = options;
    this.#options = options;
    const next = lastId === undefined ? ring.end : ring.after(lastId);
    this.#next = next ?? ring.end;
    response.on('drain', () => {
      this.#isFull = false;
      this.#silentBeats = 0;
      this.flush();
    });
    // A client that leaves before the first event can come back without missing it.
    this.#write(`retry: ${RETRY_MS}\nid: ${ring.idBefore(this.#next)}\n\n`);
    if (next === null) this.#miss('unknown-id');
    this.flush();
  }

  /** Sends what is new, as far as the client reads. */
  flush(): void {
    const { ring, told } = this.#options;
    while (!this.#isFull && this.#next < ring.end) {
      const entry = ring.get(this.#next);
      if (entry === undefined) {
        this.#miss('slow-reader');
        continue;
      }
      this.#next++;
      const json = told(entry);
      if (json !== null) this.#send(entry.event.type, json);
    }
  }

  /** Shows that the connection lives. The id moves on, so that a client which wants few events is not too old after many others. */
  beat(): void {
    if (!this.#isFull) this.#write(`: heartbeat\nid: ${this.#options.ring.idBefore(this.#next)}\n\n`);
    else if (++this.#silentBeats >= SILENT_BEATS_MAX) this.#options.response.destroy();
  }

  #miss(reason: Missed['reason']): void {
    this.#next = this.#options.ring.end;
    this.#send('missed', JSON.stringify({ type: 'missed', at: Date.now(), reason } satisfies Missed));
  }

  #send(type: string, json: string): void {
    this.#write(`event: ${type}\nid: ${this.#options.ring.idBefore(this.#next)}\ndata: ${json}\n\n`);
  }

  #write(text: string): void {
    this.#isFull = !this.#options.response.write(text);
  }
}
