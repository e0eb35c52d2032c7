/**
 * Parses command-line words into typed flags and operands, using a verb's entry in the table.
 *
 * Accepts `--flag value`, `--flag=value`, `-f value`, `-fvalue` and `-ab`; `--` ends the flags; `-` alone and `-5` are operands.
 * A verb that takes a command (`run`) reads no flags after the first operand, because they belong to the command.
 */
import type { Size } from '@spool/protocol';
import { parseAge, parseByteSize, parseDuration, parseSize, parseWhole } from './quantities.ts';
import { nearest } from './suggestion.ts';
import { UsageError } from './usage-error.ts';

interface FlagValues {
  on: boolean;
  text: string;
  duration: number;
  limit: number;
  age: number;
  bytes: number;
  size: Size;
  whole: number;
}

export interface Flag extends FlagSyntax {
  readonly about: string;
  /** The possible values, for completions. */
  readonly words?: readonly string[];
}

/** The part of a flag that parsing needs. */
interface FlagSyntax {
  /** `on` takes no value; the other kinds name the type of the value. `duration`, `limit` and `age` are in milliseconds;
   * a limit of `none` is Infinity. */
  readonly kind: keyof FlagValues;
  readonly short?: string;
  /** The placeholder for the value in the help. */
  readonly value?: string;
  /** The maximum of a `whole` number whose minimum is 0. */
  readonly most?: number;
  /** `all` is allowed too, as Infinity. */
  readonly all?: true;
  /** The flag is repeatable, and its value is a list. */
  readonly many?: true;
  /** An alias that is accepted but not listed. */
  readonly also?: string;
}

export interface Verb extends VerbSyntax {
  readonly summary: string;
  /** Other names that users expect. */
  readonly aliases?: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  readonly details?: string;
  readonly examples: readonly (readonly [command: string, says: string])[];
}

/** The part of a verb that parsing needs. */
export interface VerbSyntax {
  /** Placeholders: `ID`, `[ID]`, `[ID…]`, `TEXT…`; `COMMAND…` also ends the flags. */
  readonly operands: readonly string[];
  readonly flags: Readonly<Record<string, FlagSyntax>>;
  /** The first operand that a command follows: `task run COMMAND…`. */
  readonly commandAfter?: string;
  /** The flag whose value may be given alone, as in `kill -9` and `kill -HUP`. */
  readonly signalFlag?: string;
}

type FlagValue<F extends FlagSyntax> = F['kind'] extends 'on'
  ? boolean
  : F extends { many: true }
    ? readonly FlagValues[F['kind']][]
    : FlagValues[F['kind']] | undefined;

/** The arguments of a verb: each flag under its long name in camel case. */
export type ParsedArguments<V extends VerbSyntax> = {
  readonly flags: { readonly [K in keyof V['flags'] & string as Camel<K>]: FlagValue<V['flags'][K]> } & {
    readonly json: boolean;
    readonly node?: string | undefined;
  };
  readonly operands: readonly string[];
};

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** The flags that every verb has. */
export const COMMON_FLAGS = {
  json: {
    kind: 'on',
    about: 'print JSON: one object or array; streams and several sessions print one object per line (NDJSON)',
  },
  node: { kind: 'text', value: 'NODE', about: 'on this node (`spool node ls` lists them); `NODE/ID` works too' },
  help: { kind: 'on', short: 'h', about: 'show this help' },
} as const satisfies Record<string, Flag>;

/** Parses the words after the name of a verb. */
export function parseArguments<V extends VerbSyntax>(
  name: string,
  verb: V,
  words: readonly string[],
): ParsedArguments<V> & { help: boolean } {
  const reader = new ArgumentReader(name, verb, words);
  reader.read();
  const { help, ...flags } = reader.values;
  if (help !== true) checkOperands(name, verb, reader.operands);
  return { flags: flags as ParsedArguments<V>['flags'], operands: reader.operands, help: help === true };
}

class ArgumentReader {
  /** The values by the long name of the flag, in camel case. */
  readonly values: Record<string, unknown> = {};
  readonly operands: string[] = [];
  readonly #name: string;
  readonly #verb: VerbSyntax;
  readonly #words: readonly string[];
  readonly #flags: Readonly<Record<string, FlagSyntax>>;
  #at = 0;

