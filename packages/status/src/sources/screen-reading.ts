/**
 * Applies the rules to one screen.
 *
 * It reads the emulated screen, never the bytes: full-screen programs write cells in any order, and the last written text is not
 * always the visible one. The same rules read titles and notifications, which are single lines. Keeps STATE-11: the texts of an
 * agent in a status UI.
 */
import { cleanText } from '@spool/vt';
import { type Question, questionLine, type StatusState } from '@spool/protocol';
import { SHELL } from './command-agent.ts';
import type { Dialog } from './dialog.ts';
import type { InputBox } from './input-box.ts';
import type { InputRule } from './input-line.ts';
import { ViewRegions, type RegionMatch } from './view-regions.ts';
import { questionAtCursor, questionOn } from './question.ts';
import type { ScreenView } from './screen-lines.ts';
import type { Extract, Rule, RuleSet } from '../rules.ts';

/** The result; all fields are null if no rule matches, but `agent` may still be known. */
export interface ScreenReading {
  readonly state: StatusState | null;
  readonly kind: string | null;
  /** The rule's name, `claude/permission`. */
  readonly rule: string | null;
  readonly why: string | null;
  readonly confidence: number;
  readonly agent: string | null;
  readonly activity: string | null;
  readonly thought: string | null;
  readonly said: string | null;
  /** The question, on screens that wait for a decision. */
  readonly dialog: Dialog | null;
  /** The question in the form for users: with its subject, and the answers. */
  readonly question: Question | null;
  /** The place of the input box; null if none was found. */
  readonly box: InputBox | null;
  /**
   * The time for which it must last before it counts; the second number is the time without other changes; the third is that time
   * after work.
   */
  readonly settleMs: number;
  readonly quietMs: number;
  readonly endedMs: number | null;
  readonly freshMs: number;
}

export interface ReadingHint {
  /** The agent that the session's command starts, see `agentOfCommand`. */
  readonly started: string | null;
  /** The agent that was recognised before, if any. */
  readonly agent: string | null;
}

const ACTIVITY_CHARACTERS_MAX = 120;
const THOUGHT_CHARACTERS_MAX = 300;
const WHY_CHARACTERS_MAX = 80;

export function readScreen(rules: readonly RuleSet[], view: ScreenView, hint: ReadingHint): ScreenReading {
  const look = new ViewRegions(view);
  const { started } = hint;
  let agent = hint.agent ?? started;
  if (agent === null || agent === SHELL) agent = recognised(rules, look) ?? agent;
  // An agent that was started from a shell may have ended: then the shell's own rules match the screen, or the general ones.
  for (const asked of new Set([agent, started])) {
    if (asked === null) continue;
    look.inputs = inputsOf(rules, asked);
    const found = firstMet(rules, asked, 'screen', look);
    if (found !== undefined) return reading(found, look, rules, asked);
  }
  look.inputs = inputsOf(rules, agent);
  const found = firstMet(rules, null, 'screen', look);
  return found === undefined ? { ...NOTHING, agent, box: look.box } : reading(found, look, rules, agent);
}

const inputsOf = (rules: readonly RuleSet[], agent: string | null): readonly InputRule[] =>
  rules.filter((set) => set.agent === agent).flatMap(({ input }) => input);

/** Reads a title or a notification, by the agent's rules and then by the general ones. */
export function readLine(
  rules: readonly RuleSet[],
  where: 'title' | 'notification',
  text: string,
  agent: string | null,
): ScreenReading {
  const look = new ViewRegions(
    { ...NO_VIEW, title: where === 'title' ? text : '' },
    where === 'notification' ? text : '',
  );
  const known = agent ?? recognised(rules, look);
  const found =
    (known === null ? undefined : firstMet(rules, known, where, look)) ?? firstMet(rules, null, where, look);
  return found === undefined ? { ...NOTHING, agent: known } : { ...reading(found, look, [], known) };
}

interface RuleMatch {
  readonly rule: Rule;
  /** The match of the rule's first condition. */
  readonly match: RegionMatch;
}

function firstMet(
  rules: readonly RuleSet[],
  agent: string | null,
  reads: Rule['reads'],
  look: ViewRegions,
): RuleMatch | undefined {
  for (const set of rules) {
    if (set.agent !== agent) continue;
    for (const rule of set.rules) {
      const match = rule.reads === reads ? met(rule, look) : undefined;
      if (match !== undefined) return { rule, match };
    }
  }
  return undefined;
}

/** Returns the match of the rule's first condition; undefined if the rule does not match. */
function met(rule: Rule, look: ViewRegions): RegionMatch | undefined {
  let first: RegionMatch | undefined;
  for (const condition of rule.all) {
    const match = look.find(condition);
    if (match === undefined) return undefined;
    first ??= match;
  }
  if (rule.any.length > 0) {
    const match = rule.any.map((condition) => look.find(condition)).find((each) => each !== undefined);
    if (match === undefined) return undefined;
    first ??= match;
  }
  return rule.none.some((condition) => look.find(condition) !== undefined) ? undefined : first;
}

