/**
 * A pattern of a catalogue: a regular expression that matches in time linear to the line, also if a user wrote it, and the
 * fixed text that a line must contain to be worth trying.
 *
 * V8 falls back to a linear engine when backtracking gets out of hand, but only for what that engine supports: no
 * look-around, no back-references, no flags, and repetitions with a small count (tried with Node 24: `a{17}` and
 * `(?:a{5}){5}` are beyond it, and so is everything under `u` or `i`). What it does not support is refused here.
 */

export interface Pattern {
  readonly expression: RegExp;
  /** A matching line contains at least one of these. */
  readonly needs: readonly string[];
  /** The names of its groups. */
  readonly groups: ReadonlySet<string>;
}

export const PATTERN_CHARACTERS_MAX = 500;
/** Of V8's linear engine: how often a part may be repeated by count, nested counts multiplied. */
export const REPETITIONS_MAX = 16;
/** Shorter text is in every other line. */
export const NEEDED_CHARACTERS_MIN = 3;

/** A pattern, or the reason why it is refused. */
export function readPattern(source: string): Pattern | string {
  if (source.length > PATTERN_CHARACTERS_MAX) return `is longer than ${PATTERN_CHARACTERS_MAX} characters`;
  let expression: RegExp;
  try {
    expression = new RegExp(source);
  } catch (error) {
    return `is not a regular expression (${(error as SyntaxError).message})`;
  }
  try {
    const reader = new PatternReader(source);
    const needs = reader.alternatives();
    if (shortest(needs) < NEEDED_CHARACTERS_MIN)
      return `has no fixed text of ${NEEDED_CHARACTERS_MIN} characters or more, so every line would have to be tried`;
    return { expression, needs, groups: reader.groups };
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

class Refused extends Error {}

/** Texts of which one must be in the line; none: nothing is known. */
type Needs = readonly string[];

const shortest = (needs: Needs): number =>
  needs.length === 0 ? 0 : needs.reduce((least, text) => Math.min(least, text.length), Infinity);

/** Reads a source that RegExp has accepted, so it examines only what matters here. */
class PatternReader {
  readonly groups = new Set<string>();
  readonly #source: string;
  #at = 0;
  #repetitions = 1; // of the part that was read last

  constructor(source: string) {
    this.#source = source;
  }

  /** Up to the end of the group, or of the pattern. */
  alternatives(): Needs {
    const branches = [this.#sequence()];
    let repetitions = this.#repetitions;
    while (this.#take('|')) {
      branches.push(this.#sequence());
      repetitions = Math.max(repetitions, this.#repetitions);
    }
    this.#repetitions = repetitions;
    return branches.some((branch) => branch.length === 0) ? [] : branches.flat();
  }

  #sequence(): Needs {
    let best: Needs = [];
    let text = '';
    let repetitions = 1;
    const consider = (needs: Needs): void => {
      const gain = shortest(needs) - shortest(best);
      if (gain > 0 || (gain === 0 && needs.length < best.length)) best = needs;
    };
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const part = this.#part();
      const isCertain = this.#quantifier();
      repetitions = Math.max(repetitions, this.#repetitions);
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
    return best;
  }

  /** A character that must be there, or what one part of the pattern requires. */
  #part(): string | Needs {
    this.#repetitions = 1;
    const character = this.#source[this.#at++]!;
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escape();
    return '^$.'.includes(character) ? [] : character;
  }

  #group(): Needs {
    if (this.#take('?')) {
      if (this.#take('<')) {
        if ('=!'.includes(this.#source[this.#at]!))
          throw new Refused('looks behind, which takes more than linear time');
        const end = this.#source.indexOf('>', this.#at);
        this.groups.add(this.#source.slice(this.#at, end));
        this.#at = end + 1;
      } else if (!this.#take(':')) throw new Refused('looks ahead or sets flags, which takes more than linear time');
    }
    const needs = this.alternatives();
    this.#at++; // the closing parenthesis
    return needs;
  }

  #class(): Needs {
    while (!this.#take(']')) this.#at += this.#source[this.#at] === '\\' ? 2 : 1;
    return [];
  }

  #escape(): string | Needs {
    const character = this.#source[this.#at++]!;
    if (/[1-9k]/.test(character)) throw new Refused('refers back to a group, which takes more than linear time');
    // A letter or a zero is a class, a boundary or a character by number: its digits could be mistaken for required
    // text.
    if (/[xuc0]/.test(character)) throw new Refused('names a character by its number; write the character itself');
    return /\w/.test(character) ? [] : character;
  }

  #quantifier(): 'once' | 'certain' | 'maybe' {
    const [text, least, , most] = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) return 'once';
    this.#at += text.length;
    if (least === undefined) return text.startsWith('+') ? 'certain' : 'maybe';
    this.#repetitions *= Math.max(1, Number(least), Number(most ?? 0));
    if (this.#repetitions > REPETITIONS_MAX)
      throw new Refused(`repeats a part more than ${REPETITIONS_MAX} times by count; use + or *`);
    return Number(least) > 0 ? 'certain' : 'maybe';
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}
