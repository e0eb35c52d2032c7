/**
 * Applies the rules to one screen.
 *
 * It reads the emulated screen, never the bytes: full-screen programs write cells here and there, and what they wrote
 * last is not what is visible. The same rules read titles and notifications, which are single lines.
 */
import { cellsOf, cleanText } from '@spool/vt';
import type { StatusState } from '@spool/protocol';
import { SHELL } from './command-agent.ts';
import { type Dialog, questionAbove } from './dialog.ts';
import type { Condition, Extract, Region, Rule, RuleSet } from '../rules.ts';

export interface ScreenView {
  /** Visible rows, top to bottom, trailing blanks cut. */
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
  readonly isCursorVisible: boolean;
  readonly isAlternate: boolean;
  readonly title: string;
}

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
  /** The question, on screens that wait for a decision. */
  readonly dialog: Dialog | null;
  /** How long it has to last before it counts; the second: with nothing else changing. */
  readonly settleMs: number;
  readonly quietMs: number;
  readonly freshMs: number;
}

export interface ReadingHint {
  /** The agent that the session's command starts, see `agentOfCommand`. */
  readonly started: string | null;
  /** The agent that was recognised before, if any. */
  readonly agent: string | null;
}

export const LINE_CHARACTERS_MAX = 500;
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
    const found = firstMet(rules, asked, 'screen', look);
    if (found !== undefined) return reading(found, look, rules, asked);
  }
  const found = firstMet(rules, null, 'screen', look);
  return found === undefined ? { ...NOTHING, agent } : reading(found, look, rules, agent);
}

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
  const activity = extracted(rules, agent, 'activity', rule, look, ACTIVITY_CHARACTERS_MAX);
  const dialog = rule.says === 'blocked' && rule.reads === 'screen' ? dialogOf(rule, match, activity, look) : null;
  const words = cleanText((dialog?.question ?? match.found[0]).trim(), WHY_CHARACTERS_MAX);
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
    dialog,
    settleMs: rule.settleMs,
    quietMs: rule.quietMs,
    freshMs: rule.freshMs,
  };
}

function dialogOf({ kind }: Rule, { found, at, place }: Match, activity: string | null, look: Look): Dialog {
  const isAtCursor = place === 'cursor';
  // The text after the question is being typed.
  const asked = isAtCursor ? found.input.slice(0, found.index + found[0].length).trim() : look.questionAbove(at);
  const question = kind === PAGER ? null : asked; // each page is a new dialog, and asks nothing
  return { kind, question, isAtCursor, activity };
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

/** `$1` is a group of the line, `^1` one of the line above it. */
function filledIn({ condition, text }: Extract, look: Look): string {
  const match = look.find(condition);
  if (match === undefined) return '';
  return text
    .replace(
      /([$^])(\d)/g,
      (_, of: string, group: string) => (of === '$' ? match.found : match.above)?.[Number(group)] ?? '',
    )
    .trim();
}

function recognised(rules: readonly RuleSet[], look: Look): string | null {
  return rules.find((set) => set.recognise.some((condition) => look.find(condition) !== undefined))?.agent ?? null;
}

interface Match {
  readonly found: RegExpExecArray;
  readonly above: RegExpExecArray | null;
  readonly place: Region['place'];
  /** Which of the place's lines. */
  readonly at: number;
}

/** The view, cut into regions on demand. */
class Look {
  readonly #view: ScreenView;
  readonly #notification: string;
  #filled: readonly string[] | undefined;
  #cursor: readonly string[] | undefined;

  constructor(view: ScreenView, notification = '') {
    this.#view = view;
    this.#notification = notification;
  }

  /** The lowest matching line: lines further down are newer. */
  find({ region, pattern, after }: Condition): Match | undefined {
    const lines = this.#lines(region);
    const first = region.place === 'bottom' ? Math.max(0, lines.length - region.lines) : 0;
    for (let at = lines.length - 1; at >= first; at--) {
      const found = pattern.exec(lines[at]!);
      if (found === null) continue;
      if (after === null) return { found, above: null, place: region.place, at };
      const above = at > 0 ? after.exec(lines[at - 1]!) : null;
      if (above !== null) return { found, above, place: region.place, at };
    }
    return undefined;
  }

  questionAbove(at: number): string | null {
    return questionAbove(this.#lines({ place: 'screen' }), at);
  }

  #lines({ place }: Pick<Region, 'place'>): readonly string[] {
    switch (place) {
      case 'title':
        return this.#view.title === '' ? [] : [this.#view.title];
      case 'notification':
        return this.#notification === '' ? [] : [this.#notification];
      case 'cursor':
        return (this.#cursor ??= [textBeforeCursor(this.#view)]);
      case 'bottom':
      case 'screen':
        return (this.#filled ??= this.#view.lines
          .filter((line) => line !== '' && line.trim() !== '')
          .map((line) => (line.length > LINE_CHARACTERS_MAX ? line.slice(0, LINE_CHARACTERS_MAX) : line)));
    }
  }
}

/** Restores blanks that were cut: a prompt ends with one. Columns are cells, of which wide characters have two. */
export function textBeforeCursor({ lines, cursor }: Pick<ScreenView, 'lines' | 'cursor'>): string {
  const line = (lines[cursor.row] ?? '').slice(0, LINE_CHARACTERS_MAX);
  let cells = 0;
  let length = 0;
  for (const character of line) {
    if (cells >= cursor.col) return line.slice(0, length);
    cells += cellsOf(character.codePointAt(0)!);
    length += character.length;
  }
  return line + ' '.repeat(Math.max(0, Math.min(cursor.col - cells, LINE_CHARACTERS_MAX)) || 0);
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
  dialog: null,
  settleMs: 0,
  quietMs: 0,
  freshMs: 0,
};
