/**
 * Reads rule files: the meaning of a program's screens, titles and notifications, as data.
 *
 * The built-in files (`rules/*.json`) and those of users have the same form and pass the same checks. A wrong rule is reported in
 * a sentence with file and rule; the others still count.
 *
 *     { "agent": "claude",                      whose rules these are; null means any program, asked last
 *       "commands": ["claude"],                 names of programs and packages that start it
 *       "recognise": [{ "in": "screen", "match": "Claude Code v\\d" }],
 *       "rules": [{ "name": "permission", "says": "blocked", "kind": "permission", "confidence": 0.95, "in": "bottom 14",
 *                   "all": ["Do you want", { "in": "bottom 3", "match": "Esc to cancel" }], "any": [], "none": [] }],
 *       "activity": [{ "when": "working", "in": "bottom 14", "match": "^● (\\S+\\(.*\\))", "text": "$1" }],
 *       "thought": [],
 *       "input": [{ "in": "bottom 14", "match": "^❯ (.*)$", "after": "^─────", "until": "^─────" }],
 *       "clear": ["C-e", "C-u"] }
 *
 * The first matching rule counts. Patterns are tried on each line by itself; see `rule-pattern.ts` for their allowed content.
 */
import type { StatusState } from '@spool/protocol';
import { encodeKey, INITIAL_MODES } from '@spool/vt';
import { type DialogRule, dialogRule, DIALOGS_MAX } from './dialog-rules.ts';
import type { InputRule } from './sources/input-line.ts';
import {
  duration,
  type RuleJson,
  list,
  readName,
  number,
  only,
  record,
  RuleRefusal,
  showValue,
  word,
  WORD_CHARACTERS_MAX,
} from './rule-json.ts';
import { readRulePattern } from './linear-pattern.ts';

/**
 * The place where a pattern is searched for. `cursor`: the cursor's line up to the cursor; `bottom`: the last lines that are not
 * blank. `input`: the first line of the input box (`input-box.ts`); `above`: the lines right above that box; `paragraph`: the
 * lowest of these, up to a blank line; `below`: the footer below the box.
 */
export type Region =
  | { readonly place: 'screen' | 'cursor' | 'title' | 'notification' | 'input' | 'paragraph' | 'below' }
  | { readonly place: 'bottom' | 'above'; readonly lines: number };

export interface RuleCondition {
  readonly region: Region;
  readonly pattern: RegExp;
  /** The pattern of the line directly above. */
  readonly after: RegExp | null;
}

export interface Rule {
  /** Such as `claude/permission`. */
  readonly name: string;
  /** The text that the rule reads: the screen, the title or a notification. */
  readonly reads: 'screen' | 'title' | 'notification';
  readonly says: RuleState;
  readonly kind: string | null;
  readonly confidence: number;
  /** The time for which it must match before it counts. */
  readonly settleMs: number;
  /** The time without changes outside the cursor's line after which it counts. */
  readonly quietMs: number;
  /** That time if a sign of work was visible before and has disappeared; null if `quietMs` applies. */
  readonly endedMs: number | null;
  /** The time for which a title counts without being repeated. */
  readonly freshMs: number;
  readonly all: readonly RuleCondition[];
  readonly any: readonly RuleCondition[];
  readonly none: readonly RuleCondition[];
}

export interface Extract {
  readonly when: RuleState;
  readonly condition: RuleCondition;
  /** The text; `$1` is the first group. */
  readonly text: string;
  /** Whether the text continues in the indented lines below. */
  readonly isBlock: boolean;
}

export interface RuleSet {
  readonly agent: string | null;
  readonly commands: readonly string[];
  readonly recognise: readonly RuleCondition[];
  readonly rules: readonly Rule[];
  readonly activity: readonly Extract[];
  readonly thought: readonly Extract[];
  /** The places of the agent's messages. Lines that show an activity do not count. */
  readonly said: readonly Extract[];
  /** The rules for its dialogs; the first for the kind counts. */
  readonly dialogs: readonly DialogRule[];
  /** Places of its input line; the first match counts. */
  readonly input: readonly InputRule[];
  /** The keys that clear the input line, or a part of it: pressed repeatedly until it is empty. */
  readonly clear: readonly string[];
}

