/**
 * Reads the screen repeatedly, and returns reliable readings.
 *
 * A screen may be half drawn, a prompt may appear before all work is done, and some programs show only their prompt while they
 * answer. Therefore a new reading counts only when it has lasted as long as its rule requires; until then the last one is kept. A
 * blinking dot changes the screen, but not the reading. Only a dialog ends at the first sample that does not show it: it was
 * answered, and a client that waits for that must not wait longer. Likewise, idle ends at the first sample that shows a dialog.
 *
 * The time for which a prompt must be unchanged depends on earlier content: it is short if a sign of work was visible and is
 * gone, long if a draft was just sent and has had no effect yet (`draft.ts`). Keeps STATE-22, STATE-44 and STATE-45.
 */
import { type Claim, claim, type LogMoment } from '../claim.ts';
import { agentOfCommand, SHELL } from './command-agent.ts';
import { type Dialog, isAnother, NOTHING_SINCE } from './dialog.ts';
import { InputDraft } from './draft.ts';
import type { InputBox } from './input-box.ts';
import { agentInput } from './input-line.ts';
import { Motion } from './motion.ts';
import type { RuleSet } from '../rules.ts';
import { type ScreenView, textBeforeCursor } from './screen-lines.ts';
import { readScreen, type ScreenReading } from './screen-reading.ts';

/** The time for which the last reading is kept when no rule matches the screen. */
const UNREAD_HOLD_MS = 400;
/**
 * The time for the next dialog: one that replaces another of the same rule may be half drawn, with the question of the old one.
 */
const NEXT_DIALOG_MS = 100;
/** The time after a draft was sent, if the screen has not changed since. */
const SENT_MS = 1800;
/** The time after the title has shown work and no longer does. */
const ENDED_MS = 400;
/** The number of changes after a draft that are not an answer: OpenCode clears its first screen, and then shows the draft. */
const SENT_CHANGES_MAX = 1;
/** The smallest time that distinguishes rules: those with shorter times are treated alike. */
const IDLE_QUIET_MS_MIN = 3000;
const SIDEWAYS = /^(?:Left|Right)\b/;

export class ScreenWatch {
  readonly #rules: readonly RuleSet[];
  readonly #started: string | null;
  #view: ScreenView | null = null;
  #claim: Claim | null = null;
  #pending: { readonly reading: ScreenReading; readonly since: LogMoment } | null = null;
  /** The last dialog that counted, with the time when it was first seen; null if another reading has counted since. */
  #dialog: (Dialog & { readonly at: number }) | null = null;
  #dialogNumber = 0;
  /** The time of the last sample that showed a dialog. */
  #dialogSeenAt = Number.NEGATIVE_INFINITY;
  #typedAt = Number.NEGATIVE_INFINITY;
  #box: InputBox | null = null;
  readonly #draft = new InputDraft();
  /** Whether a draft was sent, and no work has been visible since. */
  #isSent = false;
  #sentChanges = 0;
  /** The time without changes that the idle rule requires. */
  #idleQuietMs = 0;
  /** Whether a sign of work was visible, and neither a dialog nor a pause since. */
  #hasSeenWork = false;
  /**
   * Whether the title shows that the work has ended. Unlike a hint on the screen, the title is not hidden by an answer that is
   * streamed.
   */
  #hasEnded = false;
  readonly #motion = new Motion();
  /** The text before the cursor when a shell's prompt was read: text that is typed after it is not work. */
  #promptText = '';
  /** The same text during other readings too: a long command wraps into the next row. */
  #lastPrompt = '';

  constructor(rules: readonly RuleSet[], command: readonly string[]) {
    this.#rules = rules;
    this.#started = agentOfCommand(rules, command);
  }

  get claim(): Claim | null {
    return this.#claim;
  }

  get hasLooked(): boolean {
    return this.#view !== null;
  }

  get showsText(): boolean {
    return this.#view?.lines.some((line) => line !== '') ?? false;
  }

  /** Whether a rule matches, but not for long enough. */
  get isSettling(): boolean {
    return this.#pending !== null && this.#pending.reading.rule !== null;
  }

  /** Whether there is a reading, or the lack of one, that does not count yet. */
  get isPending(): boolean {
    return this.#pending !== null;
  }

  /** Whether the reading that does not count yet is a dialog. */
  get isDialogPending(): boolean {
    return this.#pending?.reading.state === 'blocked';
  }

  get isAlternate(): boolean {
    return this.#view?.isAlternate ?? false;
  }

