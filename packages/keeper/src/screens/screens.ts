/**
 * The keeper's side of the screen thread. If the thread crashes (a model failed on its input), it is restarted; a
 * session that crashes it again is left without a model, and the others continue.
 */
import { Worker } from 'node:worker_threads';
import { type Milestone, type Size, SpoolError, type Status, type TerminalColours } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import { Growth, GrowthNotices } from './growth-notices.ts';
import type {
  EndedCommand,
  FromScreens,
  GrownSession,
  AnswerTo,
  ScreenAnswer,
  ScreenAsk,
  ScreenSource,
  ToScreens,
} from './messages.ts';
import { steadyNow } from './steady-clock.ts';

const FALLS_MAX = 2;

/**
 * The interval of reports about a program that never queries its terminal: the next keeper searches at most this many bytes for
 * queries.
 */
const REACHED_EVERY_BYTES = 256 * 1024;

/** The limit for an answer: even a screen far in the past takes less. */
const ANSWER_MS_MAX = 30_000;

export interface ScreensHandlers {
  onAnswers(id: string, bytes: Uint8Array, upTo: number): void;
  /** Called when all queries before this offset have been answered. Not called for every offset. */
  onReached(id: string, offset: number): void;
  onFocusMode(id: string, reportsFocus: boolean): void;
  onStatus(id: string, status: Status): void;
  /** Called when the status is true up to this offset. */
  onLooked(id: string, offset: number): void;
  onMilestone(id: string, milestone: Milestone, at: number): void;
  onCommand(id: string, command: EndedCommand): void;
  onOscEvent(id: string, fact: OscEvent, at: number): void;
  warn(sentence: string): void;
}

interface FollowedScreen {
  readonly source: ScreenSource;
  readonly growth: Growth;
  answeredTo: number;
  /** The colours as a terminal last reported them; a new thread gets them too. */
  colours: TerminalColours | null;
}

interface PendingQuery {
  readonly id: string;
  readonly answer: PromiseWithResolvers<ScreenAnswer>;
  readonly deadline: NodeJS.Timeout;
  /** Removes the listener for a client that leaves. */
  readonly forget: () => void;
}

export class Screens {
  readonly #handlers: ScreensHandlers;
  readonly #configFolder: string;
  readonly #followed = new Map<string, FollowedScreen>();
  readonly #notices = new GrowthNotices();
  readonly #asked = new Map<number, PendingQuery>();
  readonly #falls = new Map<string, number>();
  readonly #ready = Promise.withResolvers<void>();
  #worker: Worker | null;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;
  #request = 0;

  constructor(configFolder: string, handlers: ScreensHandlers) {
    this.#configFolder = configFolder;
    this.#handlers = handlers;
    // At once: the first program to query its terminal should not wait for the thread to start.
    this.#worker = this.#start();
  }

  /**
   * Resolves when the thread answers queries, or has failed to start. A program takes a slow terminal for one that does not answer,
   * and later reads the late answers as keys.
   */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  follow(source: ScreenSource, end: number, answeredTo: number): void {
    if ((this.#falls.get(source.id) ?? 0) >= FALLS_MAX) return;
    // The thread may have reached less than was answered before; in that case it reports the earlier offset.
    this.#followed.set(source.id, {
      source,
      growth: new Growth(source.id, end, answeredTo),
      answeredTo,
      colours: null,
    });
    this.#emit({ type: 'follow', source, end, answeredTo });
  }

  /**
   * Notes growth. `isCalm`: the output was taken from the terminal at a tick. Returns true if later output may be taken at a tick
   * too.
   */
  grown(id: string, end: number, isCalm: boolean): boolean {
    const growth = this.#followed.get(id)?.growth;
    if (!growth) return false;
    growth.end = end;
    growth.grownAt = steadyNow();
    growth.isCalm = isCalm;
    this.#notices.grown(growth, performance.now());
    this.#setTimer();
    return growth.isSteady && this.#notices.restMs > 0;
  }

  /** The time for which output may rest in the terminals of steady sessions; 0 means that it may not. */
  get restMs(): number {
    return this.#notices.restMs;
  }

