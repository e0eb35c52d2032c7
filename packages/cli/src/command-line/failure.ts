/** Prints an error as a sentence, or as an object with --json. Always on stderr, because stdout holds data only. */
import { ERROR_CODES, type ErrorDetails, SpoolError } from '@spool/protocol';
import { exitCodeOfError } from './exit-code.ts';
import { osErrorText } from './os-error.ts';
import { jsonText } from '../output/json-text.ts';
import { printable } from '../output/printable.ts';
import { notice } from '../output/stdio.ts';
import { UsageError } from './usage-error.ts';

/** Details that name the subject of the sentence, with the noun that the quoted name follows. */
const SUBJECTS: Readonly<Record<string, string>> = {
  argument: 'argument',
  session: 'session',
  command: 'command',
  key: 'key',
  pattern: 'pattern',
  until: 'condition',
  file: 'file',
  name: 'name',
  cwd: 'folder',
  folder: 'folder',
  path: 'path',
};
/** Details that the sentence says already. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['op', 'field']);
/** Details that are clauses of their own. They follow the first clause. */
const REASONS = ['reason', 'message'] as const;

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details: ErrorDetails;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return { code: 'USAGE', message: error.message, details: {} };
  if (SpoolError.is(error)) return { code: error.code, message: sentence(error), details: error.details };
  return { code: 'INTERNAL', message: osErrorText(error), details: {} };
}

/** Prints the error and returns the exit code. */
export function reportFailure(error: unknown, asJson: boolean): number {
  const failure = failureOf(error);
  if (asJson) {
    notice(jsonText({ error: failure }));
  } else {
    notice(`spool: ${printable(failure.message)}`);
    if (error instanceof UsageError) notice(`Try: spool ${error.verb ? `${error.verb} --help` : 'help'}`);
    if (process.env.SPOOL_DEBUG && error instanceof Error) notice(String(error.stack));
  }
  return exitCodeOfError(error);
}

/** `the session "x" has ended: REASON; …`: the quoted subject follows its noun, or else the first clause. */
export function sentence(error: SpoolError): string {
  const text: string = ERROR_CODES[error.code] ?? error.code;
  const semicolon = text.indexOf(';');
  const [first, rest] = semicolon === -1 ? [text, ''] : [text.slice(0, semicolon), text.slice(semicolon)];
  const details = { ...error.details };
  const key = Object.keys(SUBJECTS).find((name) => Object.hasOwn(details, name));
  const subject = key === undefined ? undefined : take([key]);
  const reason = take(REASONS);
  const others = Object.entries(details)
    .filter(([name, value]) => value !== '' && !FOR_PROGRAMS.has(name))
    .map(([name, value]) => `${name} ${value}`);
  return [
    key === undefined || subject === '' ? first : withSubject(first, SUBJECTS[key]!, JSON.stringify(subject)),
    reason === undefined ? '' : `: ${reason}`,
    rest,
    others.length === 0 ? '' : ` (${others.join(', ')})`,
  ].join('');

  function take(names: readonly string[]): string | number | boolean | undefined {
    const name = names.find((key) => Object.hasOwn(details, key));
    if (name === undefined) return undefined;
    const value = details[name];
    delete (details as Record<string, unknown>)[name];
    return value;
  }
}

function withSubject(clause: string, noun: string, quoted: string): string {
  const at = clause.search(new RegExp(`\\b${noun}\\b`));
  const end = at === -1 ? clause.length : at + noun.length;
  return `${clause.slice(0, end)} ${quoted}${clause.slice(end)}`;
}