export type RuleState = Exclude<StatusState, 'starting' | 'exited'>;

const RULES_MAX = 100;
const CONDITIONS_MAX = 12;
const EXTRACTS_MAX = 30;
const COMMANDS_MAX = 30;
const CLEARING_KEYS_MAX = 8;
const REGION_LINES_MAX = 60;
const ERRORS_MAX = 20;
/** The time for which idle must last, because a screen may be half drawn, and a prompt appears before all work is done. */
const IDLE_SETTLE_MS = 200;

export function parseRules(fileName: string, json: unknown): { rules: RuleSet | null; errors: readonly string[] } {
  const checker = new Checker(fileName);
  const rules = checker.ruleSet(json);
  return { rules, errors: checker.errors };
}

class Checker {
  readonly errors: string[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  ruleSet(json: unknown): RuleSet | null {
    return (
      this.#part('the file', () => {
        const file = record(json);
        only(file, [
          'agent',
          'commands',
          'recognise',
          'rules',
          'activity',
          'thought',
          'said',
          'dialogs',
          'input',
          'clear',
          'comment',
        ]);
        const agent = file['agent'] === null ? null : word(file['agent'], '"agent"');
        return {
          agent,
          commands: this.#list(file, 'commands', COMMANDS_MAX, (name) => word(name, 'a command')),
          recognise: this.#list(file, 'recognise', CONDITIONS_MAX, (part) => condition(part, SCREEN)),
          rules: this.#list(file, 'rules', RULES_MAX, (part) => rule(part, agent)),
          activity: this.#list(file, 'activity', EXTRACTS_MAX, extract),
          thought: this.#list(file, 'thought', EXTRACTS_MAX, extract),
          said: this.#list(file, 'said', EXTRACTS_MAX, extract),
          dialogs: this.#list(file, 'dialogs', DIALOGS_MAX, dialogRule),
          input: this.#list(file, 'input', CONDITIONS_MAX, inputRule),
          clear: this.#list(file, 'clear', CLEARING_KEYS_MAX, keyName),
        };
      }) ?? null
    );
  }

  #list<Item>(file: RuleJson, key: string, most: number, read: (part: unknown) => Item): readonly Item[] {
    const parts = this.#part(`"${key}"`, () => list(file[key], most));
    return (parts ?? []).flatMap((part, at) => {
      const item = this.#part(readName(part) ?? `${key}[${at}]`, () => read(part));
      return item === undefined ? [] : [item];
    });
  }

  #part<Item>(name: string, read: () => Item): Item | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RuleRefusal)) throw error;
      if (this.errors.length < ERRORS_MAX) this.errors.push(`${this.#file}: ${name}: ${error.message}`);
      return undefined;
    }
  }
}

function rule(part: unknown, agent: string | null): Rule {
  const json = record(part);
  only(json, [
    ...['name', 'says', 'kind', 'confidence', 'in', 'all', 'any', 'none'],
    ...['settleMs', 'quietMs', 'endedMs', 'freshMs', 'comment'],
  ]);
  const says = state(json['says']);
  const usual = json['in'] === undefined ? SCREEN : region(json['in']);
  const conditions = (key: string): readonly RuleCondition[] =>
    list(json[key], CONDITIONS_MAX).map((each) => condition(each, usual));
  const [all, any, none] = [conditions('all'), conditions('any'), conditions('none')];
  if (all.length + any.length === 0) throw new RuleRefusal('it has no condition that must be met, in "all" or "any"');
  const readers = new Set([...all, ...any, ...none].map(({ region: { place } }) => readerOf(place)));
  if (readers.size > 1)
    throw new RuleRefusal('one rule reads the screen, a title or a notification, not several of them');
  return {
    name: `${agent ?? 'any'}/${word(json['name'], '"name"')}`,
    reads: [...readers][0]!,
    says,
    kind: json['kind'] === undefined ? null : word(json['kind'], '"kind"'),
    confidence: number(json['confidence'], '"confidence"', 0, 1),
    settleMs: duration(json, 'settleMs') ?? (says === 'idle' ? IDLE_SETTLE_MS : 0),
    quietMs: duration(json, 'quietMs') ?? 0,
    endedMs: duration(json, 'endedMs') ?? null,
    freshMs: duration(json, 'freshMs') ?? Number.POSITIVE_INFINITY,
    all,
    any,
    none,
  };
}

