/**
 * Derives the activity of a session from its output: its status with the evidence, its milestones, and the reports of its program.
 * The log's follower feeds it. It looks at the screen when output pauses, or at intervals while it does not; without output it
 * wakes up only when silence would change the status. Keeps STATE-1 and STATE-2.
 */
import { MilestoneReader } from '@spool/status/milestones';
import { type InputView, type ScreenView, StatusReducer } from '@spool/status';
import { type HistoryItem, type Milestone, questionLine, type Status } from '@spool/protocol';
import { type OscEvent, LineText, type TextLine } from '@spool/vt';
import { HealthWatch } from '../../children/health/health.ts';
import { ForegroundWatch } from './foreground.ts';
import { History } from './history.ts';
import { LookTimes } from './look-times.ts';
import { type EndedCommand, hasTerminal, type ScreenSource } from '../messages.ts';
import type { RuleFiles } from '../worker/rule-files.ts';
import { steadyNow, wallOf } from '../steady-clock.ts';

/** The interval between two reports of a spinning title or a progress bar. The last value is always reported. */
const FACT_EVERY_MS = 200;
/**
 * The limit of events: ten commands of a shell, with all their marks. Further events wait for the next look, and only the last of
 * each kind is kept.
 */
const FACTS_PER_SECOND = 50;
const LATE_FACTS_MAX = 64;

export interface StatusTrackerEvents {
  onStatus(status: Status): void;
  onMilestone(milestone: Milestone, at: number): void;
  /** Called when a shell's command has ended. */
  onCommand(command: EndedCommand): void;
  onOscEvent(fact: OscEvent, at: number): void;
  /** Returns the screen as a user sees it; null without a terminal. */
  view(): ScreenView | null;
}

/** The state before this keeper: the end of the log, and the time of its last byte. */
export interface PastState {
  readonly end: number;
  readonly writtenAt: number;
}

/** The name in the rules for a shell, which runs commands for a user; agents mark their own turns as commands too. */
const SHELL = 'shell';
/** The number of last lines that represent the screen of a session without a terminal. */
const LINES_SHOWN = 24;

export class StatusTracker {
  /** Whether it continues with the status of the last keeper. */
  readonly isRestored: boolean;
  readonly #events: StatusTrackerEvents;
  readonly #history: History;
  readonly #reducer: StatusReducer;
  readonly #milestones: MilestoneReader;
  /** Events before this offset have been reported already; they are read again after a restart. */
  readonly #newsFrom: number;
  /** The watch of the foreground; null without a terminal. */
  readonly #foreground: ForegroundWatch | null;
  readonly #health: HealthWatch;
  readonly #toldFacts = new Map<string, number>();
  /** The latest facts of a kind that was reported a moment ago; each is reported later. */
  readonly #heldFacts = new Map<string, OscEvent>();
  /** Delayed events by kind, in the order of the last report. */
  readonly #lateFacts = new Map<string, OscEvent>();
  #factsSince = 0;
  #factsTaken = 0;
  #toldMilestones: number;
  #lines: LineText;
  #shown: readonly TextLine[] = [];
  #told: Status;
  #command: { text: string | null; at: number; from: number } | null = null;
  /** The command that has ended, whose last lines are about to be read. */
  #ended: (Omit<EndedCommand, 'lastLine'> & { readonly from: number; readonly to: number }) | null = null;
  /** The last lines that are not empty, with their end offsets. */
  #filled: readonly TextLine[] = [];
  #offset: number;
  readonly #looks = new LookTimes();

