/** Tracks whether a turn runs: when the bridge's input ends, the agent finishes its turn first. */

/** The time within which the agent starts work on a prompt that it has accepted; after that it never does. */
const TAKEN_MS_MAX = 10_000;
const TURN = /^POST \/session\/([^/]+)\/(prompt_async|command|summarize|shell|message)$/;

export class PromptActivity {
  /** Sessions with a prompt: its time, and whether the agent has started to work on it. */
  readonly #busy = new Map<string, { readonly since: number; hasBegun: boolean }>();
  #changed = Promise.withResolvers<void>();

  called(http: string, status: number): void {
    const session = TURN.exec(http)?.[1];
    if (session === undefined || status >= 400) return;
    if (!this.#busy.has(session)) this.#busy.set(session, { since: performance.now(), hasBegun: false });
  }

  event(json: string): void {
    const [, type, status] =
      /"type":"session\.(status|idle)","properties":\{"sessionID":"[^"]+"(?:,"status":\{"type":"(\w+)")?/.exec(json) ??
      [];
    const session = /"sessionID":"([^"]+)"/.exec(json)?.[1];
    if (type === undefined || session === undefined) return;
    const known = this.#busy.get(session);
    if (type === 'status' && status !== 'idle')
      this.#busy.set(session, { since: known?.since ?? performance.now(), hasBegun: true });
    else if (known?.hasBegun) this.#busy.delete(session);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves with the next event of a session. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** `working` has the sessions that the agent itself reports as working. */
  isIdle(working: readonly string[]): boolean {
    for (const [session, { since, hasBegun }] of this.#busy)
      if (!working.includes(session) && (hasBegun || performance.now() - since > TAKEN_MS_MAX))
        this.#busy.delete(session);
    return this.#busy.size === 0 && working.length === 0;
  }
}