function reading(
  { rule, match }: RuleMatch,
  look: ViewRegions,
  rules: readonly RuleSet[],
  agent: string | null,
): ScreenReading {
  const isDialog = rule.says === 'blocked' && rule.reads === 'screen';
  const question = isDialog ? extractQuestion(rule, match, look, rules, agent) : null;
  const activity =
    question === null
      ? extracted(rules, agent, 'activity', rule, look, ACTIVITY_CHARACTERS_MAX)
      : cleanText(questionLine(question), ACTIVITY_CHARACTERS_MAX);
  const dialog = isDialog ? dialogOf(rule, match, question, look) : null;
  const words = cleanText((question?.text ?? dialog?.question ?? quoteMatch(match)).trim(), WHY_CHARACTERS_MAX);
  const subject = rule.reads === 'screen' ? 'the screen shows' : `the ${rule.reads} says`;
  return {
    state: rule.says,
    kind: rule.kind,
    rule: rule.name,
    why: `${subject} "${words}"`,
    confidence: rule.confidence,
    agent: rule.name.startsWith(`${SHELL}/`) ? SHELL : agent,
    activity,
    thought: extracted(rules, agent, 'thought', rule, look, THOUGHT_CHARACTERS_MAX),
    said: findSaid(rules, agent, look),
    dialog,
    question,
    box: look.box,
    settleMs: rule.settleMs,
    quietMs: rule.quietMs,
    endedMs: rule.endedMs,
    freshMs: rule.freshMs,
  };
}

/**
 * Returns the matched text, in the words of the screen. A rule for a prompt matches only the sign at its end: the whole line is
 * clearer.
 */
function quoteMatch({ found, place }: RegionMatch): string {
  return place === 'cursor' ? found.input.slice(0, found.index + found[0].length) : found[0];
}

function dialogOf({ kind }: Rule, { row, place }: RegionMatch, question: Question | null, look: ViewRegions): Dialog {
  const asked = kind === PAGER ? null : (question?.text ?? look.questionAbove(row)); // a page asks no question
  return { kind, question: asked, isAtCursor: place === 'cursor', subject: question?.subject ?? null };
}

function extractQuestion(
  { kind }: Rule,
  match: RegionMatch,
  look: ViewRegions,
  rules: readonly RuleSet[],
  agent: string | null,
): Question | null {
  if (kind === PAGER) return null;
  const { row, place } = match;
  // The text after the question is being typed.
  if (place === 'cursor') return questionAtCursor(quoteMatch(match).trim(), kind);
  const dialogs = rules.filter((set) => set.agent === agent).flatMap((set) => set.dialogs);
  return questionOn(look.lines, row, kind, dialogs, look.backgroundAt);
}

const PAGER = 'pager';

function extracted(
  rules: readonly RuleSet[],
  agent: string | null,
  what: 'activity' | 'thought',
  { says }: Rule,
  look: ViewRegions,
  charactersMax: number,
): string | null {
  for (const set of rules) {
    if (set.agent !== agent) continue;
    for (const extract of set[what]) {
      const text = extract.when === says ? filledIn(extract, look) : '';
      if (text !== '') return cleanText(text, charactersMax);
    }
  }
  return null;
}

/** Returns the last sentence of the lowest message. A line that shows an activity is not a message. */
function findSaid(rules: readonly RuleSet[], agent: string | null, look: ViewRegions): string | null {
  const sets = rules.filter((set) => set.agent === agent);
  const activities = sets.flatMap((set) => set.activity.map(({ condition }) => condition.pattern));
  for (const extract of sets.flatMap((set) => set.said)) {
    for (const match of look.findAll(extract.condition)) {
      if (activities.some((pattern) => pattern.test(match.found.input))) continue;
      return cleanText(lastSentence(textOf(extract, match, look)), THOUGHT_CHARACTERS_MAX);
    }
  }
  return null;
}

function lastSentence(text: string): string {
  return (text.match(/\S[^]*?(?:[.!?…](?=\s|$)|$)/g) ?? []).at(-1) ?? text;
}

/** Fills in the text: `$1` is a group of the line, `^1` one of the line above it. */
function filledIn({ condition, text, isBlock }: Extract, look: ViewRegions): string {
  const match = look.find(condition);
  return match === undefined ? '' : textOf({ text, isBlock }, match, look);
}

function textOf({ text, isBlock }: Pick<Extract, 'text' | 'isBlock'>, match: RegionMatch, look: ViewRegions): string {
  const filled = text
    .replace(
      /([$^])(\d)/g,
      (_, of: string, group: string) => (of === '$' ? match.found : match.above)?.[Number(group)] ?? '',
    )
    .trim();
  return isBlock ? `${filled} ${look.blockBelow(match.row)}`.trim() : filled;
}

function recognised(rules: readonly RuleSet[], look: ViewRegions): string | null {
  return rules.find((set) => set.recognise.some((condition) => look.find(condition) !== undefined))?.agent ?? null;
}

const NO_VIEW: ScreenView = {
  lines: [],
  cursor: { row: 0, col: 0 },
  isCursorVisible: true,
  isAlternate: false,
  title: '',
};

const NOTHING: ScreenReading = {
  state: null,
  kind: null,
  rule: null,
  why: null,
  confidence: 0,
  agent: null,
  activity: null,
  thought: null,
  said: null,
  dialog: null,
  question: null,
  box: null,
  settleMs: 0,
  quietMs: 0,
  endedMs: null,
  freshMs: 0,
};
