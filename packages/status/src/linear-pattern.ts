/**
 * Checks users' regular expressions, so that no text can hang them: the patterns of milestone catalogues, and those of rule files.
 * Keeps a part of STATE-3, its last part.
 *
 * V8 backtracks. V8 falls back to a linear engine if the process has enabled that
 * (`--enable-experimental-regexp-engine-on-excessive-backtracks`), but only for patterns that this engine supports: no look-around,
 * no back-references, no flags, and repetitions with a small count (tried with Node 24: it supports neither `a{17}` nor
 * `(?:a{5}){5}`, and no pattern with `u` or `i`).
 *
 * - A catalogue's pattern is refused if the engine does not support it. It must also contain some fixed text: only lines with
 *   this text are tried.
 * - A rule's pattern may ignore case. Therefore patterns that backtrack exponentially, with a repeat or an alternative inside a
 *   repeated group, are refused too: without the linear engine, a process is slow at worst.
 */

export interface CataloguePattern {
  readonly expression: RegExp;
  /** Texts of which a matching line contains at least one. */
  readonly needs: readonly string[];
  /** The names of its groups. */
  readonly groups: ReadonlySet<string>;
}

export const CATALOGUE_PATTERN_CHARACTERS_MAX = 500;
const RULE_PATTERN_CHARACTERS_MAX = 200;
/** The limit of V8's linear engine for counted repetitions, where nested counts are multiplied. */
const REPETITIONS_MAX = 16;
/** The minimum length of a required text: a shorter one occurs in every other line. */
const NEEDED_CHARACTERS_MIN = 3;
/** The prefix of a rule's pattern that ignores case. */
const ANY_CASE = '(?i)';

type PatternFault = 'look-ahead' | 'look-behind' | 'back-reference' | 'count' | 'nested-repeat' | 'number';

const CATALOGUE_FAULTS: Readonly<Record<PatternFault, string>> = {
  'look-ahead': 'looks ahead or sets flags, which takes more than linear time',
  'look-behind': 'looks behind, which takes more than linear time',
  'back-reference': 'refers back to a group, which takes more than linear time',
  count: `repeats a part more than ${REPETITIONS_MAX} times by count; use + or *`,
  'nested-repeat': 'repeats a group that holds a repeat or an alternative',
  number: 'names a character by its number; write the character itself',
};

const RULE_FAULTS: Readonly<Record<PatternFault, string>> = {
  'look-ahead': 'look-around is not supported',
  'look-behind': 'look-around is not supported',
  'back-reference': 'back-references are not supported',
  count: 'counted repeats are not supported: write the characters out, or escape the brace',
  'nested-repeat': 'a repeated group may hold neither a repeat nor an alternative: it could run forever',
  number: 'characters by number are not supported',
};

/** Returns the pattern, or the reason why it is refused. */
export function readCataloguePattern(source: string): CataloguePattern | string {
  if (source.length > CATALOGUE_PATTERN_CHARACTERS_MAX)
    return `is longer than ${CATALOGUE_PATTERN_CHARACTERS_MAX} characters`;
  let expression: RegExp;
  try {
    expression = new RegExp(source);
  } catch (error) {
    return `is not a regular expression (${(error as SyntaxError).message})`;
  }
  const reader = new PatternReader(source, { isRule: false });
  const needs = reader.read();
  if (typeof needs === 'string') return CATALOGUE_FAULTS[needs];
  if (shortest(needs) < NEEDED_CHARACTERS_MIN)
    return `has no fixed text of ${NEEDED_CHARACTERS_MIN} characters or more, so every line would have to be tried`;
  return { expression, needs, groups: reader.groups };
}

/** Returns the pattern, or the reason why it is refused. */
export function readRulePattern(source: unknown): RegExp | string {
  if (typeof source !== 'string' || source === '') return 'a pattern must be text that is not empty';
  if (source.length > RULE_PATTERN_CHARACTERS_MAX)
    return `a pattern has at most ${RULE_PATTERN_CHARACTERS_MAX} characters`;
  const isAnyCase = source.startsWith(ANY_CASE);
  const body = isAnyCase ? source.slice(ANY_CASE.length) : source;
  if (body === '') return 'a pattern must be text that is not empty';
  let expression: RegExp;
  try {
    expression = new RegExp(body, isAnyCase ? 'i' : '');
  } catch (error) {
    return (error as Error).message;
  }
  const read = new PatternReader(body, { isRule: true }).read();
  return typeof read === 'string' ? RULE_FAULTS[read] : expression;
}

class PatternRefusal extends Error {
  readonly fault: PatternFault;

  constructor(fault: PatternFault) {
    super(fault);
    this.fault = fault;
  }
}

