/**
 * Computes one status per session from all sources: the process, the program's reports, the shell's marks, the screen, the title,
 * progress, notifications, and, if no other source knows better, bytes and silence. Keeps STATE-1, STATE-30.
 *
 * Each source makes at most one claim, with a confidence; the most confident one decides, with these exceptions:
 *
 * - A dialog on the screen is never idle, whatever the other sources report: the worst failure is a question that no user sees.
 * - A dialog also beats a report of work that is older than the dialog.
 * - A report of unfinished work is no longer believed when the screen has contradicted it for a while: killed programs report
 *   nothing.
 * - A report of a dialog ends with the dialog: once a sample of the screen no longer shows it, earlier reports are over.
 *
 * A new dialog after another is a new block: a user who has seen the first has not seen the second (`dialog.ts`).
 *
 * Time is an input. `status` is the same object until it changes; `nextCheckAt` is the time when silence would change it, so
 * polling is not needed.
 */
import { cleanText, type OscEvent } from '@spool/vt';
import {
  type Evidence,
  type Question,
  questionLine,
  type Status,
  type StatusSource,
  UNKNOWN_STATUS,
} from '@spool/protocol';
import { type Claim, claim, type LogMoment } from './claim.ts';
import { agentOfCommand, SHELL } from './sources/command-agent.ts';
import { agentInput, clearingKeys, type InputView, knowsInputLine } from './sources/input-line.ts';
import { ProgramRecords } from './sources/program-records.ts';
import type { RuleSet } from './rules.ts';
import type { ScreenView } from './sources/screen-lines.ts';
import { readLine } from './sources/screen-reading.ts';
import { isPromptByLooks, screenClaim, ScreenWatch, SHELL_PROMPT } from './sources/screen-watch.ts';
import { isShellFact, type ShellFact, ShellMarks } from './sources/shell-marks.ts';
import { silenceStep } from './sources/silence.ts';

export interface StatusReducerOptions {
  readonly rules: readonly RuleSet[];
  readonly command: readonly string[];
  readonly startedAt: number;
  /** The status to continue with after a restart. */
  readonly status?: Status;
}

/** The time after a key in which output is its echo, not work. */
const ECHO_MS = 400;
/** The time after which a program that has shown no content counts as working. */
const STARTING_MS_MAX = 10_000;
/** The time after which the agent's own prompt overrules a report: killed programs report nothing. */
const PROGRAM_OVERRULED_MS = 10_000;
/** The confidence from which a rule can overrule; a rule that only guesses a prompt from its appearance has less. */
const OVERRULING_MIN = 0.7;
/** The time for which ConEmu's progress counts as work: it should be cleared at the end, and often is not. */
const PROGRESS_FRESH_MS = 60_000;
/** The quiet time after which a prompt within a command of the shell counts: it may belong to an inner shell. */
const COMMAND_QUIET_MS = 5000;
const EVIDENCE_MAX = 8;
const FOREGROUND_CHARACTERS_MAX = 80;
/** The lowest confidence that can decide. */
const CONFIDENCE_MIN = 0.25;

/** The input line of a session on its screen. */
export interface SeenInput {
  readonly text: string;
  /** The rows of an agent's input box, with its border; null for a shell. */
  readonly rows: { readonly top: number; readonly bottom: number } | null;
  /** The keys that clear the input line. */
  readonly clear: readonly string[];
}

export class StatusReducer {
  readonly #rules: readonly RuleSet[];
  readonly #startedAt: number;
  readonly #startedAgent: string | null;
  /** The agent, recognised by its screen, title, report or the shell's command; null means the program of the command. */
  #agent: string | null = null;
  #foreground: string | null = null;
  #foregroundAgent: string | null = null;
  #status: Status;
  /** The number of the screen's dialog that the status refers to. */
  #dialogNumber = 0;
  #nextCheckAt: number | null = null;
  #now: number;
  #offset = 0;

