/**
 * Answers questions about screens that no follower has: screens of the past, and of ended sessions. It answers them one after the
 * other, in slices that are short compared with a turn of live sessions. Keeps SCR-1 and SCR-9, with `past-screen.ts`.
 */
import { Log } from '@spool/store';
import { type CpuClock, threadCpuMs } from './drawing-cost.ts';
import type { Keyframes } from './keyframes.ts';
import type { FromScreens, TerminalSource } from '../messages.ts';
import { PastScreen } from './past-screen.ts';
import { describePicture, type PictureAsk, timeOf } from './picture.ts';

/** The length of a slice of replay, before live screens get their turn. */
const SLICE_MS = 2;

export interface PastQuestion {
  readonly request: number;
  readonly source: TerminalSource;
  readonly what: PictureAsk;
  /** The end of the log: the default moment. */
  readonly end: number;
}

export class PastQuestions {
  readonly #emit: (message: FromScreens) => void;
  readonly #keyframesOf: (source: TerminalSource) => Keyframes;
  readonly #cpuMs: CpuClock;
  readonly #waiting: PastQuestion[] = [];
  /** The replay for the first question. */
  #replay: { readonly log: Log; readonly screen: PastScreen } | null = null;

  constructor(
    emit: (message: FromScreens) => void,
    keyframesOf: (source: TerminalSource) => Keyframes,
    cpuMs: CpuClock = threadCpuMs,
  ) {
    this.#emit = emit;
    this.#cpuMs = cpuMs;
    this.#keyframesOf = keyframesOf;
  }

  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(question: PastQuestion): void {
    this.#waiting.push(question);
  }

  /** Continues with the first question for a few milliseconds. */
  work(): void {
    const [question] = this.#waiting;
    if (!question) return;
    const { request, what } = question;
    try {
      const { log, screen } = (this.#replay ??= this.#begin(question));
      const until = performance.now() + SLICE_MS;
      const moment = screen.work(() => performance.now() >= until);
      if (moment === null) return;
      this.#emit({ type: 'answer', request, answer: describePicture(what, moment, true, timeOf(log, moment.offset)) });
    } catch (error) {
      const { message: reason, code } = error as NodeJS.ErrnoException;
      this.#emit({ type: 'failed', request, reason, code });
    }
    this.#end();
  }

  /** Forgets a session that has been removed; its questions have been answered. */
  forget(id: string): void {
    this.#drop(({ source }) => source.id === id);
  }

  /** Abandons a question whose answer no client waits for. */
  cancel(request: number): void {
    this.#drop((question) => question.request === request);
  }

  #drop(isGone: (question: PastQuestion) => boolean): void {
    if (this.#waiting[0] && isGone(this.#waiting[0])) this.#end();
    for (let at = this.#waiting.length - 1; at >= 0; at--) {
      if (isGone(this.#waiting[at]!)) this.#waiting.splice(at, 1);
    }
  }

  #begin({ source, what, end }: PastQuestion): { log: Log; screen: PastScreen } {
    const log = Log.open(`${source.folder}/log`, { readOnly: true, endAtLeast: end });
    const at = what.type === 'screen' ? what.at : null;
    const offset = at === null ? end : 'offset' in at ? at.offset : log.offsetAt(at.time);
    const { firstSize } = source;
    const keyframes = this.#keyframesOf(source);
    const { historyLines } = what;
    const cpuMs = this.#cpuMs;
    return { log, screen: new PastScreen({ log, keyframes, offset, firstSize, historyLines, cpuMs }) };
  }

  #end(): void {
    this.#waiting.shift();
    this.#replay?.screen.dispose();
    this.#replay?.log.close();
    this.#replay = null;
  }
}
