/**
 * The work of the screen thread: it follows every running session in turns, maintains the screen and the status of each, and
 * answers questions about any screen of the past. `main.ts` starts it.
 */
import { readFileSync } from 'node:fs';
import { Log } from '@spool/store';
import { renderAnsi, ScreenModel } from '@spool/screen';
import type { Follower } from './follower.ts';
import { Grids } from './grids.ts';
import { History } from '../insight/history.ts';
import { StatusTracker, type PastState, restoredStatus } from '../insight/status-tracker.ts';
import { Keyframes } from './keyframes.ts';
import { reportScreen } from './screen-report.ts';
import {
  type FromScreens,
  type GrownSession,
  hasTerminal,
  type ScreenAnswer,
  type ScreenAsk,
  type ScreenSource,
  type SessionOffset,
  type ToScreens,
} from '../messages.ts';
import { surplusModels } from './model-budget.ts';
import { PastQuestions } from './past-questions.ts';
import { describePicture, timeOf } from './picture.ts';
import { RuleFiles } from './rule-files.ts';
import type { Status } from '@spool/protocol';
import { steadyNow, wallOf } from '../steady-clock.ts';
import { ScreenFollower } from './screen-follower.ts';
import { SessionAlarms } from './session-alarms.ts';
import { TextFollower } from './text-follower.ts';

/** The length of a turn; after it, pending questions are handled. */
const WORK_MS = 10;
/** The number of models that looks may make between two checks of the models' memory. */
const MODELS_PER_CHECK = 24;
/** The interval of checks of the budget while sessions are busy. */
const CHECK_EVERY_MS = 250;
/** The maximum wait of a question about a session in a flood; then it gets a slightly older screen. */
const PATIENCE_MS = 50;
/** The maximum time for which a look for a client that is about to type may delay the other sessions. */
const HURRY_MS_MAX = 50;
/**
 * The maximum of logs that keep a file open between two turns, and their share of the files that the process may open: running
 * sessions come first.
 */
const OPEN_LOGS_MAX = 256;
const OPEN_FILES_SHARE = 1 / 8;
/** The time after a child's start without output, after which it no longer counts as starting. */
const SILENT_MS = 10_000;
/** The number of bytes that are read again for an adopted session without a terminal, because a look needs its last output. */
const LOOK_BACK_BYTES = 4096;
/** The number of crashes after which a session is not followed any more. */
const FALLS_MAX = 2;

interface ScreenQuestion {
  readonly request: number;
  readonly source: ScreenSource;
  readonly what: ScreenAsk;
  readonly end: number;
  readonly askedAt: number;
}

/** The exit of a child. */
interface ChildExit {
  readonly at: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export class ScreenWorker {
  readonly #emit: (message: FromScreens) => void;
  readonly #files: RuleFiles;
  readonly #followers = new Map<string, Follower>();
  /** The sessions with output to read, a question to answer, or an end to reach. */
  readonly #active = new Set<string>();
  readonly #questions = new Map<string, ScreenQuestion[]>();
  /** Questions about the past, which are answered one after the other. */
  readonly #pasts: PastQuestions;
  readonly #grids = new Grids();
  /** The sessions that have ended, but whose log has not been followed to its end. */
  readonly #exits = new Map<string, ChildExit>();
  /** The alarms of the sessions' trackers. */
  readonly #alarms = new SessionAlarms((ids, now) => this.#wakeAll(ids, now));
  /** The number of failures, by session. */
  readonly #falls = new Map<string, number>();
  /** Offsets that are reported at the end of this turn, in one message for all sessions. */
  #followed: SessionOffset[] = [];
  #looked: SessionOffset[] = [];
  readonly #openLogsMax = Math.min(OPEN_LOGS_MAX, openFilesMax() * OPEN_FILES_SHARE);
  #checkedAt = 0;
  #isScheduled = false;

  constructor(configFolder: string, emit: (message: FromScreens) => void) {
    this.#emit = emit;
    this.#files = new RuleFiles(configFolder, (sentence) => emit({ type: 'complaint', sentence }));
    this.#pasts = new PastQuestions(emit, ({ id, folder }) => this.#screenOf(id)?.keyframes ?? new Keyframes(folder));
  }

  /**
   * Does in advance the 40 ms of work that the first session would have to wait for: reads the rules, and runs the engine on a
   * screen.
   */
  warmUp(): void {
    this.#files.refresh();
    const model = new ScreenModel({ cols: 80, rows: 24 });
    model.write(Buffer.from('\x1b[1mwarm\x1b[m\r\n'.repeat(24)));
    model.dispose();
  }

  handle(message: ToScreens): void {
    this.#dispatch(message);
    this.#schedule();
  }

  #dispatch(message: ToScreens): void {
    switch (message.type) {
      case 'follow':
        return this.#follow(message.source, message.end, message.answeredTo);
      case 'grown':
        return message.sessions.forEach((each) => this.#grown(each));
      case 'resized':
        return this.#screenOf(message.id)?.resized(message.offset, message.size);
      case 'typist':
        return this.#followers.get(message.id)?.begin().typist(message.at, message.who);
      case 'signalled':
        return this.#signalled(message.id);
      case 'colours':
        return this.#screenOf(message.id)?.setColours(message.colours);
      case 'exited':
        this.#followers.get(message.id)?.grown(message.end, message.at);
        if (!this.#followers.has(message.id)) return;
        this.#exits.set(message.id, message);
        this.#active.add(message.id);
        return;
      case 'forget':
        this.#pasts.forget(message.id);
        return this.#forget(message.id);
      case 'ask':
        return this.#ask(message);
      case 'cancel':
        return this.#pasts.cancel(message.request);
    }
  }

  #signalled(id: string): void {
    const follower = this.#followers.get(id);
    if (!follower) return;
    follower.begin().signalled(steadyNow());
    this.#noteDue(id, follower);
  }

  #grown({ id, end, at, typedAt, isEntered }: GrownSession): void {
    const follower = this.#followers.get(id);
    if (!follower) return;
    if (typedAt !== null) follower.tracker?.typed(Math.min(typedAt, steadyNow()), isEntered);
    follower.grown(end, at);
    this.#active.add(id);
  }