function extract(part: unknown): Extract {
  const json = record(part);
  only(json, ['when', 'in', 'match', 'after', 'text', 'block', 'comment']);
  const { when = 'working', text = '$1', block = false, ...rest } = json;
  if (typeof block !== 'boolean') throw new RuleRefusal('"block" is true or false');
  if (typeof text !== 'string' || text === '' || text.length > WORD_CHARACTERS_MAX)
    throw new RuleRefusal(`"text" has 1 to ${WORD_CHARACTERS_MAX} characters`);
  return { when: state(when), condition: condition(rest, SCREEN), text, isBlock: block };
}

function inputRule(part: unknown): InputRule {
  const json = record(part);
  only(json, ['in', 'match', 'after', 'until', 'placeholders', 'suggested', 'comment']);
  const where = json['in'] === undefined ? SCREEN : region(json['in']);
  if (readerOf(where.place) !== 'screen') throw new RuleRefusal('an input line must be on the screen');
  return {
    region: where,
    pattern: pattern(json['match']),
    after: json['after'] === undefined ? null : pattern(json['after']),
    until: json['until'] === undefined ? null : pattern(json['until']),
    suggested: json['suggested'] === undefined ? null : pattern(json['suggested']),
    placeholders: list(json['placeholders'], CONDITIONS_MAX).map(pattern),
  };
}

function keyName(name: unknown): string {
  if (typeof name === 'string' && encodeKey(name, INITIAL_MODES) !== undefined) return name;
  throw new RuleRefusal(`${showValue(name)} is not a key`);
}

function condition(part: unknown, usual: Region): RuleCondition {
  if (typeof part === 'string') return { region: usual, pattern: pattern(part), after: null };
  const json = record(part);
  only(json, ['in', 'match', 'after', 'comment']);
  return {
    region: json['in'] === undefined ? usual : region(json['in']),
    pattern: pattern(json['match']),
    after: json['after'] === undefined ? null : pattern(json['after']),
  };
}

function region(text: unknown): Region {
  if (typeof text === 'string' && isSimplePlace(text)) return { place: text };
  const [, place, count] = (typeof text === 'string' && /^(bottom|above) (\d+)$/.exec(text)) || [];
  const lines = Number(count);
  if (place !== undefined && lines >= 1 && lines <= REGION_LINES_MAX)
    return { place: place as 'bottom' | 'above', lines };
  throw new RuleRefusal(
    `"in" is ${SIMPLE_PLACES.join(', ')}, "bottom N" or "above N" with N from 1 to ${REGION_LINES_MAX}, not ${showValue(text)}`,
  );
}

const SIMPLE_PLACES = ['screen', 'cursor', 'title', 'notification', 'input', 'paragraph', 'below'] as const;
const isSimplePlace = (text: string): text is (typeof SIMPLE_PLACES)[number] =>
  (SIMPLE_PLACES as readonly string[]).includes(text);

function pattern(source: unknown): RegExp {
  const found = readRulePattern(source);
  if (typeof found === 'string') throw new RuleRefusal(`${showValue(source)}: ${found}`);
  return found;
}

function state(text: unknown): RuleState {
  if (text === 'working' || text === 'blocked' || text === 'idle') return text;
  throw new RuleRefusal(`"says" must be working, blocked or idle, not ${showValue(text)}`);
}

const readerOf = (place: Region['place']): Rule['reads'] =>
  place === 'title' || place === 'notification' ? place : 'screen';

const SCREEN: Region = { place: 'screen' };
