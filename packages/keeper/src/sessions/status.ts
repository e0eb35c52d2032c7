/**
 * Holds the latest status of a session and notifies waiters and subscribers. The status comes from the screen thread; before and
 * after that, from the session's lifecycle. Keeps STATE-5: waiters are notified, and never poll. Keeps STATE-43.
 */
import { type AskScreen, ShownOutput } from '../viewers/shown-output.ts';
import {
  type Milestone,
  type SessionState,
  type Status,
  type StatusInfo,
  UNKNOWN_STATUS,
  type WaitUntil,
} from '@spool/protocol';

interface Wait {
  readonly until: ReadonlySet<WaitUntil>;
  /** The offset after which observations count. */
  readonly after: number;
  readonly outputAfter: number;
  readonly resolve: (reason: WaitUntil) => void;
  /** Detects visible output; null for a session without a screen. */
  shown: ShownOutput | null;
}

export interface WaitQuery {
  readonly until: readonly WaitUntil[];
  readonly after?: number | undefined;
  readonly outputAfter?: number | undefined;
}

/** The maximum wait for the words of a question: Claude draws a dialog a second or two after it has reported it. */
const UNDRAWN_MS_MAX = 3000;

/** The time after which a child without output no longer counts as starting. */
const STARTING_MS = 10_000;
const STARTING_CONFIDENCE_MIN = 0.5;

const WAITED_STATES: readonly WaitUntil[] = ['blocked', 'prompt', 'idle'];

export class SessionStatus {
  readonly #waits = new Set<Wait>();
  #status: Status;
  /** The offset up to which the status is true. */
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
    return aged(this.#status, Date.now());
  }

  set current(status: Status) {
    this.#status = status;
    this.#tellLook();
    this.#tellWaits();
  }

  get info(): StatusInfo {
    const { evidence, ...rest } = this.current;
    return { ...rest, why: evidence[0]?.why ?? '' };
  }

  lookedTo(offset: number): void {
    this.#lookedTo = Math.max(this.#lookedTo, offset);
    this.#tellLook();
    this.#tellWaits();
  }

  grown(end: number): void {
    if (this.#waits.size === 0) return;
    for (const wait of this.#waits) {
      if (wait.shown) wait.shown.grown(end);
      else if (wait.until.has('output') && end > wait.outputAfter) this.#end(wait, 'output');
    }
  }

  exited(state: SessionState, exitCode: number | null, signal: string | null, at: number, offset: number): void {
    this.#status = { ...plainStatus('exited', at, endSentence(state, exitCode, signal)), offset };
    this.#tellLook();
    for (const wait of this.#waits) this.#end(wait, 'exit');
  }

  /**
   * Calls back once; at once if the condition is already true. Returns a function that cancels the wait. With a screen, only
   * visible output counts.
   */
  wait(
    { until, after, outputAfter }: WaitQuery,
    end: number,
    callback: (reason: WaitUntil) => void,
    screen: AskScreen | null = null,
  ): () => void {
    // Without an offset, a state that is already reached counts, and output counts from now on.
    const wait: Wait = {
      until: new Set(until),
      after: after ?? -1,
      outputAfter: outputAfter ?? after ?? end,
      resolve: callback,
      shown: null,
    };
    const hasOutput = screen === null && wait.until.has('output') && end > wait.outputAfter;
    const reason =
      this.#status.state === 'exited' ? 'exit' : (this.#reasonFor(wait) ?? (hasOutput ? 'output' : undefined));
    if (reason) {
      callback(reason);
      return () => {};
    }
    this.#waits.add(wait);
    if (screen !== null && wait.until.has('output'))
      wait.shown = new ShownOutput(screen, wait.outputAfter, end, () => this.#end(wait, 'output'));
    return () => this.#forget(wait);
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
    // A program reports a state before it shows it: a client that acts on the report should find it on the screen.
    if (this.#lookedTo <= after || this.#lookedTo < this.#status.offset) return undefined;
    if (until.has('blocked') && this.#isUndrawn()) return undefined;
    return WAITED_STATES.find((state) => until.has(state) && isNow(this.#status, state));
  }

  /**
   * Returns whether the program has reported a question that its screen does not show yet. Waiters are notified once the words
   * are visible, or after a while.
   */
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

  #forget(wait: Wait): void {
    this.#waits.delete(wait);
    wait.shown?.close();
  }

  #end(wait: Wait, reason: WaitUntil): void {
    this.#forget(wait);
    wait.resolve(reason);
  }
}

/** Lowers the confidence of `starting`: the longer a child shows nothing, the less certain it is that it is only starting. */
function aged(status: Status, now: number): Status {
  if (status.state !== 'starting') return status;
  const part = Math.min(1, Math.max(0, (now - status.since) / STARTING_MS));
  const confidence = Math.round((1 - part * (1 - STARTING_CONFIDENCE_MIN)) * 100) / 100;
  const evidence = status.evidence.map((each) => (each.says === 'starting' ? { ...each, confidence } : each));
  return { ...status, confidence, evidence };
}

function isNow({ state, kind }: Status, wanted: WaitUntil): boolean {
  return wanted === 'prompt' ? state === 'idle' && kind === 'prompt' : state === wanted;
}

function plainStatus(state: 'starting' | 'exited', at: number, why: string): Status {
  const evidence: Status['evidence'] = [
    { source: 'process', says: state, why, rule: null, confidence: 1, at, offset: 0 },
  ];
  return { ...UNKNOWN_STATUS, state, since: at, evidence };
}

function endSentence(state: SessionState, exitCode: number | null, signal: string | null): string {
  if (state === 'lost') return 'the whole daemon died, and the end of the child was not seen';
  const how = exitCode !== null ? `with exit code ${exitCode}` : signal !== null ? `by ${signal}` : 'in an unknown way';
  const who = state === 'stopped' || state === 'killed' ? `; somebody had it ${state}` : '';
  return `the child ended ${how}${who}`;
}