  #exit: Claim | null = null;
  readonly #program = new ProgramRecords();
  readonly #shell = new ShellMarks();
  readonly #screen: ScreenWatch;
  #title: Claim | null = null;
  #titleText = '';
  #titleStaleAt = 0;
  /** Whether the last title showed work, even if that no longer counts. */
  #isTitleWorking = false;
  #progress: Claim | null = null;
  /** The last reported percentage. It is kept until the work is over. */
  #percent: number | null = null;
  #notification: Claim | null = null;
  #bell: Claim | null = null;
  /** The kernel's facts about a child in trouble. */
  #health: Claim | null = null;
  /** The claim from bytes and silence; null if another source knows better. */
  #silence: Claim | null = null;

  /**
   * Whether the state from before a restart is the only one: the screen has not been read since, or the result does not count yet.
   */
  #isRestored = false;
  /** The time of the last output other than an echo, or of the last task. */
  #workAt: number;
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor({ rules, command, startedAt, status }: StatusReducerOptions) {
    this.#rules = rules;
    this.#startedAt = startedAt;
    this.#now = Math.max(startedAt, status?.since ?? startedAt);
    this.#workAt = this.#now;
    this.#startedAgent = agentOfCommand(rules, command);
    this.#screen = new ScreenWatch(rules, command);
    this.#status = status ?? { ...UNKNOWN_STATUS, since: startedAt, agent: this.#startedAgent };
    if (status !== undefined) this.#restore(status);
    else this.#nextCheckAt = startedAt + STARTING_MS_MAX; // a program without any output does not stay `starting` forever
  }

  get status(): Status {
    return this.#status;
  }

  /** Whether there is an observation that does not count yet: then the status is slightly outdated. */
  get isSettling(): boolean {
    return this.#screen.isPending;
  }

  /** The question, or the reason for a block; null if it is not blocked. */
  get asks(): string | null {
    const { state, evidence, question } = this.#status;
    if (state !== 'blocked') return null;
    return question === undefined ? (evidence[0]?.why ?? 'it is blocked') : questionLine(question);
  }

  /** Whether the screen differs from the reading that counts, but not for long enough yet. */
  get isPending(): boolean {
    return this.#screen.isPending;
  }