  constructor(name: string, verb: VerbSyntax, words: readonly string[]) {
    this.#name = name;
    this.#verb = verb;
    this.#words = words;
    this.#flags = { ...verb.flags, ...COMMON_FLAGS };
    for (const [long, flag] of Object.entries(this.#flags))
      this.values[camel(long)] = flag.kind === 'on' ? false : flag.many ? [] : undefined;
  }

  read(): void {
    const { signalFlag } = this.#verb;
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++]!;
      if (word === '--') return this.#readRest();
      if (signalFlag !== undefined && /^-(\d+|[A-Z][A-Z0-9+]+)$/.test(word))
        this.#keep(signalFlag, `--${signalFlag}`, word.slice(1));
      else if (word.startsWith('--')) this.#readLong(word);
      else if (/^-[^-\d]/.test(word)) this.#readShort(word);
      else {
        this.operands.push(word);
        if (this.#isCommand) return this.#readRest();
      }
    }
  }

  /** Whether the last operand belongs to a command, as all later words do. */
  get #isCommand(): boolean {
    if (this.#verb.operands.some((operand) => /^\[?COMMAND/.test(operand))) return true;
    return this.operands.length > 1 && this.operands[0] === this.#verb.commandAfter;
  }

  #readRest(): void {
    this.operands.push(...this.#words.slice(this.#at));
    this.#at = this.#words.length;
  }

  #readLong(word: string): void {
    const equals = word.indexOf('=');
    const typed = equals === -1 ? word.slice(2) : word.slice(2, equals);
    const long = Object.hasOwn(this.#flags, typed) ? typed : this.#flagWith('also', typed);
    if (long === undefined) throw this.#unknownFlag(`--${typed}`);
    const flag = this.#flags[long]!;
    if (flag.kind !== 'on')
      return this.#keep(
        long,
        `--${typed}`,
        equals === -1 ? this.#nextWord(`--${typed}`, flag) : word.slice(equals + 1),
      );
    if (equals !== -1) throw new UsageError(`--${typed} takes no value`, this.#name);
    this.values[camel(long)] = true;
  }

  #readShort(word: string): void {
    for (let letter = 1; letter < word.length; letter++) {
      const typed = `-${word[letter]!}`;
      const long = this.#flagWith('short', word[letter]!);
      if (long === undefined) throw this.#unknownFlag(typed, word);
      const flag = this.#flags[long]!;
      const rest = word.slice(letter + 1).replace(/^=/, '');
      if (flag.kind !== 'on')
        return this.#keep(long, typed, letter + 1 < word.length ? rest : this.#nextWord(typed, flag));
      this.values[camel(long)] = true;
    }
  }

  #flagWith(field: 'also' | 'short', value: string): string | undefined {
    return Object.keys(this.#flags).find((key) => this.#flags[key]![field] === value);
  }

  #nextWord(typed: string, flag: FlagSyntax): string {
    const value = this.#words[this.#at++];
    if (value === undefined) throw new UsageError(`${typed} needs a value: ${flag.value ?? 'VALUE'}`, this.#name);
    return value;
  }

  #keep(long: string, typed: string, text: string): void {
    const flag = this.#flags[long]!;
    const value = flag.all && text === 'all' ? Infinity : VALUE_OF[flag.kind](text);
    if (value === null || !isWithin(value, flag))
      throw new UsageError(`${typed} ${JSON.stringify(text)} is not ${wanted(flag)}`, this.#name);
    if (flag.many) (this.values[camel(long)] as unknown[]).push(value);
    else this.values[camel(long)] = value;
  }

  #unknownFlag(typed: string, word = typed): UsageError {
    if (BEFORE_THE_VERB.has(typed))
      return new UsageError(`${typed} comes before the verb: spool ${typed} … ${this.#name}`, this.#name);
    const known = Object.keys(this.#flags).map((key) => `--${key}`);
    const meant = typed.startsWith('--') ? nearest(typed, known) : known.find((long) => long === `-${word}`);
    const takesText = this.#verb.operands.some((operand) => /TEXT|COMMAND/.test(operand));
    const hint = meant ? `; did you mean ${meant}?` : takesText ? '; put -- before the text or command' : '';
    return new UsageError(`\`${this.#name}\` has no flag ${typed}${hint}`, this.#name);
  }
}

/** They choose the machine of the command (`remote/host.ts`). */
const BEFORE_THE_VERB: ReadonlySet<string> = new Set(['--host', '--token-file', '--context']);

const VALUE_OF: { readonly [K in keyof FlagValues]: (text: string) => FlagValues[K] | null } = {
  on: () => true,
  text: (text) => text,
  duration: parseDuration,
  limit: (text) => (text === 'none' ? Infinity : parseDuration(text)),
  age: parseAge,
  bytes: parseByteSize,
  size: parseSize,
  whole: parseWhole,
};

const WANTED: Readonly<Record<keyof FlagValues, string>> = {
  on: 'a flag',
  text: 'text',
  duration: 'a duration; use 500ms, 10s, 5m or 2h (a plain number is seconds)',
  limit: 'a duration; use 500ms, 10s, 5m, 2h or none (a plain number is seconds)',
  age: 'an age; use 30m, 12h, 2d or 8w',
  bytes: 'a size in bytes; use 500, 64k or 10M',
  size: 'a terminal size; use COLSxROWS, such as 120x40',
  whole: 'a whole number',
};

function isWithin(value: unknown, { most, all }: FlagSyntax): boolean {
  return (all && value === Infinity) || most === undefined || (Number(value) >= 0 && Number(value) <= most);
}

function wanted({ kind, most, all }: FlagSyntax): string {
  if (most === undefined) return WANTED[kind];
  return `a number from 0 to ${most}${all ? ', or all' : ''}`;
}

function checkOperands(name: string, verb: VerbSyntax, operands: readonly string[]): void {
  const required = verb.operands.filter((operand) => !operand.startsWith('['));
  const missing = required[operands.length];
  if (missing !== undefined) throw new UsageError(`\`${name}\` needs ${missing.replace('…', '')}`, name);
  const isOpen = verb.operands.some((operand) => operand.includes('…'));
  const extra = operands[verb.operands.length];
  if (!isOpen && extra !== undefined)
    throw new UsageError(`\`${name}\` takes no argument ${JSON.stringify(extra)}`, name);
  // An empty ID would mean the latest session. In a script it is a variable that was not set.
  const isEmptyId = (operand: string, at: number): boolean =>
    operand === '' && /^\[?ID\b/.test(verb.operands[Math.min(at, verb.operands.length - 1)]!);
  if (operands.some(isEmptyId) && operands[0] !== verb.commandAfter)
    throw new UsageError('the ID is empty: is a variable unset?', name);
}

function camel(long: string): string {
  return long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
