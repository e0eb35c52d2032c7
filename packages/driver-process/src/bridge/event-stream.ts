/**
 * The agent's server-sent events. A stream that ends or falls silent is opened again, for as long as the agent lives; the agent
 * then says `server.connected` once more, and the driver asks it for what it may have missed. Keeps HTTP-2.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SseFraming } from '@spool/drivers/framing';
import type { HttpLink } from './http-link.ts';
import { LineSplitter } from './line-splitter.ts';

/** The agent sends a sign of life every 10 s. */
const SILENT_MS_MAX = 45_000;
const CONNECT_MS_MAX = 20_000;
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 5000;
const EVENT_BYTES_MAX = 32 * 1024 * 1024;
const HEARTBEAT = '"type":"server.heartbeat"';
/** Where the type of an event stands. */
const HEAD_CHARACTERS = 120;

export interface EventStreamOptions {
  readonly link: HttpLink;
  readonly path: string;
  /** The data of an event: JSON in one line. */
  onEvent(json: string): void;
  onLost(why: string): void;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  readonly connected: Promise<void>;
  #onConnected!: () => void;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.connected = new Promise((resolve) => (this.#onConnected = resolve));
  }

  /** Until `signal`. */
  async run(signal: AbortSignal): Promise<void> {
    let waitMs = AGAIN_MS_FIRST;
    while (!signal.aborted) {
      const response = await this.#open(signal);
      if (response) {
        waitMs = AGAIN_MS_FIRST;
        const why = await this.#read(response);
        if (signal.aborted) return;
        this.#options.onLost(why);
      }
      await sleep(waitMs, undefined, { signal }).catch(() => {}); // aborted: the loop ends
      waitMs = Math.min(AGAIN_MS_MAX, waitMs * 2);
    }
  }

  async #open(signal: AbortSignal): Promise<IncomingMessage | undefined> {
    const connecting = new AbortController();
    const stop = (): void => connecting.abort();
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(stop, CONNECT_MS_MAX);
    try {
      const response = await this.#options.link.open('GET', this.#options.path, { signal: connecting.signal });
      if (response.statusCode === 200) return response;
      response.destroy();
      return undefined;
    } catch {
      return undefined; // it is tried again
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves with the reason when the stream has ended. */
  #read(response: IncomingMessage): Promise<string> {
    const sse = new SseFraming();
    const lines = new LineSplitter(EVENT_BYTES_MAX, (bytes) => {
      this.#options.onLost(`an event of ${bytes} bytes`);
    });
    return new Promise((resolve) => {
      response.setTimeout(SILENT_MS_MAX, () => response.destroy(new Error('it fell silent')));
      response.on('data', (chunk: Buffer) => {
        for (const line of lines.push(chunk)) this.#take(sse.line(line));
      });
      response.on('error', (error) => resolve(error.message));
      response.on('close', () => resolve('it ended'));
    });
  }

  #take(data: string | undefined): void {
    if (data === undefined) return;
    const head = data.slice(0, HEAD_CHARACTERS);
    if (head.includes(HEARTBEAT)) return; // a line every 10 s would wake everybody up for nothing
    this.#options.onEvent(data.includes('\n') ? data.replaceAll('\n', ' ') : data);
    if (head.includes('"type":"server.connected"')) this.#onConnected();
  }
}