  /** Whether a dialog has appeared or disappeared too recently to count. */
  get isUnsettled(): boolean {
    if (!this.#screen.isPending) return false;
    return (this.#status.state === 'blocked') !== this.#screen.isDialogPending;
  }

  /** Whether the rules of its program know the place of the input line, even if the screen does not show it now. */
  get hasInputRules(): boolean {
    return this.#knownProgram !== null && knowsInputLine(this.#rules, this.#knownProgram);
  }

  /** Returns null if the input line is unknown. */
  inputLine(view: InputView, cursorLine: string): SeenInput | null {
    const agent = this.#knownProgram;
    if (agent !== null) {
      const line = agentInput(this.#rules, agent, view);
      if (line === null) return null;
      const { top, bottom } = line.box;
      return { text: line.text, rows: { top, bottom }, clear: clearingKeys(this.#rules, agent) };
    }
    const isRunning = this.#shell.claim?.evidence.says === 'working';
    const prompt = this.#shell.prompt ?? (isRunning ? '' : this.#screen.lastPrompt);
    if (prompt.trim() === '' || !cursorLine.startsWith(prompt.trimEnd())) return null;
    const text = cursorLine.slice(prompt.trimEnd().length).trim();
    return { text, rows: null, clear: clearingKeys(this.#rules, SHELL) };
  }

  /** Notes that a shell has marked the end of its prompt (OSC 133;B), which is the text before the cursor. */
  promptEnded(text: string): void {
    this.#shell.prompt = text;
  }

  get nextCheckAt(): number | null {
    return this.#nextCheckAt;
  }

  fact(fact: OscEvent, at: number): void {
    const moment = this.#moment(at, fact.end);
    switch (fact.type) {
      case 'status-reported':
        this.#program.report(fact.status, moment);
        if (fact.status.app !== undefined && this.#isKnown(fact.status.app)) this.#agent = fact.status.app;
        break;
      case 'title-changed':
        this.#readTitle(fact.title, moment);
        break;
      case 'progress-changed': {
        const { progress } = fact;
        const isGoingOn = progress.state === 'normal' || progress.state === 'indeterminate';
        this.#percent = progress.state === 'normal' ? progress.percent : null;
        this.#progress = isGoingOn
          ? claim('progress', 'working', 0.7, 'it shows progress', moment, { progress: this.#percent })
          : null;
        break;
      }
      case 'notified': {
        const text = [fact.title, fact.body].filter((part) => part !== '').join(': ');
        const reading = readLine(this.#rules, 'notification', text, this.#knownProgram);
        this.#notification = screenClaim('notification', reading, moment, null);
        break;
      }
      case 'bell-rung':
        this.#bell = claim('bell', 'blocked', 0.15, 'it rang the bell', moment);
        break;
      case 'cwd-changed':
      case 'icon-name-changed':
        return;
      default:
        if (isShellFact(fact)) this.#shellFact(fact, moment);
    }
    this.#decide();
  }

  output(bytes: number, at: number, offset: number): void {
    this.#moment(at, offset);
    if (bytes <= 0) return;
    if (this.#now - this.#typedAt <= ECHO_MS) return;
    this.#workAt = this.#now;
    if (this.#screen.hasLooked) this.#isRestored = false; // the former state is outdated
    // If another source knows better, or the program was known to print, bytes have no effect.
    const changesNothing = this.#silence === null ? this.#screen.hasLooked : this.#silence.evidence.why === PRINTS;
    if (this.#shell.printed(this.#now) || !changesNothing) this.#decide();
  }

  /** Notes input; `isEntered`: with Enter, so that a draft may have been sent. */
  typed(at: number, isEntered = false): void {
    this.#moment(at, this.#offset);
    this.#typedAt = this.#now;
    this.#screen.typed(this.#now, isEntered);
    if (this.#notification === null && this.#bell === null) return;
    this.#notification = null;
    this.#bell = null;
    this.#decide();
  }

  screen(view: ScreenView, at: number, offset: number): void {
    const moment = this.#moment(at, offset);
    if (view.title !== this.#titleText) this.#readTitle(view.title, moment);
    const wasIdle = this.#screen.claim?.evidence.says === 'idle';
    const agent = this.#screen.look(view, moment, this.#agent);
    if (wasIdle && this.#screen.claim === null) this.#workAt = this.#now; // the shell executes the input
    if (agent !== undefined) this.#agent = agent === this.#startedAgent ? null : agent;
    this.#decide();
  }

  /**
   * Sets the foreground command of the terminal, if it is not the session's own: the command that a shell runs. Null if there is
   * none. The command identifies the program, but does not show whether it works: an editor is in the foreground while it waits.
   */
  foreground(command: readonly string[] | null, at: number): void {
    const text = command === null ? null : cleanText(command.join(' '), FOREGROUND_CHARACTERS_MAX);
    if (text === this.#foreground) return;
    this.#moment(at, this.#offset);
    this.#foreground = text;
    const agent = command === null ? null : agentOfCommand(this.#rules, command);
    this.#foregroundAgent = agent === SHELL ? null : agent;
    this.#decide();
  }

  /** Sets the child's trouble: stopped by a signal, stalled, or busy in a loop; null for none of these. */
  health(health: { readonly kind: 'stopped' | 'stalled' | 'busy'; readonly why: string } | null, at: number): void {
    if (health?.kind === this.#health?.kind) return;
    const moment = this.#moment(at, this.#offset);
    const { says, confidence } = HEALTH[health?.kind ?? 'stalled'];
    this.#health =
      health === null ? null : claim('process', says, confidence, health.why, moment, { kind: health.kind });
    this.#decide();
  }

  exited(at: number, offset: number, exitCode: number | null, signal: string | null): void {
    const how = signal === null ? `with ${exitCode ?? 'no exit code'}` : `by ${signal}`;
    this.#exit ??= claim('process', 'exited', 1, `the process ended ${how}`, this.#moment(at, offset));
    this.#decide();
  }

  tick(at: number): void {
    this.#moment(at, this.#offset);
    this.#decide();
  }

  /** Returns the time and offset of an event: clocks may be set back and events come late, but these values only grow. */
  #moment(at: number, offset: number): LogMoment {
    if (at > this.#now) this.#now = at;
    if (offset > this.#offset) this.#offset = offset;
    return { at: this.#now, offset: this.#offset };
  }

  /** Restores the status: screen and title will be read again, but one-time reports would be lost. */
  #restore(status: Status): void {
    this.#offset = status.offset;
    this.#agent = status.agent;
    this.#percent = status.progress;
    this.#isRestored = true;
    for (const evidence of status.evidence) {
      const isDecisive = evidence.source === status.source && evidence.says === status.state;
      const { kind, activity, thought, progress } = isDecisive ? status : UNKNOWN_STATUS;
      const restored: Claim = { evidence, kind, activity, thought, said: null, progress, question: null };
      if (evidence.source === 'program') this.#program.restore(restored);
      else if (evidence.source === 'shell') this.#shell.restore(restored);
      else if (evidence.source === 'process' && evidence.says === 'exited') this.#exit = restored;
    }
  }

  #shellFact(fact: ShellFact, moment: LogMoment): void {
    if (this.#startedAgent !== null && this.#startedAgent !== SHELL) return; // agents mark their turns with the same sequences
    this.#shell.fact(fact, moment);
    if (fact.type === 'command-start') {
      const agent = agentOfCommand(this.#rules, this.#shell.command?.trim().split(/\s+/) ?? []);
      this.#agent = agent === SHELL ? null : agent;
      this.#program.forget();
      this.#workAt = this.#now;
      this.#screen.forgetPrompt();
    } else if (fact.type !== 'command-text') {
      this.#agent = null;
      this.#progress = null;
      this.#percent = null;
      this.#notification = null;
      this.#bell = null;
      this.#program.dropUnfinished();
    }
  }

  #readTitle(title: string, moment: LogMoment): void {
    this.#titleText = title;
    const reading = readLine(this.#rules, 'title', title, this.#knownProgram);
    this.#titleStaleAt = moment.at + reading.freshMs;
    this.#title = screenClaim('title', reading, moment, this.#title);
    if (reading.state === 'working') this.#screen.showsWork();
    else if (this.#isTitleWorking) this.#screen.endsWork();
    this.#isTitleWorking = reading.state === 'working';
    if (this.#knownProgram === null) this.#agent = reading.agent;
  }

  #decide(): void {
    if (this.#exit !== null) {
      this.#nextCheckAt = null;
      this.#tell(this.#exit, [this.#exit]);
      return;
    }
    const checks = [this.#settle()];
    this.#expire(checks);
    this.#forgetGone(checks);
    const claims = this.#claims(checks).sort((one, other) => other.evidence.confidence - one.evidence.confidence);
    const winner = decisive(claims);
    if (winner !== undefined && !(HINTS.has(winner.evidence.source) && this.#isOpening(checks)))
      this.#tell(winner, [winner, ...claims.filter((each) => each !== winner)]);
    const next = Math.min(...checks);
    this.#nextCheckAt = next === Number.POSITIVE_INFINITY ? null : next;
  }

  /**
   * Returns whether the program is just starting: there is no content yet, or only for a moment, and titles and bytes do not reveal
   * enough.
   */
  #isOpening(checks: number[]): boolean {
    const endsAt = this.#startedAt + STARTING_MS_MAX;
    if (this.#status.state !== 'starting' || this.#now >= endsAt) return false;
    if (this.#screen.showsText && !this.#screen.isSettling) return false;
    checks.push(endsAt);
    return true;
  }

  #settle(): number {
    const before = this.#screen.claim;
    const next = this.#screen.settle(this.#now);
    const after = this.#screen.claim;
    if (after === null && before?.evidence.says === 'idle') this.#workAt = this.#now; // the shell executes the input
    if (after !== before && after?.evidence.says === 'working') this.#notification = null;
    return next;
  }

  #expire(checks: number[]): void {
    if (this.#title !== null && this.#now >= this.#titleStaleAt) this.#title = null;
    if (this.#title !== null) checks.push(this.#titleStaleAt);
    const progressStaleAt = (this.#progress?.evidence.at ?? 0) + PROGRESS_FRESH_MS;
    if (this.#progress !== null && this.#now >= progressStaleAt) this.#progress = null;
    if (this.#progress !== null) checks.push(progressStaleAt);
  }

  #claims(checks: number[]): Claim[] {
    const screen = this.#screen.claim;
    const rule = screen?.evidence.rule ?? null;
    // Between prompt and command only the shell reads input, so a question on the screen is not a dialog.
    const isOfNobody = this.#shell.isAtPrompt && (isPromptByLooks(rule) || rule?.startsWith('any/'));
    const knowing = [
      this.#unlessOverruled(this.#unlessAnswered(this.#program.claim), checks),
      this.#shellClaim(checks),
      isOfNobody ? null : screen,
    ];
    this.#silence = knowing.every((each) => each === null) ? this.#listen(checks) : null;
    const [title, notification] = [this.#unlessAnswered(this.#title), this.#unlessAnswered(this.#notification)];
    const hinting = [title, this.#progress, notification, this.#bell, this.#silence, this.#health];
    return [...knowing, ...hinting].filter((each) => each !== null);
  }

  /** Drops a report of a dialog that is gone: programs report the end late, or not at all; their screen shows it at once. */
  #unlessAnswered(said: Claim | null): Claim | null {
    const goneAfter = this.#screen.dialogGoneAfter;
    const isOver = said?.evidence.says === 'blocked' && goneAfter !== null && said.evidence.at <= goneAfter;
    return isOver ? null : said;
  }

  /** Overrules a report of unfinished work once the screen has shown an idle prompt, unchanged, for `PROGRAM_OVERRULED_MS`. */
  #unlessOverruled(said: Claim | null, checks: number[]): Claim | null {
    const screen = this.#screen.claim?.evidence;
    if (said === null || said.evidence.says === 'idle' || screen === undefined) return said;
    if (screen.says !== 'idle' || screen.at < said.evidence.at || screen.confidence < OVERRULING_MIN) return said;
    // The program may ask in an unknown way below its prompt; only a shell prompt in its place shows that it has ended.
    if (said.evidence.says === 'blocked' && screen.rule !== SHELL_PROMPT) return said;
    const overruledAt = Math.max(screen.at, this.#screen.changedAt) + PROGRAM_OVERRULED_MS;
    if (this.#now >= overruledAt) return null;
    checks.push(overruledAt);
    return said;
  }

  /** Forgets a program that was killed in a shell: it has not reported its end, and would stay idle forever. */
  #forgetGone(checks: number[]): void {
    const screen = this.#screen.claim?.evidence;
    const said = this.#program.claim?.evidence;
    if (screen?.rule !== SHELL_PROMPT || said === undefined || screen.at < said.at) return;
    const goneAt = Math.max(screen.at, this.#screen.changedAt) + PROGRAM_OVERRULED_MS;
    if (this.#now >= goneAt) this.#program.forget();
    else checks.push(goneAt);
  }

  #shellClaim(checks: number[]): Claim | null {
    const said = this.#shell.claim;
    if (said?.evidence.says !== 'working' || !isPromptByLooks(this.#screen.claim?.evidence.rule ?? null)) return said;
    const quietAt = this.#workAt + COMMAND_QUIET_MS;
    if (this.#now >= quietAt) return null;
    checks.push(quietAt);
    return { ...said, evidence: { ...said.evidence, confidence: 0.8 } };
  }

  /**
   * Returns the claim from bytes and silence; after a restart only once the first sample counts, because every prompt would look
   * like work until then.
   */
  #listen(checks: number[]): Claim | null {
    this.#isRestored &&= !this.#screen.hasLooked || this.#screen.isPending;
    if (this.#isRestored) return null;
    const { step, nextMs } = silenceStep(this.#now - this.#workAt, this.#screen.isAlternate);
    if (nextMs !== null) checks.push(this.#workAt + nextMs);
    if (this.#silence?.evidence.why === step.why) return this.#silence;
    const moment = { at: this.#now, offset: this.#offset };
    const kind = step.says === 'idle' ? 'silence' : null;
    return claim('output', step.says, step.confidence, step.why, moment, { kind });
  }

  #tell(winner: Claim, claims: readonly Claim[]): void {
    const { says, source, confidence } = winner.evidence;
    const isBusy = says === 'working' || says === 'blocked';
    const agreeing = claims.filter(({ evidence }) => evidence.says === says);
    // For a shell, the running command is the activity, even if it is blocked.
    const busy = isBusy ? [...agreeing, ...claims.filter(({ evidence }) => evidence.source === 'shell')] : [];
    if (!isBusy) this.#percent = null;
    const asking = says === 'blocked' ? agreeing.find(({ question }) => question !== null) : undefined;
    const next: Omit<Status, 'since' | 'offset'> = {
      state: says,
      source,
      confidence,
      evidence: claims.slice(0, EVIDENCE_MAX).map(({ evidence }) => evidence),
      kind: agreeing.find(({ kind }) => kind !== null)?.kind ?? null,
      agent: this.#knownAgent,
      ...(asking !== undefined && { question: asking.question! }),
      activity:
        asking?.activity ??
        busy.find(({ activity }) => activity !== null)?.activity ??
        (isBusy ? this.#foreground : null),
      thought: busy.find(({ thought }) => thought !== null)?.thought ?? null,
      ...saidOf(claims, this.#status),
      progress: claims.find(({ progress }) => progress !== null)?.progress ?? this.#percent,
    };
    const last = this.#status;
    const isAnotherDialog = says === 'blocked' && this.#dialogNumber !== this.#screen.dialogNumber;
    this.#dialogNumber = this.#screen.dialogNumber;
    if (!isAnotherDialog && isAsBefore(last, next)) return;
    const isStill = last.state === says && !isAnotherDialog;
    this.#status = { ...next, since: isStill ? last.since : this.#now, offset: this.#offset };
  }

  get #knownAgent(): string | null {
    return this.#agent ?? this.#foregroundAgent ?? this.#startedAgent;
  }

  /** The program, except a shell, because a shell only hosts programs, and any of them may set its title. */
  get #knownProgram(): string | null {
    return this.#knownAgent === SHELL ? null : this.#knownAgent;
  }

  #isKnown(agent: string): boolean {
    return this.#rules.some((set) => set.agent === agent);
  }
}

/** Returns the decisive claim; claims are sorted with the most confident first. */
function decisive(claims: readonly Claim[]): Claim | undefined {
  const best = claims.find(({ evidence }) => evidence.confidence >= CONFIDENCE_MIN);
  const dialog = claims.find(({ evidence }) => evidence.source === 'screen' && evidence.says === 'blocked');
  if (best === undefined || dialog === undefined) return best;
  const { says, source, at } = best.evidence;
  const isOutdated = source === 'program' && at < dialog.evidence.at;
  return says === 'idle' || (says === 'working' && isOutdated) ? dialog : best;
}

/** Returns the last message, which stays valid when it has scrolled away. */
function saidOf(claims: readonly Claim[], last: Status): Pick<Status, 'said'> {
  const said = claims.find((each) => each.said !== null)?.said ?? last.said;
  return said === undefined ? {} : { said };
}

/** Compares two statuses without the time and place of an observation, which is repeated all the time. */
function isAsBefore(last: Status, next: Omit<Status, 'since' | 'offset'>): boolean {
  const { evidence, question, ...rest } = next;
  return (
    isSameQuestion(last.question, question) &&
    (Object.keys(rest) as (keyof typeof rest)[]).every((key) => last[key] === rest[key]) &&
    evidence.length === last.evidence.length &&
    evidence.every((each, at) => isSameEvidence(each, last.evidence[at]!))
  );
}

const isSameQuestion = (one: Question | undefined, other: Question | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const isSameEvidence = (one: Evidence, other: Evidence): boolean =>
  one === other ||
  (one.source === other.source &&
    one.says === other.says &&
    one.rule === other.rule &&
    one.why === other.why &&
    one.confidence === other.confidence);

const HINTS: ReadonlySet<StatusSource> = new Set(['title', 'notification', 'bell', 'output']);
/** Claims by trouble. A stopped child does not work, whatever it has reported before; in the other cases a pause may be right. */
const HEALTH = {
  stopped: { says: 'blocked', confidence: 0.98 },
  stalled: { says: 'working', confidence: 0.45 },
  busy: { says: 'working', confidence: 0.6 },
} as const;
const PRINTS = silenceStep(0, false).step.why;
