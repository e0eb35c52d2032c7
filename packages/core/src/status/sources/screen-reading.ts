/**
 * Applies the rules to one screen.
 *
 * It reads the emulated screen, never the bytes: full-screen programs write cells here and there, and what they wrote
 * last is not what is visible. The same rules read titles and notifications, which are single lines. Keeps STATE-11: what a
 * status UI shows of an agent.
 */
import { cleanText } from '@spool/vt';
import { type Question, questionLine, type StatusState } from '@spool/protocol';
import { SHELL } from './command-agent.ts';
import type { Dialog } from './dialog.ts';
import type { InputBox } from './input-box.ts';
import type { InputRule } from './input-line.ts';
import { Look, type Match } from './look.ts';
import { questionAtCursor, questionOn } from './question.ts';
import type { ScreenView } from './screen-lines.ts';
import type { Extract, Rule, RuleSet } from '../rules.ts';

/** All null where no rule matches; `agent` may be known all the same. */
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
  /** The same for users: with what it is about, and the answers. */
  readonly question: Question | null;
  /** Where the input box is; null where none was found. */
  readonly box: InputBox | null;
  /** How long it has to last before it counts; the second: with nothing else changing; the third: the same, after work. */
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

export const ACTIVITY_CHARACTERS_MAX = 120;
export const THOUGHT_CHARACTERS_MAX = 300;
const WHY_CHARACTERS_MAX = 80;

export function readScreen(rules: readonly RuleSet[], view: ScreenView, hint: ReadingHint): ScreenReading {
  const look = new Look(view);
  const { started } = hint;
  let agent = hint.agent ?? started;
  if (agent === null || agent === SHELL) agent = recognised(rules, look) ?? agent;
  // An agent that was started from a shell may have ended: then the shell's own rules match the screen, or the general
  // ones.
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

/** A title or a notification, by the agent's rules and then by the general ones. */
export function readLine(
  rules: readonly RuleSet[],
  where: 'title' | 'notification',
  text: string,
  agent: string | null,
): ScreenReading {
  const look = new Look({ ...NO_VIEW, title: where === 'title' ? text : '' }, where === 'notification' ? text : '');
  const known = agent ?? recognised(rules, look);
  const found =
    (known === null ? undefined : firstMet(rules, known, where, look)) ?? firstMet(rules, null, where, look);
  return found === undefined ? { ...NOTHING, agent: known } : { ...reading(found, look, [], known) };
}

interface Found {
  readonly rule: Rule;
  /** Of the rule's first condition. */
  readonly match: Match;
}

function firstMet(
  rules: readonly RuleSet[],
  agent: string | null,
  reads: Rule['reads'],
  look: Look,
): Found | undefined {
  for (const set of rules) {
    if (set.agent !== agent) continue;
    for (const rule of set.rules) {
      const match = rule.reads === reads ? met(rule, look) : undefined;
      if (match !== undefined) return { rule, match };
    }
  }
  return undefined;
}

/** The match of the rule's first condition; undefined where the rule does not match. */
function met(rule: Rule, look: Look): Match | undefined {
  let first: Match | undefined;
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

function reading({ rule, match }: Found, look: Look, rules: readonly RuleSet[], agent: string | null): ScreenReading {
  const isDialog = rule.says === 'blocked' && rule.reads === 'screen';
  const question = isDialog ? questionOf(rule, match, look, rules, agent) : null;
  const activity =
    question === null
      ? extracted(rules, agent, 'activity', rule, look, ACTIVITY_CHARACTERS_MAX)
      : cleanText(questionLine(question), ACTIVITY_CHARACTERS_MAX);
  const dialog = isDialog ? dialogOf(rule, match, question, look) : null;
  const words = cleanText((question?.text ?? dialog?.question ?? quoted(match)).trim(), WHY_CHARACTERS_MAX);
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
    said: said(rules, agent, look),
    dialog,
    question,
    box: look.box,
    settleMs: rule.settleMs,
    quietMs: rule.quietMs,
    endedMs: rule.endedMs,
    freshMs: rule.freshMs,
  };
}

/** What matched, in the words of the screen. Of a prompt, a rule matches only the sign at its end: the whole line reads better. */
function quoted({ found, place }: Match): string {
  return place === 'cursor' ? found.input.slice(0, found.index + found[0].length) : found[0];
}

function dialogOf({ kind }: Rule, { row, place }: Match, question: Question | null, look: Look): Dialog {
  const asked = kind === PAGER ? null : (question?.text ?? look.questionAbove(row)); // each page is a new dialog, and asks nothing
  return { kind, question: asked, isAtCursor: place === 'cursor', subject: question?.subject ?? null };
}

function questionOf(
  { kind }: Rule,
  match: Match,
  look: Look,
  rules: readonly RuleSet[],
  agent: string | null,
): Question | null {
  if (kind === PAGER) return null;
  const { row, place } = match;
  // The text after the question is being typed.
  if (place === 'cursor') return questionAtCursor(quoted(match).trim(), kind);
  const dialogs = rules.filter((set) => set.agent === agent).flatMap((set) => set.dialogs);
  return questionOn(look.lines, row, kind, dialogs, look.backgroundAt);
}

const PAGER = 'pager';

function extracted(
  rules: readonly RuleSet[],
  agent: string | null,
  what: 'activity' | 'thought',
  { says }: Rule,
  look: Look,
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

/** The last sentence of the lowest message. A line that shows an activity is not one. */
function said(rules: readonly RuleSet[], agent: string | null, look: Look): string | null {
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

/** `$1` is a group of the line, `^1` one of the line above it. */
function filledIn({ condition, text, isBlock }: Extract, look: Look): string {
  const match = look.find(condition);
  return match === undefined ? '' : textOf({ text, isBlock }, match, look);
}

function textOf({ text, isBlock }: Pick<Extract, 'text' | 'isBlock'>, match: Match, look: Look): string {
  const filled = text
    .replace(
      /([$^])(\d)/g,
      (_, of: string, group: string) => (of === '$' ? match.found : match.above)?.[Number(group)] ?? '',
    )
    .trim();
  return isBlock ? `${filled} ${look.blockBelow(match.row)}`.trim() : filled;
}

function recognised(rules: readonly RuleSet[], look: Look): string | null {
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
