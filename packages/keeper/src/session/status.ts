/**
 * Holds the latest status of a session and notifies waiters and subscribers. The status comes from the screen thread;
 * before and after that, from the session's lifecycle. Keeps STATE-5: waiters are notified, and never poll.
 */
import type { Milestone, SessionState, Status, StatusInfo, WaitUntil } from '@spool/protocol';

interface Wait {
  readonly until: ReadonlySet<WaitUntil>;
  /** Only observations beyond this offset count. */
  readonly after: number;
  readonly outputAfter: number;
  readonly resolve: (reason: WaitUntil) => void;
}

export interface Wanted {
  readonly until: readonly WaitUntil[];
  readonly after?: number | undefined;
  readonly outputAfter?: number | undefined;
}

/** Claude draws a dialog a second or two after it has reported it. */
const UNDRAWN_MS_MAX = 3000;

const WAITED_STATES: readonly WaitUntil[] = ['blocked', 'prompt', 'idle'];

export class SessionStatus {
  readonly #waits = new Set<Wait>();
  #status: Status;
  /** The status is true up to this offset. */
  #lookedTo = 0;
  #look: PromiseWithResolvers<void> | null = null;
  #undrawn: NodeJS.Timeout | null = null;
  milestone: Milestone | null = null;
  title = '';

  constructor(startedAt: number) {
    const why = 'the child was started and has written nothing yet';
    this.#status = plainStatus('starting', startedAt, why);
  }

  get current(): Status {
    return this.#status;
  }

  set current(status: Status) {
    this.#status = status;
    this.#tellLook();
    this.#tellWaits();
  }

  get info(): StatusInfo {
    const { evidence, ...rest } = this.#status;
    return { ...rest, why: evidence[0]?.why ?? '' };
  }

  lookedTo(offset: number): void {
    this.#lookedTo = Math.max(this.#lookedTo, offset);
    this.#tellLook();
    this.#tellWaits();
  }

  grown(end: number): void {
    if (this.#waits.size === 0) return;
    for (const wait of this.#waits) if (wait.until.has('output') && end > wait.outputAfter) this.#end(wait, 'output');
  }

  exited(state: SessionState, exitCode: number | null, signal: string | null, at: number, offset: number): void {
    this.#status = { ...plainStatus('exited', at, endSentence(state, exitCode, signal)), offset };
    this.#tellLook();
    for (const wait of this.#waits) this.#end(wait, 'exit');
  }

  /** Calls back once, at once if the condition holds already. Returns a function that cancels the wait. */
  wait({ until, after, outputAfter }: Wanted, end: number, callback: (reason: WaitUntil) => void): () => void {
    // Without an offset, a state that holds already counts, and output counts from now on.
    const wait: Wait = {
      until: new Set(until),
      after: after ?? -1,
      outputAfter: outputAfter ?? after ?? end,
      resolve: callback,
    };
    const reason =
      this.#status.state === 'exited'
        ? 'exit'
        : (this.#reasonFor(wait) ?? (wait.until.has('output') && end > wait.outputAfter ? 'output' : undefined));
    if (reason) {
      callback(reason);
      return () => {};
    }
    this.#waits.add(wait);
    return () => this.#waits.delete(wait);
  }

  /** Resolves at the next look, change or end. */
  nextLook(): Promise<void> {
    this.#look ??= Promise.withResolvers();
    return this.#look.promise;
  }

  get lookedOffset(): number {
    return this.#lookedTo;
  }

  #tellWaits(): void {
    for (const wait of this.#waits) {
      const reason = this.#reasonFor(wait);
      if (reason) this.#end(wait, reason);
    }
  }

  #tellLook(): void {
    this.#look?.resolve();
    this.#look = null;
  }

  #reasonFor({ until, after }: Wait): WaitUntil | undefined {
    // A program reports what it is about to show: a client that acts on it should find it on the screen.
    if (this.#lookedTo <= after || this.#lookedTo < this.#status.offset) return undefined;
    if (until.has('blocked') && this.#isUndrawn()) return undefined;
    return WAITED_STATES.find((state) => until.has(state) && isNow(this.#status, state));
  }

  /** It has reported a question that its screen does not show yet: a waiter is told with the words, but not for ever. */
  #isUndrawn(): boolean {
    const { state, source, question, since } = this.#status;
    if (state !== 'blocked' || source !== 'program' || question !== undefined) return false;
    const leftMs = since + UNDRAWN_MS_MAX - Date.now();
    if (leftMs <= 0 || leftMs > UNDRAWN_MS_MAX) return false; // the clock may have been set back
    this.#undrawn ??= setTimeout(() => {
      this.#undrawn = null;
      this.#tellWaits();
    }, leftMs).unref();
    return true;
  }

  #end(wait: Wait, reason: WaitUntil): void {
    this.#waits.delete(wait);
    wait.resolve(reason);
  }
}

function isNow({ state, kind }: Status, wanted: WaitUntil): boolean {
  return wanted === 'prompt' ? state === 'idle' && kind === 'prompt' : state === wanted;
}

function plainStatus(state: 'starting' | 'exited', at: number, why: string): Status {
  return {
    state,
    since: at,
    source: 'process',
    confidence: 1,
    evidence: [{ source: 'process', says: state, why, rule: null, confidence: 1, at, offset: 0 }],
    kind: null,
    agent: null,
    activity: null,
    thought: null,
    progress: null,
    offset: 0,
  };
}

function endSentence(state: SessionState, exitCode: number | null, signal: string | null): string {
  if (state === 'lost') return 'the whole daemon died, and the end of the child was not seen';
  const how = exitCode !== null ? `with exit code ${exitCode}` : signal !== null ? `by ${signal}` : 'in an unknown way';
  const who = state === 'stopped' || state === 'killed' ? `; somebody had it ${state}` : '';
  return `the child ended ${how}${who}`;
}