/** The texts of which the line must contain one. An empty list means that no text is known to be required. */
type Needs = readonly string[];

const shortest = (needs: Needs): number =>
  needs.length === 0 ? 0 : needs.reduce((least, text) => Math.min(least, text.length), Infinity);

/** Reads a source that RegExp has accepted, so it examines only the parts that matter here. */
class PatternReader {
  readonly groups = new Set<string>();
  readonly #source: string;
  readonly #isRule: boolean;
  #at = 0;
  /** The counted repetitions of the part that was read last. */
  #repetitions = 1;
  /** Whether the part that was read last can match in several ways, because it is a repeat or an alternative. */
  #isManifold = false;

  constructor(source: string, { isRule }: { isRule: boolean }) {
    this.#source = source;
    this.#isRule = isRule;
  }

  read(): Needs | PatternFault {
    try {
      return this.#alternatives();
    } catch (error) {
      if (error instanceof PatternRefusal) return error.fault;
      throw error;
    }
  }

  /** Reads up to the end of the group, or of the pattern. */
  #alternatives(): Needs {
    const branches = [this.#sequence()];
    let repetitions = this.#repetitions;
    let isManifold = this.#isManifold;
    while (this.#take('|')) {
      branches.push(this.#sequence());
      repetitions = Math.max(repetitions, this.#repetitions);
      isManifold = true;
    }
    this.#repetitions = repetitions;
    this.#isManifold = isManifold;
    return branches.some((branch) => branch.length === 0) ? [] : branches.flat();
  }

  #sequence(): Needs {
    let best: Needs = [];
    let text = '';
    let repetitions = 1;
    let isManifold = false;
    const consider = (needs: Needs): void => {
      const gain = shortest(needs) - shortest(best);
      if (gain > 0 || (gain === 0 && needs.length < best.length)) best = needs;
    };
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const part = this.#part();
      const isCertain = this.#quantifier();
      repetitions = Math.max(repetitions, this.#repetitions);
      isManifold ||= this.#isManifold;
      if (typeof part === 'string' && isCertain === 'once') {
        text += part;
        continue;
      }
      if (text !== '') consider([text]);
      text = '';
      if (isCertain !== 'maybe' && typeof part !== 'string') consider(part);
    }
    if (text !== '') consider([text]);
    this.#repetitions = repetitions;
    this.#isManifold = isManifold;
    return best;
  }

  /** Returns a character that must occur, or the texts that one part of the pattern requires. */
  #part(): string | Needs {
    this.#repetitions = 1;
    this.#isManifold = false;
    const character = this.#source[this.#at++]!;
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escape();
    if (character === '{' && this.#isRule) throw new PatternRefusal('count');
    return '^$.'.includes(character) ? [] : character;
  }

  #group(): Needs {
    if (this.#take('?')) {
      if (this.#take('<')) {
        if ('=!'.includes(this.#source[this.#at]!)) throw new PatternRefusal('look-behind');
        const end = this.#source.indexOf('>', this.#at);
        this.groups.add(this.#source.slice(this.#at, end));
        this.#at = end + 1;
      } else if (!this.#take(':') && (!this.#isRule || '=!'.includes(this.#source[this.#at]!)))
        throw new PatternRefusal('look-ahead');
    }
    const needs = this.#alternatives();
    this.#at++; // the closing parenthesis
    return needs;
  }

  #class(): Needs {
    while (!this.#take(']')) this.#at += this.#source[this.#at] === '\\' ? 2 : 1;
    return [];
  }

  #escape(): string | Needs {
    const character = this.#source[this.#at++]!;
    if (/[1-9k]/.test(character)) throw new PatternRefusal('back-reference');
    // A letter or a zero is a class, a boundary or a character by number: its digits could be mistaken for required
    // text.
    if (/[xuc0]/.test(character) && !this.#isRule) throw new PatternRefusal('number');
    return /\w/.test(character) ? [] : character;
  }

  #quantifier(): 'once' | 'certain' | 'maybe' {
    const [text, least, , most] = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) return 'once';
    this.#at += text.length;
    if (this.#isRule && least !== undefined) throw new PatternRefusal('count');
    if (this.#isRule && this.#isManifold && !text.startsWith('?')) throw new PatternRefusal('nested-repeat');
    this.#isManifold = true;
    if (least === undefined) return text.startsWith('+') ? 'certain' : 'maybe';
    this.#repetitions *= Math.max(1, Number(least), Number(most ?? 0));
    if (this.#repetitions > REPETITIONS_MAX) throw new PatternRefusal('count');
    return Number(least) > 0 ? 'certain' : 'maybe';
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}
