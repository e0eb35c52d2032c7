/**
 * One reader of events (SSE). It has a position in the ring and no queue: while it does not read, it costs only the content of
 * its socket, and if its position was overwritten it gets the notice that it missed events. Keeps API-2.
 */
import type { ServerResponse } from 'node:http';
import type { RingEntry, EventRing, MissedEvents } from './event-ring.ts';

/** The number of heartbeats without a read after which a client counts as gone. */
const SILENT_BEATS_MAX = 6;

/** The time after which a browser reconnects. */
const RETRY_MS = 1000;

export interface EventStreamOptions {
  readonly ring: EventRing;
  readonly response: Pick<ServerResponse, 'write' | 'destroy' | 'on'>;
  /** Returns the event as JSON for this client, or null if it may not see it. */
  readonly told: (entry: RingEntry) => string | null;
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
    // A client that disconnects before the first event can reconnect without missing it.
    this.#write(`retry: ${RETRY_MS}\nid: ${ring.idBefore(this.#next)}\n\n`);
    if (next === null) this.#miss('unknown-id');
    this.flush();
  }

  /** Sends new events, as far as the client reads. */
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

  /** Sends a heartbeat. The id advances, so that a client that wants few events is not too old after many others. */
  beat(): void {
    if (!this.#isFull) this.#write(`: heartbeat\nid: ${this.#options.ring.idBefore(this.#next)}\n\n`);
    else if (++this.#silentBeats >= SILENT_BEATS_MAX) this.#options.response.destroy();
  }

  #miss(reason: MissedEvents['reason']): void {
    this.#next = this.#options.ring.end;
    this.#send('missed', JSON.stringify({ type: 'missed', at: Date.now(), reason } satisfies MissedEvents));
  }

  #send(type: string, json: string): void {
    this.#write(`event: ${type}\nid: ${this.#options.ring.idBefore(this.#next)}\ndata: ${json}\n\n`);
  }

  #write(text: string): void {
    this.#isFull = !this.#options.response.write(text);
  }
}
