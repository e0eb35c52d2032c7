/**
 * Reads the screen repeatedly, and returns what can be relied on.
 *
 * A screen may be half drawn, a prompt may appear before all work is done, and some programs show nothing but their
 * prompt while they answer. So a new reading counts only when it has lasted as long as its rule requires; until then
 * the last one stays. A blinking dot changes the screen, but not the reading. Only a dialog ends at the first look that
 * does not see it: it was answered, and a client that waits for that must not wait longer. And idle ends at the first look
 * that sees a dialog.
 *
 * How long a prompt has to stand still depends on what was seen before: briefly where a sign of work was there and is gone,
 * long where a draft was just sent and nothing has come of it yet (`draft.ts`). Keeps STATE-22.
 */
import { type Claim, claim, type Moment } from '../claim.ts';
import { agentOfCommand, SHELL } from './command-agent.ts';
import { type Dialog, isAnother, NOTHING_SINCE } from './dialog.ts';
import { Draft } from './draft.ts';
import type { InputBox } from './input-box.ts';
import { agentInput } from './input-line.ts';
import { Motion } from './motion.ts';
import type { RuleSet } from '../rules.ts';
import { type ScreenView, textBeforeCursor } from './screen-lines.ts';
import { readScreen, type ScreenReading } from './screen-reading.ts';

/** When no rule matches the screen, the last reading stays for this long. */
const UNREAD_HOLD_MS = 400;
/** A dialog that replaces another of the same rule may be half drawn, with the question of the old one. */
const NEXT_DIALOG_MS = 100;
/** A draft was sent, and nothing has moved since. */
const SENT_MS = 1800;
/** The title has shown work and no longer does. */
const ENDED_MS = 400;
/** OpenCode clears its first screen, and then shows what was sent; what changes more often is an answer. */
const SENT_CHANGES_MAX = 1;
/** Rules that ask for less are alike. */
const IDLE_QUIET_MS_MIN = 3000;
const SIDEWAYS = /^(?:Left|Right)\b/;

export class ScreenWatch {
  readonly #rules: readonly RuleSet[];
  readonly #started: string | null;
  #view: ScreenView | null = null;
  #claim: Claim | null = null;
  #pending: { readonly reading: ScreenReading; readonly since: Moment } | null = null;
  /** The last that counted, from when it was first seen; null when something else has counted since. */
  #dialog: (Dialog & { readonly at: number }) | null = null;
  #dialogNumber = 0;
  /** The last look that saw a dialog. */
  #dialogSeenAt = Number.NEGATIVE_INFINITY;
  #typedAt = Number.NEGATIVE_INFINITY;
  #box: InputBox | null = null;
  readonly #draft = new Draft();
  /** A draft was sent, and no work has been seen since. */
  #isSent = false;
  #sentChanges = 0;
  /** How long the rule that says idle wants it to rest. */
  #idleQuietMs = 0;
  /** A sign of work was seen, and no dialog and no rest since. */
  #hasSeenWork = false;
  /** The title says that the work has ended. Unlike a hint on the screen, it is not hidden by an answer that is streamed. */
  #hasEnded = false;
  readonly #motion = new Motion();
  /** The text before the cursor when a shell's prompt was read: what is typed after it is not work. */
  #promptText = '';
  /** The same, also while something else is read: a long command wraps into the next row. */
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

  /** A rule matches, but not for long enough. */
  get isSettling(): boolean {
    return this.#pending !== null && this.#pending.reading.rule !== null;
  }

  /** There is a reading, or the lack of one, that does not count yet. */
  get isPending(): boolean {
    return this.#pending !== null;
  }

  /** The reading that does not count yet is a dialog. */
  get isDialogPending(): boolean {
    return this.#pending?.reading.state === 'blocked';
  }

  get isAlternate(): boolean {
    return this.#view?.isAlternate ?? false;
  }

  /** When it last changed outside of the input box, where input is echoed. */
  get changedAt(): number {
    return this.#motion.changedAt;
  }

  /** Changes when one dialog replaces another. */
  get dialogNumber(): number {
    return this.#dialogNumber;
  }

