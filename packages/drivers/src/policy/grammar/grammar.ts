/**
 * Grammars of harmless commands. A grammar lists the options and operands with which a program reads files and prints, and nothing
 * else: it writes no file and starts no program. An option that is not listed is not understood, whatever its effect. Keeps POL-5.
 */

/** The kinds of values. `FORMAT` and the like are for texts that a program interprets. */
type ValueKind = 'TEXT' | 'NUM' | 'WORD' | 'PATH' | 'ARG' | 'REV' | 'FORMAT' | 'GITFORMAT' | 'DATE' | 'TIME';

export interface Grammar {
  /**
   * The syntax of an option: `-a` is a flag, `-n=NUM` has a value (`-n5`, `-n 5`), `-U[=NUM]` may have a value in the same word;
   * long options are alike (`--x=v` or `--x v`; `--x[=v]`). `-D={skip,auto}` lists the values that are harmless. `-NUM` is a number
   * as an option. `!` after an option means that the program then reads files that the line does not name.
   */
  readonly options: string;
  /** The kinds of the operands in order; the last one with `*` repeats, one with `?` may be missing. */
  readonly operands: string;
  /** Options are whole words with one dash, and follow the operands (find). */
  readonly isExpression?: true;
  /** Whether the program reads files that the line does not name, whatever its options. */
  readonly readsUnnamed?: true;
  /** Whether the program lists the names of files in folders without opening the files. */
  readonly onlyNames?: true;
  /** Whether the program reads the current folder if it has no operand. */
  readonly readsFolder?: true;
  /** The options of which one must be present. */
  readonly needs?: readonly string[];
}

export interface UnderstoodCommand {
  /** The files and folders that the command names, as written. */
  readonly paths: readonly string[];
  /** The words that may name a file: a revision of git is either a revision or a path. */
  readonly possiblePaths: readonly string[];
  /** Whether it also reads files that it does not name. */
  readonly readsUnnamed: boolean;
  /** Whether it opens these, instead of only listing their names. */
  readonly opensUnnamed: boolean;
}

export type GrammarResult = { readonly understood: UnderstoodCommand } | { readonly refusal: string };

const KINDS: Readonly<Record<ValueKind, RegExp>> = {
  TEXT: /^/,
  NUM: /^[+-]?\d{1,9}[bkKmMGcw]?$/,
  WORD: /^[A-Za-z0-9_,:.-]{1,64}$/,
  PATH: /^./s,
  /** A text or a path. */
  ARG: /^/,
  /** A revision or a path. */
  REV: /^[^-]/,
  /** A format of printf: zsh evaluates the argument of `%d`, bash assigns with `%n`. */
  FORMAT: /^(?!-)(?:[^%]|%%|%-?\d{0,3}s)*$/s,
  /** A format of git: `%G?` runs gpg. */
  GITFORMAT:
    /^(?:[a-z]+|(?:t?format:)?(?:[^%]|%%|%n|%[HhTtPpsSbBdDefN]|%[ac][nNeElLdDrtiIshp]|%x[0-9a-f]{2}|%C[a-z]+|%C\([a-z ]+\))*)$/s,
  /** A format of date: any other operand sets the clock. */
  DATE: /^\+/,
  /** A time in words. With `TZ="/dev/x"` in it, a file would be opened. */
  TIME: /^[A-Za-z0-9 :+@.,/-]*$/,
};

interface OptionSpec {
  readonly kind?: ValueKind;
  /** The values themselves, instead of a kind. */
  readonly values?: readonly string[];
  /** The value is optional, and only in the same word. */
  readonly isOptional: boolean;
  readonly readsUnnamed: boolean;
}

interface OperandSpec {
  readonly kind: ValueKind;
  readonly repeats: boolean;
  readonly mayMiss: boolean;
}

interface CompiledGrammar {
  readonly options: ReadonlyMap<string, OptionSpec>;
  readonly operands: readonly OperandSpec[];
}

/** Matches an option of a grammar: name, `[` if its value may be missing, kind of the value or the values, `!`. */
export const OPTION = /^(-[^=[!]+)(?:(\[)?=(?:([A-Z]+)|\{([^}]+)\})\]?)?(!)?$/;

const compiled = new WeakMap<Grammar, CompiledGrammar>();

function compile(grammar: Grammar): CompiledGrammar {
  const known = compiled.get(grammar);
  if (known) return known;
  const options = new Map<string, OptionSpec>();
  for (const word of grammar.options.split(/\s+/).filter(Boolean)) {
    const match = OPTION.exec(word);
    if (!match) throw new Error(`not an option of a grammar: ${word}`);
    const [, name = '', optional, kind, values, unnamed] = match;
    options.set(name, {
      ...(kind === undefined ? {} : { kind: kind as ValueKind }),
      ...(values === undefined ? {} : { values: values.split(',') }),
      isOptional: optional !== undefined,
      readsUnnamed: unnamed !== undefined,
    });
  }
  const operands = grammar.operands
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => ({
      kind: word.replace(/[*?]$/, '') as ValueKind,
      repeats: word.endsWith('*'),
      mayMiss: /[*?]$/.test(word),
    }));
  const result = { options, operands };
  compiled.set(grammar, result);
  return result;
}

/** Reads the words after the name of the program. */
export function understand(grammar: Grammar, words: readonly string[]): GrammarResult {
  return new GrammarReading(grammar, words).result();
}

