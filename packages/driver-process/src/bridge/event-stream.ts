/**
 * Reads the agent's server-sent events. A stream that ends or becomes silent is opened again as long as the agent lives; the agent
 * then repeats `server.connected`, and the driver requests the events that it may have missed. Keeps HTTP-2.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineFraming } from '@spool/protocol/line-framing';
import { SseFraming } from '@spool/drivers/framing/sse';
import type { HttpLink } from './http-link.ts';

/** The longest silence of a stream: the agent sends a heartbeat every 10 s. */
const SILENT_MS_MAX = 45_000;
const CONNECT_MS_MAX = 20_000;
const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 5000;
const EVENT_BYTES_MAX = 32 * 1024 * 1024;
const UNAUTHORIZED = 401;
const HEARTBEAT = '"type":"server.heartbeat"';
/** The part of an event that contains its type. */
const HEAD_CHARACTERS = 120;

export interface AgentEventStreamOptions {
  readonly link: HttpLink;
  readonly path: string;
  /** Reports the data of an event: JSON in one line. */
  onEvent(json: string): void;
  onLost(why: string): void;
  /** Reports that the server does not accept the password. */
  onRefused?(): void;
  /** The longest silence of a stream (default: SILENT_MS_MAX). */
  readonly silentMsMax?: number;
}

export class AgentEventStream {
  readonly #options: AgentEventStreamOptions;
  readonly connected: Promise<void>;
  #onConnected!: () => void;

  constructor(options: AgentEventStreamOptions) {
    this.#options = options;
    this.connected = new Promise((resolve) => (this.#onConnected = resolve));
  }

  /** Reads events until `signal` is aborted. */
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
      if (response.statusCode === UNAUTHORIZED) this.#options.onRefused?.();
      return undefined;
    } catch {
      return undefined; // the caller retries
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves with the reason when the stream has ended. */
  #read(response: IncomingMessage): Promise<string> {
    const sse = new SseFraming();
    const lines = new LineFraming({ bytesMax: EVENT_BYTES_MAX });
    return new Promise((resolve) => {
      response.setTimeout(this.#options.silentMsMax ?? SILENT_MS_MAX, () =>
        response.destroy(new Error('it fell silent')),
      );
      response.on('data', (chunk: Buffer) => {
        for (const { text, length, isDropped } of lines.push(chunk))
          if (isDropped) this.#options.onLost(`an event of ${length} bytes`);
          else this.#take(sse.line(text));
      });
      response.on('error', (error) => resolve(error.message));
      response.on('close', () => resolve('it ended'));
    });
  }

  #take(data: string | undefined): void {
    if (data === undefined) return;
    const head = data.slice(0, HEAD_CHARACTERS);
    if (head.includes(HEARTBEAT)) return; // a line every 10 s would wake all readers needlessly
    this.#options.onEvent(data.includes('\n') ? data.replaceAll('\n', ' ') : data);
    if (head.includes('"type":"server.connected"')) this.#onConnected();
  }
}