  /** The last look that saw the dialog that is gone; null while there is one, or when there was none. */
  get dialogGoneAfter(): number | null {
    const isGone = this.#claim?.evidence.says !== 'blocked' && this.#dialogSeenAt > Number.NEGATIVE_INFINITY;
    return isGone ? this.#dialogSeenAt : null;
  }

  /** `isEntered`: with Enter. */
  typed(at: number, isEntered: boolean): void {
    this.#typedAt = at;
    if (isEntered && this.#claim?.evidence.says === 'idle') this.#draft.entered(at);
  }

  /** It shows that it works elsewhere, in its title. */
  showsWork(): void {
    this.#seesWork();
    this.#hasEnded = false;
  }

  /** Its title showed work, and has changed to one that does not. */
  endsWork(): void {
    this.#hasEnded = true;
  }

  #seesWork(): void {
    this.#hasSeenWork = true;
    this.#isSent = false;
    this.#draft.forget();
  }

  /** The agent whose screen it is; undefined where nothing has changed. */
  look(view: ScreenView, moment: Moment, agent: string | null): string | null | undefined {
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
      this.#motion.began(moment.at); // what was answered goes on: the box alone is not idle yet
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

  /** Accepts readings that have lasted long enough; returns when the next one would. */
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

  /** The last prompt that was recognised by its looks; '' for none. */
  get lastPrompt(): string {
    return this.#lastPrompt;
  }

  /** The selection of buttons is shown by colours, which are no part of a view's lines. */
  get #hasButtons(): boolean {
    return this.#claim?.question?.options.some(({ key }) => key === null || SIDEWAYS.test(key)) ?? false;
  }

  #count(reading: ScreenReading, moment: Moment): void {
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
    const text = agentInput(this.#rules, agent, { lines, solid: lines, cursor });
    if (!this.#draft.look(text, at, this.#typedAt)) return;
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
   * A dialog has come, a draft was sent, it looks like a prompt that has to rest longer, or the box is still there, but something
   * beside it has begun to move.
   */
  #isIdleOver({ state, quietMs }: ScreenReading, at: number): boolean {
    if (this.#claim?.evidence.says !== 'idle') return false;
    if (state === 'blocked' || (state === 'idle' && quietMs > Math.max(this.#idleQuietMs, IDLE_QUIET_MS_MIN)))
      return true;
    return state === 'idle' && quietMs > 0 && (this.#isSent || this.#motion.isMoving(at, this.#typedAt));
  }

  /** After the prompt that was there, on the same line. */
  #isTypedAtPrompt(view: ScreenView): boolean {
    if (this.#promptText === '') return false;
    const before = textBeforeCursor(view).trimEnd();
    return before.length > this.#promptText.length && before.startsWith(this.#promptText);
  }
}

/** The same rule as before: the same evidence, from when it was first seen. */
export function screenClaim(
  source: 'screen' | 'title' | 'notification',
  reading: ScreenReading,
  moment: Moment,
  last: Claim | null,
): Claim | null {
  if (reading.state === null) return null;
  const { kind, activity, thought, said, question } = reading;
  if (last !== null && last.evidence.rule === reading.rule) return { ...last, kind, activity, thought, said, question };
  return claim(source, reading.state, reading.confidence, reading.why!, moment, reading);
}

/** The prompt of the shell that was started: what ran in it has ended. */
export const SHELL_PROMPT = `${SHELL}/prompt`;

/** A rule that recognises a prompt by its looks. */
export const isPromptByLooks = (rule: string | null): boolean => rule === SHELL_PROMPT || rule === 'any/prompt';

/** The same reading, seen twice. */
const isAlike = (one: ScreenReading, other: ScreenReading): boolean =>
  one.rule === other.rule &&
  (one.dialog === null || other.dialog === null || !isAnother(one.dialog, other.dialog, NOTHING_SINCE));

const isSame = (one: ScreenView, other: ScreenView): boolean =>
  one.isAlternate === other.isAlternate &&
  one.cursor.row === other.cursor.row &&
  one.cursor.col === other.cursor.col &&
  one.lines.length === other.lines.length &&
  one.lines.every((line, row) => line === other.lines[row]);