class GrammarReading {
  readonly #grammar: Grammar;
  readonly #compiled: CompiledGrammar;
  readonly #words: readonly string[];
  readonly #paths: string[] = [];
  readonly #possiblePaths: string[] = [];
  readonly #operands: string[] = [];
  readonly #seen = new Set<string>();
  #readsUnnamed: boolean;
  #at = 0;

  constructor(grammar: Grammar, words: readonly string[]) {
    this.#grammar = grammar;
    this.#compiled = compile(grammar);
    this.#words = words;
    this.#readsUnnamed = grammar.readsUnnamed === true;
  }

  result(): GrammarResult {
    const refusal = this.#read() ?? this.#checkOperands() ?? this.#checkNeeds();
    if (refusal !== undefined) return { refusal };
    if (this.#grammar.readsFolder && this.#paths.length === 0) this.#paths.push('.');
    const { paths, possiblePaths } = { paths: this.#paths, possiblePaths: this.#possiblePaths };
    const readsUnnamed = this.#readsUnnamed;
    const opensUnnamed = readsUnnamed && this.#grammar.onlyNames !== true;
    return { understood: { paths, possiblePaths, readsUnnamed, opensUnnamed } };
  }

  #read(): string | undefined {
    let isEnded = false;
    let hasExpression = false;
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++]!;
      const isOption = word.startsWith('-') && word !== '-';
      if (isEnded) this.#operands.push(word);
      else if (this.#grammar.isExpression) {
        if (isOption || /^[()!]$/.test(word)) {
          // Only these may come before the folders.
          hasExpression ||= !/^-[HLP]$/.test(word);
          const refusal = isOption ? this.#option(word, undefined) : undefined;
          if (refusal !== undefined) return refusal;
        } else if (hasExpression) return `${quoted(word)} is not part of an expression that is known`;
        else this.#operands.push(word);
      } else if (word === '--') isEnded = true;
      else if (!isOption) this.#operands.push(word);
      else {
        const refusal = word.startsWith('--') ? this.#long(word) : this.#short(word);
        if (refusal !== undefined) return refusal;
      }
    }
    return undefined;
  }

  #long(word: string): string | undefined {
    const at = word.indexOf('=');
    return at < 0 ? this.#option(word, undefined) : this.#option(word.slice(0, at), word.slice(at + 1));
  }

  /** `-la`, `-n5`: each letter must be known. */
  #short(word: string): string | undefined {
    if (/^-\d+$/.test(word) && this.#compiled.options.has('-NUM')) return undefined;
    for (let at = 1; at < word.length; at++) {
      const name = `-${word[at]!}`;
      const spec = this.#compiled.options.get(name);
      if (!spec) return `the option ${name} is not known to be harmless`;
      if (!takesValue(spec)) {
        this.#use(name, spec);
        continue;
      }
      const glued = word.slice(at + 1);
      return this.#option(name, glued === '' ? undefined : glued);
    }
    return undefined;
  }

  #option(name: string, given: string | undefined): string | undefined {
    const spec = this.#compiled.options.get(name);
    if (!spec || name === '-NUM') return `the option ${name} is not known to be harmless`;
    this.#use(name, spec);
    if (!takesValue(spec)) return given === undefined ? undefined : `the option ${name} takes no value`;
    let value = given;
    if (value === undefined && spec.isOptional) return undefined;
    value ??= this.#words[this.#at++];
    if (value === undefined) return `the option ${name} lacks its value`;
    // A version of the program in which this option takes no value would read the value as an option.
    if (given === undefined && /^-./.test(value) && !KINDS.NUM.test(value))
      return `the value of ${name} looks like an option`;
    const isKnown = spec.values ? spec.values.includes(value) : KINDS[spec.kind ?? 'WORD'].test(value);
    if (!isKnown) return `${quoted(value)} is not a value of ${name} that is known to be harmless`;
    if (spec.kind === 'PATH') this.#paths.push(value);
    return undefined;
  }

  #use(name: string, spec: OptionSpec): void {
    this.#seen.add(name);
    if (spec.readsUnnamed) this.#readsUnnamed = true;
  }

  #checkOperands(): string | undefined {
    const { operands } = this.#compiled;
    const last = operands.at(-1);
    for (const [at, word] of this.#operands.entries()) {
      const spec = operands[at] ?? (last?.repeats ? last : undefined);
      if (!spec) return `${quoted(word)} is one operand too many`;
      if (!KINDS[spec.kind].test(word)) return `${quoted(word)} is not an operand that is known to be harmless`;
      if (spec.kind === 'PATH' && word !== '-') this.#paths.push(word);
      if (spec.kind === 'REV' || spec.kind === 'ARG') this.#possiblePaths.push(word);
    }
    const missing = operands[this.#operands.length];
    return missing && !missing.mayMiss ? 'an operand is missing' : undefined;
  }

  #checkNeeds(): string | undefined {
    const { needs } = this.#grammar;
    if (!needs || needs.some((name) => this.#seen.has(name))) return undefined;
    // A listing without operands needs no explicit option.
    return this.#operands.length === 0 ? undefined : `operands need one of ${needs.join(', ')}`;
  }
}

const takesValue = ({ kind, values }: OptionSpec): boolean => kind !== undefined || values !== undefined;

const quoted = (word: string): string => JSON.stringify(word.slice(0, 60));
