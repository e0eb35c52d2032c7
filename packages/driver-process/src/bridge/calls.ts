/**
 * Calls of the agent's interface: a line `{"id", "http": "POST /session", "body"}` is a call, and its answer is a line with
 * the same id, `{"id", "http", "status", "body"}`. They are made in order, each after the answer to the one before. Two
 * fields change that: `"wait": false` for a call that is answered only when a turn has ended, `"afterMs"` for one that is made later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpLink } from './http-link.ts';

const AFTER_MS_MAX = 60_000;

interface Call {
  readonly id: string;
  readonly http: string;
  readonly body?: unknown;
  readonly wait?: boolean;
  readonly afterMs?: number;
}

export interface CallsOptions {
  readonly link: HttpLink;
  print(line: string): void;
  /** A call was made, and this is its status. */
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

  /** Resolves when all calls so far are answered, but for the patient ones. */
  settled(): Promise<void> {
    return this.#last;
  }

  #enqueue(call: Call): void {
    this.#last = this.#last.then(async () => {
      const made = this.#make(call);
      if (call.wait !== false) await made;
    });
  }

  async #make({ id, http, body, wait }: Call): Promise<void> {
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

function callOf(line: string): Call | undefined {
  try {
    const call = JSON.parse(line) as Partial<Call> | null;
    return typeof call?.id === 'string' && /^[A-Z]+ \//.test(call.http ?? '') ? (call as Call) : undefined;
  } catch {
    return undefined; // no JSON
  }
}