  constructor(
    source: ScreenSource,
    from: number,
    files: RuleFiles,
    events: StatusTrackerEvents,
    before: PastState | null,
  ) {
    this.#events = events;
    this.#history = new History(source.folder);
    this.#newsFrom = before?.end ?? 0;
    this.#foreground = hasTerminal(source) ? new ForegroundWatch(source.pid) : null;
    this.#health = new HealthWatch(steadyNow(), { pid: source.pid, stalledAfterMs: () => files.stalledAfterMs });
    this.#offset = from;
    const past = before === null ? [] : this.#history.read();
    this.#toldMilestones = past.findLast((item) => item.type === 'milestone')?.offset ?? -1;
    const restored = restoredStatus(past);
    this.isRestored = restored.status !== undefined;
    this.#reducer = new StatusReducer({
      rules: files.rules,
      command: source.command,
      startedAt: notAfter(source.startedAt),
      ...restored,
    });
    this.#milestones = new MilestoneReader(files.catalogue);
    this.#lines = new LineText({ offset: from, skipAlternate: true });
    this.#told = this.#reducer.status;
    if (before !== null && before.end > 0) this.#reducer.output(before.end, notAfter(before.writtenAt), before.end);
  }

  get status(): Status {
    return this.#reducer.status;
  }

  /** Whether the current state has been confirmed and counts. */
  get isSettled(): boolean {
    return !this.#looks.isPending && !this.#reducer.isSettling;
  }

  /** The question of the program, in a sentence; null if it is unknown. */
  get asks(): string | null {
    return this.#reducer.asks;
  }

  /** Whether the screen shows a question that does not count yet, or no longer shows the one that counts. */
  get isUnsettled(): boolean {
    return this.#reducer.isUnsettled;
  }

  /** Whether the screen differs from the state that counts, for example because it shows another, half-drawn question. */
  get isPending(): boolean {
    return this.#reducer.isPending;
  }

  get hasInputRules(): boolean {
    return this.#reducer.hasInputRules;
  }

  /** Returns the text in the input line, and the names of the keys that clear it. */
  inputLine(view: InputView, cursorLine: string): ReturnType<StatusReducer['inputLine']> {
    return this.#reducer.inputLine(view, cursorLine);
  }

  promptEnded(text: string): void {
    this.#reducer.promptEnded(text);
  }

  /** Returns the screen as a user would see it. */
  get shown(): ScreenView {
    return this.#events.view() ?? this.#lastLines();
  }

  /** The time at which it must wake up without output; null if it need not. */
  get dueAt(): number | null {
    const due = Math.min(
      this.#looks.dueAt,
      this.#foreground?.dueAt ?? Infinity,
      this.#health.dueAt,
      this.#reducer.nextCheckAt ?? Infinity,
      ...[...this.#heldFacts.keys()].map((type) => this.#factDueAt(type)),
    );
    return due === Infinity ? null : due;
  }

  /** Takes output that ends at `offset`. */
  output(bytes: Uint8Array, offset: number, at: number): void {
    this.#looks.output(bytes, at, this.#reducer.status.state === 'working' && !this.#reducer.isSettling);
    this.#offset = offset;
    if (this.#health.output(at)) this.#reducer.health(null, at);
    if (offset > this.#newsFrom) this.#reducer.output(bytes.length, at, offset);
    this.#read(this.#lines.feed(bytes), at);
    this.#tellCommand();
  }

  /** Notes that a flood was skipped, and output continues at this offset. */
  skipped(offset: number): void {
    this.#offset = offset;
    this.#lines = new LineText({ offset, skipAlternate: true });
  }

  fact(fact: OscEvent, at: number): void {
    if (Math.abs(at - this.#factsSince) >= 1000) {
      this.#factsSince = at;
      this.#factsTaken = 0;
    }
    if (++this.#factsTaken > FACTS_PER_SECOND) return this.#putOff(fact);
    this.#takeLate(at);
    this.#take(fact, at);
  }

  typed(at: number, isEntered: boolean): void {
    this.#foreground?.typed(at);
    this.#health.typed(at);
    this.#reducer.typed(at, isEntered);
  }

  /** Notes a signal to the child, which may stop it or continue it. */
  signalled(at: number): void {
    this.#health.signalled(at);
  }

  typist(at: number, who: string): void {
    this.#history.add({ type: 'typed', at, offset: this.#offset, who });
    this.#history.save();
  }

  /** Does the work that is due by now. */
  wake(now: number): void {
    if (now >= this.#looks.dueAt) this.look(now);
    if (now >= (this.#foreground?.dueAt ?? Infinity)) this.#lookAtForeground(now);
    if (now >= this.#health.dueAt) this.#lookAtHealth(now);
    if ((this.#reducer.nextCheckAt ?? now) <= now) this.#reducer.tick(now);
    this.#reportHeld(now);
    this.#emit(now);
  }

  look(now: number): void {
    this.#looks.looked();
    this.#takeLate(now);
    this.#passed(this.#milestones.openLine(this.#lines.current, this.#offset), now);
    this.#lookAtForeground(now);
    this.#reducer.screen(this.shown, now, this.#offset);
    this.#emit(now);
  }

  exited(at: number, exitCode: number | null, signal: string | null): void {
    this.#takeLate(at);
    for (const fact of [...this.#heldFacts.values()]) this.#report(fact, at);
    this.#read(this.#lines.flush(), at);
    this.#reducer.exited(at, this.#offset, exitCode, signal);
    this.#emit(at);
  }

  past(): HistoryItem[] {
    return this.#history.read();
  }

  /** Saves the history to disk. */
  save(): void {
    this.#history.save();
  }

  #lookAtForeground(now: number): void {
    const command = this.#foreground?.look(now);
    if (command !== undefined) this.#reducer.foreground(command, now);
  }

  #lookAtHealth(now: number): void {
    const { state, kind } = this.#reducer.status;
    const isWaiting = (state === 'idle' && kind !== 'silence') || (state === 'blocked' && kind !== 'stopped');
    this.#reducer.health(this.#health.look(now, isWaiting), now);
  }

  #putOff(fact: OscEvent): void {
    // A program may report several states, each with an id.
    const kind = fact.type === 'status-reported' ? `${fact.type} ${fact.status.id}` : fact.type;
    this.#lateFacts.delete(kind);
    this.#lateFacts.set(kind, fact);
    if (this.#lateFacts.size > LATE_FACTS_MAX) this.#lateFacts.delete(this.#lateFacts.keys().next().value!);
  }

  #takeLate(at: number): void {
    if (this.#lateFacts.size === 0) return;
    const facts = [...this.#lateFacts.values()];
    this.#lateFacts.clear();
    for (const fact of facts) this.#take(fact, at);
  }

  #take(fact: OscEvent, at: number): void {
    this.#reducer.fact(fact, at);
    if (fact.end <= this.#newsFrom) return;
    this.#emit(at); // reported at once, because a short turn may be over before the next look
    this.#followCommand(fact, at);
    const isEarly = REPEATED_FACTS.has(fact.type) && at < this.#factDueAt(fact.type);
    if (!isEarly) this.#report(fact, at);
    else if (fact.type !== 'bell-rung') this.#heldFacts.set(fact.type, fact);
  }

  #report(fact: OscEvent, at: number): void {
    this.#heldFacts.delete(fact.type);
    this.#toldFacts.set(fact.type, at);
    this.#events.onOscEvent(fact, at);
  }

  /** Returns when a fact of this kind may be reported again. */
  #factDueAt(type: string): number {
    return (this.#toldFacts.get(type) ?? -Infinity) + FACT_EVERY_MS;
  }

  #reportHeld(now: number): void {
    for (const [type, fact] of this.#heldFacts) if (now >= this.#factDueAt(type)) this.#report(fact, now);
  }

  #read(lines: readonly TextLine[], at: number): void {
    if (lines.length === 0) return;
    this.#passed(
      lines.flatMap(({ text, end }) => this.#milestones.line(text, end)),
      at,
    );
    this.#shown = [...this.#shown, ...lines.slice(-LINES_SHOWN)].slice(-LINES_SHOWN);
    this.#filled = [...this.#filled, ...lastFilled(lines)].slice(-LINES_SHOWN);
  }

  #lastLines(): ScreenView {
    const lines = [...this.#shown.map(({ text }) => text), this.#lines.current];
    const cursor = { row: lines.length - 1, col: this.#lines.current.length };
    return { lines, cursor, isCursorVisible: true, isAlternate: false, title: '' };
  }

  #emit(now: number): void {
    const { status } = this.#reducer;
    if (status === this.#told) return;
    const before = this.#told;
    this.#told = status;
    // One dialog after another is the same state, but with a new start time.
    if (before.state !== status.state || before.kind !== status.kind || before.since !== status.since) {
      const { state, kind, source, offset } = status;
      this.#history.add({
        type: 'status',
        at: wallOf(now),
        offset,
        state,
        kind,
        source,
        why: status.evidence[0]?.why ?? '',
        ...(status.question && { question: questionLine(status.question) }),
      });
    }
    this.#events.onStatus(status);
  }

  /** Reports new milestones. They are on the disk before: a keeper that replaces this one must not report them again. */
  #passed(milestones: readonly Milestone[], at: number): void {
    const news: Milestone[] = [];
    for (const milestone of milestones) {
      if (milestone.offset <= this.#toldMilestones) continue;
      this.#toldMilestones = milestone.offset;
      this.#history.add({ type: 'milestone', at: wallOf(at), ...milestone });
      news.push(milestone);
    }
    if (news.length === 0) return;
    this.#history.save();
    for (const milestone of news) this.#events.onMilestone(milestone, at);
  }

  /** Reports the command that has ended; its lines have been read by now. */
  #tellCommand(): void {
    if (this.#ended === null) return;
    const { from, to, ...command } = this.#ended;
    this.#ended = null;
    const line = this.#filled.findLast(({ end }) => end > from && end <= to);
    this.#events.onCommand({ ...command, lastLine: line?.text.trim() ?? '' });
  }

  #followCommand(fact: OscEvent, at: number): void {
    if (fact.type === 'command-text') this.#command = { text: fact.command, at, from: fact.end };
    else if (fact.type === 'command-start') {
      this.#command = { text: fact.command ?? this.#command?.text ?? null, at, from: fact.end };
      this.#milestones.restart();
    } else if (fact.type === 'command-end' && this.#command) {
      const { text, at: startedAt, from } = this.#command;
      this.#command = null;
      const command = { command: text, exitCode: fact.exitCode ?? null, durationMs: at - startedAt };
      this.#history.add({ type: 'command', at: wallOf(at), offset: fact.end, ...command });
      const { agent } = this.#reducer.status;
      if (agent === null || agent === SHELL) this.#ended = { ...command, from, to: fact.end };
    }
  }
}

const REPEATED_FACTS: ReadonlySet<string> = new Set([
  'title-changed',
  'icon-name-changed',
  'progress-changed',
  'bell-rung',
]);

/** Returns the status that the last keeper recorded, with one sentence as its evidence. */
export function restoredStatus(past: readonly HistoryItem[]): { readonly status?: Status } {
  const last = past.findLast((item) => item.type === 'status');
  if (!last || last.state === 'exited') return {};
  const { state, kind, source, why, at, offset } = last;
  const evidence = [
    { source, says: state, why, rule: null, confidence: RESTORED_CONFIDENCE, at: notAfter(at), offset },
  ];
  return {
    status: {
      state,
      since: notAfter(since(past, last)),
      source,
      confidence: RESTORED_CONFIDENCE,
      evidence,
      kind,
      agent: null,
      activity: null,
      thought: null,
      progress: null,
      offset,
    },
  };
}

/** Returns the last lines that are not empty. */
function lastFilled(lines: readonly TextLine[]): readonly TextLine[] {
  const filled: TextLine[] = [];
  for (let at = lines.length - 1; at >= 0 && filled.length < LINES_SHOWN; at--)
    if (lines[at]!.text.trim() !== '') filled.unshift(lines[at]!);
  return filled;
}

/** Limits a time to now, because the clock may have been set back since. */
const notAfter = (at: number): number => Math.min(at, steadyNow());

/**
 * Returns the start of the last state. The history also has a line for each kind of a state; but each dialog is a separate state.
 */
function since(past: readonly HistoryItem[], last: StatusItem): number {
  if (last.state === 'blocked') return last.at;
  const states = past.filter((item) => item.type === 'status');
  return states[states.findLastIndex(({ state }) => state !== last.state) + 1]!.at;
}

type StatusItem = Extract<HistoryItem, { type: 'status' }>;

/** The confidence of a status that was true when it was recorded, and has not been checked since. */
const RESTORED_CONFIDENCE = 0.6;
