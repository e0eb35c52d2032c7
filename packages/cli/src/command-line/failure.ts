/** Errors as sentences, for people, or as an object, for programs. Always on stderr: stdout holds data only. */
import { ERROR_CODES, type ErrorDetails, SpoolError } from '@spool/protocol';
import { exitCodeOfError } from './exit-code.ts';
import { jsonText } from '../output/json-text.ts';
import { printable } from '../output/printable.ts';
import { notice } from '../output/stdio.ts';
import { UsageError } from './usage-error.ts';

/** Details that name what the sentence is about: told in quotes, where a person would say them. */
const SUBJECTS = ['argument', 'session', 'command', 'file', 'name', 'cwd', 'folder', 'path'] as const;
/** Details that are themselves a sentence. */
const REASONS = ['reason', 'message'] as const;

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details: ErrorDetails;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return { code: 'USAGE', message: error.message, details: {} };
  if (SpoolError.is(error)) return { code: error.code, message: sentence(error), details: error.details };
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error), details: {} };
}

/** Says it, and returns the exit code. */
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

/** `there is no such session "x"; …`: the subject goes where the first clause ends. */
export function sentence(error: SpoolError): string {
  const text: string = ERROR_CODES[error.code] ?? error.code;
  const semicolon = text.indexOf(';');
  const [first, rest] = semicolon === -1 ? [text, ''] : [text.slice(0, semicolon), text.slice(semicolon)];
  const details = { ...error.details };
  const subject = take(SUBJECTS);
  const reason = take(REASONS);
  const others = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  return [
    first,
    subject === undefined || subject === '' ? '' : ` ${JSON.stringify(subject)}`,
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
