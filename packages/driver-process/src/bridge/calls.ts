/**
 * Makes calls of the agent's interface: a line `{"id", "http": "POST /session", "body"}` is a call, and its answer is a line with
 * the same id, `{"id", "http", "status", "body"}`. They are made in order, each after the answer to the one before. Two fields
 * change that: `"wait": false` for a call whose answer comes at the end of a turn, `"afterMs"` for a delayed call.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpLink } from './http-link.ts';

const AFTER_MS_MAX = 60_000;

interface PendingCall {
  readonly id: string;
  readonly http: string;
  readonly body?: unknown;
  readonly wait?: boolean;
  readonly afterMs?: number;
}

export interface CallsOptions {
  readonly link: HttpLink;
  print(line: string): void;
  /** Reports the status of a call that was made. */
  onMade(http: string, status: number): void;
}

export class Calls {
  readonly #options: CallsOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  take(line: string): void {
    const call = callOf(line);
    if (!call)
      return this.#options.print(JSON.stringify({ type: 'bridge.refused', properties: { reason: 'no call' } }));
    if (call.afterMs !== undefined)
      void sleep(Math.min(AFTER_MS_MAX, call.afterMs)).then(() => this.#enqueue({ ...call }));
    else this.#enqueue(call);
  }

  /** Resolves when all calls so far are answered, except those with `"wait": false`. */
  settled(): Promise<void> {
    return this.#last;
  }

  #enqueue(call: PendingCall): void {
    this.#last = this.#last.then(async () => {
      const made = this.#make(call);
      if (call.wait !== false) await made;
    });
  }

  async #make({ id, http, body, wait }: PendingCall): Promise<void> {
    const { link, print, onMade } = this.#options;
    const { status, json } = await link.call(
      http,
      body === undefined ? undefined : JSON.stringify(body),
      wait === false,
    );
    onMade(http, status);
    const head = JSON.stringify({ id, http, status });
    print(json === undefined ? head : `${head.slice(0, -1)},"body":${json}}`);
  }
}

function callOf(line: string): PendingCall | undefined {
  try {
    const call = JSON.parse(line) as Partial<PendingCall> | null;
    return typeof call?.id === 'string' && /^[A-Z]+ \//.test(call.http ?? '') ? (call as PendingCall) : undefined;
  } catch {
    return undefined; // no JSON
  }
}