  resized(id: string, offset: number, size: Size): void {
    if (this.#followed.has(id)) this.#emit({ type: 'resized', id, offset, size });
  }

  colours(id: string, colours: TerminalColours): void {
    const followed = this.#followed.get(id);
    if (!followed) return;
    followed.colours = colours;
    this.#emit({ type: 'colours', id, colours });
  }

  /** Notes input; it is sent along with the next growth notice. */
  typed(id: string, at: number, isEntered: boolean): void {
    const growth = this.#followed.get(id)?.growth;
    if (!growth) return;
    growth.typedAt = at;
    growth.isEntered ||= isEntered;
    this.#notices.typed(growth, performance.now());
    this.#setTimer();
  }

  /** Notes a signal to the child, which may have stopped it. */
  signalled(id: string): void {
    if (this.#followed.has(id)) this.#emit({ type: 'signalled', id });
  }

  /** Notes in the history that a client has begun to type. */
  typist(id: string, at: number, who: string): void {
    if (this.#followed.has(id)) this.#emit({ type: 'typist', id, at, who });
  }

  exited(id: string, end: number, at: number, exitCode: number | null, signal: string | null): void {
    if (this.#unfollow(id)) this.#emit({ type: 'exited', id, end, at, exitCode, signal });
  }

  /** Forgets a session that was removed. The thread may still follow an ended session to its end, so it is always notified. */
  forget(id: string): void {
    this.#unfollow(id);
    this.#falls.delete(id);
    this.#emit({ type: 'forget', id });
    for (const [request, asked] of this.#asked)
      if (asked.id === id) this.#refuse(request, new SpoolError('SESSION_UNKNOWN', { session: id }));
  }

  /** Asks the thread; the thread stops working for a client that has disconnected (`left` is aborted). */
  ask<Ask extends ScreenAsk>(source: ScreenSource, end: number, what: Ask, left?: AbortSignal): Promise<AnswerTo<Ask>> {
    const request = ++this.#request;
    const answer = Promise.withResolvers<ScreenAnswer>();
    const deadline = setTimeout(() => {
      this.#cancel(request, new SpoolError('INTERNAL', { reason: `no screen within ${ANSWER_MS_MAX} ms` }));
    }, ANSWER_MS_MAX).unref();
    const onLeft = (): void => this.#cancel(request, new SpoolError('CONNECTION_LOST'));
    left?.addEventListener('abort', onLeft, { once: true });
    this.#asked.set(request, {
      id: source.id,
      answer,
      deadline,
      forget: () => left?.removeEventListener('abort', onLeft),
    });
    this.#emit({ type: 'ask', request, source, end, what });
    return answer.promise as Promise<AnswerTo<Ask>>; // the thread answers with the same type
  }

  #unfollow(id: string): boolean {
    const growth = this.#followed.get(id)?.growth;
    if (growth) this.#notices.forget(growth);
    return this.#followed.delete(id);
  }

  /** There is one timer for all sessions. */
  #setTimer(): void {
    const at = this.#notices.dueAt;
    if (at >= this.#timerAt) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#tellGrown(), Math.max(1, Math.ceil(at - performance.now())));
  }

  #tellGrown(): void {
    this.#timer = null;
    this.#timerAt = Infinity;
    const sessions: GrownSession[] = [];
    for (const growth of this.#notices.take(performance.now())) {
      const { id, end, grownAt: at, typedAt, isEntered } = growth;
      sessions.push({ id, end, at, typedAt, isEntered });
      growth.typedAt = null;
      growth.isEntered = false;
    }
    if (sessions.length > 0) this.#emit({ type: 'grown', sessions });
    this.#setTimer();
  }

  #followedTo(id: string, offset: number): void {
    const followed = this.#followed.get(id);
    if (!followed) return;
    const { growth } = followed;
    growth.reached = offset;
    if (offset >= followed.answeredTo + REACHED_EVERY_BYTES) {
      followed.answeredTo = offset;
      this.#handlers.onReached(id, offset);
    }
    if (growth.end <= offset) return;
    this.#notices.grown(growth, performance.now());
    this.#setTimer();
  }

  #handle(message: FromScreens): void {
    switch (message.type) {
      case 'ready':
        return this.#ready.resolve();
      case 'followed':
        for (const { id, offset } of message.sessions) this.#followedTo(id, offset);
        return;
      case 'answers': {
        const followed = this.#followed.get(message.id);
        if (!followed) return;
        followed.answeredTo = message.upTo;
        this.#notices.asked(followed.growth);
        return this.#handlers.onAnswers(message.id, message.bytes, message.upTo);
      }
      case 'modes':
        return this.#handlers.onFocusMode(message.id, message.reportsFocus);
      case 'status':
        return this.#handlers.onStatus(message.id, message.status);
      case 'looked':
        for (const { id, offset } of message.sessions) this.#handlers.onLooked(id, offset);
        return;
      case 'milestone':
        return this.#handlers.onMilestone(message.id, message.milestone, message.at);
      case 'command':
        return this.#handlers.onCommand(message.id, message.command);
      case 'fact':
        return this.#handlers.onOscEvent(message.id, message.fact, message.at);
      case 'complaint':
        return this.#handlers.warn(message.sentence);
      case 'answer':
        this.#answered(message.request)?.resolve(message.answer);
        return;
      case 'failed':
        this.#refuse(message.request, failureOf(message));
    }
  }

  #cancel(request: number, error: SpoolError): void {
    this.#refuse(request, error);
    this.#emit({ type: 'cancel', request });
  }

  #refuse(request: number, error: SpoolError): void {
    this.#answered(request)?.reject(error);
  }

  /** Removes and returns the pending answer; undefined if there is none. */
  #answered(request: number): PromiseWithResolvers<ScreenAnswer> | undefined {
    const asked = this.#asked.get(request);
    this.#asked.delete(request);
    clearTimeout(asked?.deadline);
    asked?.forget();
    return asked?.answer;
  }

  #emit(message: ToScreens): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./screens.mjs', import.meta.url), {
      execArgv: [],
      workerData: { configFolder: this.#configFolder },
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    worker.unref();
    worker.on('message', (message: FromScreens) => this.#handle(message));
    worker.on('error', (error) => this.#fallen(worker, error));
    return worker;
  }

  #fallen(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#ready.resolve();
    this.#handlers.warn(`the screen thread crashed: ${(error as Error).stack ?? String(error)}`);
    for (const request of this.#asked.keys())
      this.#refuse(request, new SpoolError('INTERNAL', { reason: 'the screen is being rebuilt; try again' }));
    const again = [...this.#followed.values()];
    this.#followed.clear();
    for (const { source, growth, answeredTo, colours } of again) {
      const { end, reached, toldEnd } = growth;
      this.#notices.forget(growth);
      // A session with unfinished work may have caused the crash.
      if (reached < toldEnd) this.#falls.set(source.id, (this.#falls.get(source.id) ?? 0) + 1);
      this.follow({ ...source, isAdopted: true }, end, answeredTo);
      if (colours) this.colours(source.id, colours);
    }
  }
}

/** Returns the error; the caller adds the name of the session. */
function failureOf({ reason, code }: Extract<FromScreens, { type: 'failed' }>): SpoolError {
  return code === undefined
    ? new SpoolError('INTERNAL', { reason })
    : new SpoolError('LOG_UNREADABLE', { reason: code });
}