  /** The time of the last change outside of the input box, where input is echoed. */
  get changedAt(): number {
    return this.#motion.changedAt;
  }

  /** A number that changes when one dialog replaces another. */
  get dialogNumber(): number {
    return this.#dialogNumber;
  }

  /** The time of the last sample that showed the last dialog; null while there is one, or if there was none. */
  get dialogGoneAfter(): number | null {
    const isGone = this.#claim?.evidence.says !== 'blocked' && this.#dialogSeenAt > Number.NEGATIVE_INFINITY;
    return isGone ? this.#dialogSeenAt : null;
  }

  /** Notes input; `isEntered`: with Enter. */
  typed(at: number, isEntered: boolean): void {
    this.#typedAt = at;
    if (isEntered && this.#claim?.evidence.says === 'idle') this.#draft.entered(at);
  }

  /** Notes that the program shows work elsewhere, in its title. */
  showsWork(): void {
    this.#seesWork();
    this.#hasEnded = false;
  }

  /** Notes that its title showed work, and has changed to one that does not. */
  endsWork(): void {
    this.#hasEnded = true;
  }

  #seesWork(): void {
    this.#hasSeenWork = true;
    this.#isSent = false;
    this.#draft.forget();
  }

  /** Reads a sample; returns the agent whose screen it is, or undefined if that has not changed. */
  look(view: ScreenView, moment: LogMoment, agent: string | null): string | null | undefined {
    const last = this.#view;
    if (last !== null && isSame(last, view) && !this.#hasButtons) {
      if (this.#claim?.evidence.says === 'blocked') this.#dialogSeenAt = moment.at;
      return undefined;
    }
    this.#view = view;
    const reading = readScreen(this.#rules, view, { started: this.#started, agent });
    if (last === null) this.#motion.began(moment.at);
    else this.#motion.compare({ view: last, box: this.#box }, { view, box: reading.box }, moment.at, this.#typedAt);
    this.#box = reading.box;
    const isWorking = reading.box !== null && this.#motion.isMoving(moment.at, this.#typedAt);
    if (this.#isTypedAtPrompt(view) && !isWorking) return undefined;
    this.#promptText = isPromptByLooks(reading.rule) ? textBeforeCursor(view).trimEnd() : '';
    if (this.#promptText !== '') this.#lastPrompt = this.#promptText;
    this.#noteWork(reading, view, isWorking, moment.at);
    if (reading.state === 'blocked') this.#dialogSeenAt = moment.at;
    else if (this.#claim?.evidence.says === 'blocked') {
      this.#claim = null;
      this.#motion.began(moment.at); // the work continues after the answer: the box alone is not idle yet
    }
    if (this.#isIdleOver(reading, moment.at)) this.#claim = null;
    if (reading.rule === (this.#claim?.evidence.rule ?? null) && !this.#asksAnother(reading)) {
      this.#count(reading, moment);
      this.#pending = null;
    } else {
      const since = this.#pending !== null && isAlike(this.#pending.reading, reading) ? this.#pending.since : moment;
      this.#pending = { reading, since };
    }
    return reading.agent;
  }

  /** Accepts readings that have lasted long enough; returns the time when the next one would count. */
  settle(now: number): number {
    if (this.#pending === null) return Number.POSITIVE_INFINITY;
    const { reading, since } = this.#pending;
    const settleMs = Math.max(reading.settleMs, reading.rule === this.#claim?.evidence.rule ? NEXT_DIALOG_MS : 0);
    const settledAt =
      reading.rule === null
        ? since.at + UNREAD_HOLD_MS
        : Math.max(since.at + settleMs, reading.quietMs === 0 ? 0 : this.#motion.changedAt + this.#quietMs(reading));
    if (now < settledAt) return settledAt;
    this.#pending = null;
    if (reading.state === 'idle') this.#rest(reading);
    this.#count(reading, since);
    return Number.POSITIVE_INFINITY;
  }

  forgetPrompt(): void {
    this.#promptText = '';
    this.#lastPrompt = '';
  }

  /** The last prompt that was recognised by its appearance; '' for none. */
  get lastPrompt(): string {
    return this.#lastPrompt;
  }

  /** Whether there are buttons: their selection is shown by colours, which are not part of a view's lines. */
  get #hasButtons(): boolean {
    return this.#claim?.question?.options.some(({ key }) => key === null || SIDEWAYS.test(key)) ?? false;
  }

  #count(reading: ScreenReading, moment: LogMoment): void {
    const isNext = this.#asksAnother(reading);
    if (isNext) this.#dialogNumber++;
    this.#claim = screenClaim('screen', reading, moment, isNext ? null : this.#claim);
    if (reading.dialog !== null) {
      const known = isNext ? null : this.#dialog;
      const question = reading.dialog.question ?? known?.question ?? null;
      this.#dialog = { ...reading.dialog, question, at: known?.at ?? moment.at };
    } else if (reading.state !== null) this.#dialog = null;
  }

  #asksAnother({ dialog }: ScreenReading): boolean {
    const last = this.#dialog;
    if (last === null || dialog === null) return false;
    const hasTyped = this.#typedAt > last.at;
    return isAnother(last, dialog, { hasTyped, hasChanged: hasTyped && this.#motion.changedAt >= this.#typedAt });
  }

  #noteWork({ state, kind, agent }: ScreenReading, view: ScreenView, isWorking: boolean, at: number): void {
    if (state === 'working') this.#seesWork();
    if (isWorking || this.#motion.changes - this.#sentChanges > SENT_CHANGES_MAX) this.#isSent = false;
    if (state === 'blocked') {
      this.#isSent = this.#hasSeenWork = false;
      this.#draft.forget();
    }
    if (agent === null || state !== 'idle' || kind !== 'prompt') return;
    const { lines, cursor } = view;
    const line = agentInput(this.#rules, agent, { lines, solid: lines, cursor });
    if (!this.#draft.look(line?.text ?? null, at, this.#typedAt)) return;
    this.#isSent = true;
    this.#hasEnded = false;
    this.#sentChanges = this.#motion.changes;
    this.#motion.began(at);
  }

  #quietMs({ quietMs, endedMs }: ScreenReading): number {
    if (this.#isSent) return Math.max(quietMs, SENT_MS);
    if (this.#hasEnded) return Math.min(endedMs ?? quietMs, quietMs, ENDED_MS);
    return this.#hasSeenWork && endedMs !== null ? endedMs : quietMs;
  }

  #rest({ quietMs }: ScreenReading): void {
    this.#idleQuietMs = quietMs;
    this.#motion.rested();
    this.#isSent = this.#hasSeenWork = this.#hasEnded = false;
  }

  /**
   * Returns whether idle has ended: there is a dialog, a draft was sent, it looks like a prompt that must be unchanged for
   * longer, or the box is still there, but lines beside it have begun to change.
   */
  #isIdleOver({ state, quietMs }: ScreenReading, at: number): boolean {
    if (this.#claim?.evidence.says !== 'idle') return false;
    if (state === 'blocked' || (state === 'idle' && quietMs > Math.max(this.#idleQuietMs, IDLE_QUIET_MS_MIN)))
      return true;
    return state === 'idle' && quietMs > 0 && (this.#isSent || this.#motion.isMoving(at, this.#typedAt));
  }

  /** Returns whether text was typed after the prompt, on the same line. */
  #isTypedAtPrompt(view: ScreenView): boolean {
    if (this.#promptText === '') return false;
    const before = textBeforeCursor(view).trimEnd();
    return before.length > this.#promptText.length && before.startsWith(this.#promptText);
  }
}

/** Returns the claim of a reading: for the same rule as before, the same evidence, from the time when it was first seen. */
export function screenClaim(
  source: 'screen' | 'title' | 'notification',
  reading: ScreenReading,
  moment: LogMoment,
  last: Claim | null,
): Claim | null {
  if (reading.state === null) return null;
  const { kind, activity, thought, said, question } = reading;
  if (last !== null && last.evidence.rule === reading.rule) return { ...last, kind, activity, thought, said, question };
  return claim(source, reading.state, reading.confidence, reading.why!, moment, reading);
}

/** The rule for the prompt of the shell that was started: the program in it has ended. */
export const SHELL_PROMPT = `${SHELL}/prompt`;

/** Returns whether a rule recognises a prompt by its appearance. */
export const isPromptByLooks = (rule: string | null): boolean => rule === SHELL_PROMPT || rule === 'any/prompt';

/** Returns whether two readings are the same. */
const isAlike = (one: ScreenReading, other: ScreenReading): boolean =>
  one.rule === other.rule &&
  (one.dialog === null || other.dialog === null || !isAnother(one.dialog, other.dialog, NOTHING_SINCE));

const isSame = (one: ScreenView, other: ScreenView): boolean =>
  one.isAlternate === other.isAlternate &&
  one.cursor.row === other.cursor.row &&
  one.cursor.col === other.cursor.col &&
  one.lines.length === other.lines.length &&
  one.lines.every((line, row) => line === other.lines[row]);