  #follow(source: ScreenSource, end: number, answeredTo: number): void {
    const { id } = source;
    const beginTracking = (from: number): StatusTracker => {
      this.#files.refresh();
      return new StatusTracker(
        source,
        from,
        this.#files,
        {
          onStatus: (status) => this.#emit({ type: 'status', id, status: shownStatus(status) }),
          onCommand: (command) => this.#emit({ type: 'command', id, command }),
          onMilestone: (milestone, at) => this.#emit({ type: 'milestone', id, at: wallOf(at), milestone }),
          onOscEvent: (fact, at) => this.#emit({ type: 'fact', id, at: wallOf(at), fact }),
          view: () => this.#screenOf(id)?.view() ?? null,
        },
        source.isAdopted ? pastOf(source, end) : null,
      );
    };
    const textFrom = source.isAdopted ? Math.max(0, end - LOOK_BACK_BYTES) : 0;
    const follower = hasTerminal(source)
      ? new ScreenFollower(source, end, answeredTo, {
          onAnswers: (bytes, upTo) => this.#emit({ type: 'answers', id, bytes, upTo }),
          onFocusMode: (reportsFocus) => this.#emit({ type: 'modes', id, reportsFocus }),
          beginTracking,
        })
      : new TextFollower(source, textFrom, end, () => beginTracking(textFrom));
    this.#followers.set(id, follower);
    this.#active.add(id);
    this.#alarms.set(id, Math.max(steadyNow(), Math.min(steadyNow(), source.startedAt) + SILENT_MS));
    // Until the first look, the last known status applies.
    const { status } = source.isAdopted ? restoredStatus(new History(source.folder).read()) : {};
    if (!status) return;
    this.#emit({ type: 'status', id, status });
    this.#looked.push({ id, offset: end });
  }

  #screenOf(id: string): ScreenFollower | undefined {
    const follower = this.#followers.get(id);
    return follower instanceof ScreenFollower ? follower : undefined;
  }

  /** Forgets a session, and writes no file: its folder may have been removed. */
  #forget(id: string): void {
    this.#followers.get(id)?.close();
    this.#followers.delete(id);
    this.#active.delete(id);
    this.#alarms.clear(id);
    this.#exits.delete(id);
    this.#falls.delete(id);
    this.#grids.forget(id);
    for (const { request } of this.#questions.get(id) ?? [])
      this.#emit({ type: 'failed', request, reason: 'the session is no longer followed' });
    this.#questions.delete(id);
  }

  #ask({ request, source, what, end }: Omit<ScreenQuestion, 'askedAt'>): void {
    const follower = this.#followers.get(source.id);
    if (what.type === 'look') {
      if (!follower) return this.#answer({ request }, notFollowed);
      follower.grown(end, steadyNow());
    } else if (what.type === 'explain') {
      follower?.grown(end, steadyNow());
      if (!follower) return this.#answer({ request }, () => explanation(source));
    } else if (!hasTerminal(source)) return; // the keeper never asks for this
    else {
      const isPast = what.type === 'screen' && what.at !== null;
      if (!follower || isPast) return this.#pasts.add({ request, source, what, end });
      follower.grown(end, steadyNow());
    }
    this.#active.add(source.id);
    const waiting = this.#questions.get(source.id) ?? [];
    waiting.push({ request, source, what, end, askedAt: performance.now() });
    this.#questions.set(source.id, waiting);
    // A client is about to type, so this cannot wait for its turn.
    if (what.type === 'look') this.#attempt(source.id, () => this.#hurry(source.id, follower));
  }

  #hurry(id: string, follower: Follower): void {
    const until = performance.now() + HURRY_MS_MAX;
    do this.#workOn(id, follower);
    while (follower.isBehind && performance.now() < until);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#work());
  }

  /** Gives a turn to each session with pending work, those with waiting clients first; then lets messages in. */
  #work(): void {
    this.#isScheduled = false;
    const until = performance.now() + WORK_MS;
    for (const id of [...this.#questions.keys(), ...this.#active]) {
      if (!this.#active.has(id)) continue;
      this.#attempt(id, () => this.#workOn(id, this.#followers.get(id)!));
      if (performance.now() < until) continue;
      this.#schedule();
      break;
    }
    this.#pasts.work();
    if (this.#pasts.areWaiting) this.#schedule();
    this.#dropModels();
    this.#reportOffsets();
  }

  #workOn(id: string, follower: Follower): void {
    if (follower.isBehind) {
      follower.turn();
      follower.tracker?.save();
      if (!follower.isBehind) this.#followed.push({ id, offset: follower.offset });
      this.#noteDue(id, follower);
    }
    this.#answerWaiting(id, follower);
    this.#active.delete(id);
    if (follower.isBehind || this.#questions.has(id)) {
      this.#active.add(id); // handled after the other sessions
      return this.#schedule();
    }
    if (this.#exits.has(id)) this.#finish(id, follower, this.#exits.get(id)!);
  }

  #reportOffsets(): void {
    if (this.#followed.length > 0) this.#emit({ type: 'followed', sessions: this.#followed });
    if (this.#looked.length > 0) this.#emit({ type: 'looked', sessions: this.#looked });
    this.#followed = [];
    this.#looked = [];
  }

  /** A failing session must not affect the others: it is tried once more, and then its status does not change any more. */
  #attempt(id: string, deed: () => void): void {
    try {
      deed();
    } catch (error) {
      const count = (this.#falls.get(id) ?? 0) + 1;
      this.#falls.set(id, count);
      this.#emit({ type: 'complaint', sentence: `session ${id} could not be followed: ${(error as Error).stack}` });
      if (count >= FALLS_MAX) this.#forget(id);
      else this.#schedule();
    }
  }

  #finish(id: string, follower: Follower, { at, exitCode, signal }: ChildExit): void {
    follower.tracker?.exited(at, exitCode, signal);
    follower.tracker?.save();
    follower.drop();
    this.#forget(id);
  }

  #noteDue(id: string, { tracker }: Follower): void {
    const due = tracker === null ? null : tracker.dueAt;
    if (due === null) this.#alarms.clear(id);
    else this.#alarms.set(id, due);
  }

  #wakeAll(ids: Iterable<string>, now: number): void {
    let models = 0;
    for (const id of ids) {
      const hadModel = this.#hasModel(id);
      this.#attempt(id, () => this.#wake(id, now));
      if (!hadModel && this.#hasModel(id) && ++models % MODELS_PER_CHECK === 0) this.#checkBudget(now);
    }
    this.#dropModels();
    this.#reportOffsets();
  }

  #wake(id: string, now: number): void {
    const follower = this.#followers.get(id);
    if (!follower) return;
    const isFirst = follower.tracker === null;
    const tracker = follower.begin();
    // Only a look shows whether the status of the last keeper is still true.
    if (isFirst && tracker.isRestored) tracker.look(now);
    tracker.wake(now);
    tracker.save();
    this.#noteDue(id, follower);
    this.#noteLooked(id, follower, tracker);
  }

  #hasModel(id: string): boolean {
    return (this.#followers.get(id)?.modelBytes ?? 0) > 0;
  }

  #noteLooked(id: string, follower: Follower, tracker: StatusTracker): void {
    if (tracker.isSettled && !follower.isBehind) this.#looked.push({ id, offset: follower.offset });
  }

  #answerWaiting(id: string, follower: Follower): void {
    const waiting = this.#questions.get(id);
    if (!waiting) return;
    const rest = waiting.filter((question) => {
      const { what } = question;
      const isPatient = (what.type === 'look' && what.mustReach) || performance.now() - question.askedAt <= PATIENCE_MS;
      const isTime = !follower.isBehind || follower.offset >= question.end || !isPatient;
      if (isTime && !this.#isForPast(question, follower))
        this.#answer(question, () => this.#describeNow(question, follower));
      return !isTime;
    });
    if (follower.tracker) {
      this.#noteDue(id, follower); // some answers need a look at the screen
      if (rest.length < waiting.length) this.#noteLooked(id, follower, follower.tracker);
    }
    if (rest.length === 0) this.#questions.delete(id);
    else this.#questions.set(id, rest);
  }

  /** Returns whether the question needs more lines above the screen than the model keeps; those are in the log. */
  #isForPast({ request, source, what }: ScreenQuestion, follower: Follower): boolean {
    if (!(follower instanceof ScreenFollower) || !hasTerminal(source)) return false;
    if (what.type === 'look' || what.type === 'explain' || !follower.lacksHistory(what.historyLines)) return false;
    this.#pasts.add({ request, source, what, end: follower.offset });
    return true;
  }

  #describeNow({ source, what }: ScreenQuestion, follower: Follower): ScreenAnswer {
    if (what.type === 'look') return { type: 'look', look: reportScreen(follower, steadyNow()) };
    if (what.type === 'explain') {
      const { tracker } = follower;
      if (!tracker) return explanation(source);
      tracker.look(steadyNow());
      return { type: 'explain', status: shownStatus(tracker.status), history: tracker.past() };
    }
    if (!(follower instanceof ScreenFollower)) throw new Error('the session has no screen');
    if (what.type === 'grid') {
      const { model, offset } = follower.moment();
      return { type: 'grid', offset, ...this.#grids.take(source.id, model, what.stamp) };
    }
    if (what.type === 'shown') {
      const { model, offset } = follower.moment();
      return { type: 'shown', offset, text: renderAnsi(model), scrolled: follower.scrolled };
    }
    return describePicture(what, follower.moment(), follower.isExact, timeOf(follower.log, follower.offset));
  }

  #answer({ request }: Pick<ScreenQuestion, 'request'>, make: () => ScreenAnswer): void {
    try {
      this.#emit({ type: 'answer', request, answer: make() });
    } catch (error) {
      const { message: reason, code } = error as NodeJS.ErrnoException;
      this.#emit({ type: 'failed', request, reason, code });
    }
  }

  #dropModels(): void {
    const now = steadyNow();
    if (Math.abs(now - this.#checkedAt) >= CHECK_EVERY_MS) this.#checkBudget(now);
  }

  #checkBudget(now: number): void {
    this.#checkedAt = now;
    for (const follower of surplusModels(this.#followers.values(), now))
      this.#attempt(follower.id, () => follower.drop());
    const holding = [...this.#followers.values()].filter((follower) => follower.holdsFiles);
    if (holding.length <= this.#openLogsMax) return;
    holding.sort((one, other) => one.readAt - other.readAt);
    for (const follower of holding.slice(0, holding.length - this.#openLogsMax)) follower.releaseFiles();
  }
}

function notFollowed(): never {
  throw new Error('its screen cannot be followed');
}

function shownStatus(status: Status): Status {
  const evidence = status.evidence.map((each) => ({ ...each, at: wallOf(each.at) }));
  return { ...status, since: wallOf(status.since), evidence };
}

function pastOf({ folder, startedAt }: ScreenSource, end: number): PastState {
  using log = Log.open(`${folder}/log`, { readOnly: true, lenient: true });
  return { end, writtenAt: log.timeAt(Math.max(log.start, end - 1)) ?? startedAt };
}

function explanation({ folder }: ScreenSource): ScreenAnswer {
  return { type: 'explain', status: null, history: new History(folder).read() };
}

function openFilesMax(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? OPEN_LOGS_MAX);
}
