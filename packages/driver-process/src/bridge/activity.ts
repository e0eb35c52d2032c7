/** Whether a turn runs, as far as the bridge must know it: when its input ends, the agent finishes what it does. */

/** A prompt that was taken is worked on within this time, or never. */
const TAKEN_MS_MAX = 10_000;
const TURN = /^POST \/session\/([^/]+)\/(prompt_async|command|summarize|shell|message)$/;

export class Activity {
  /** Sessions with a prompt: since when, and whether the agent has been seen to work on it. */
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

  /** The next event of a session. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** `working`: the sessions that the agent itself says are at work. */
  isIdle(working: readonly string[]): boolean {
    for (const [session, { since, hasBegun }] of this.#busy)
      if (!working.includes(session) && (hasBegun || performance.now() - since > TAKEN_MS_MAX))
        this.#busy.delete(session);
    return this.#busy.size === 0 && working.length === 0;
  }
}
