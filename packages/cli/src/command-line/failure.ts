/** Prints an error as a sentence, or as an object with --json. It goes to stderr, because stdout is only for data. */
import { ERROR_CODES, type ErrorDetails, errorSentence, SpoolError } from '@spool/protocol';
import { exitCodeOfError } from './exit-code.ts';
import { errnoWords, osErrorText } from './os-error.ts';
import { jsonText } from '../output/json-text.ts';
import { printable } from '../output/printable.ts';
import { notice } from '../output/stdio.ts';
import { UsageError } from './usage-error.ts';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details: ErrorDetails;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return { code: 'USAGE', message: error.message, details: {} };
  if (SpoolError.is(error))
    return {
      code: error.code,
      message: errorSentence(ERROR_CODES[error.code] ?? error.code, inWords(error.details)),
      details: error.details,
    };
  return { code: 'INTERNAL', message: osErrorText(error), details: {} };
}

/** The operating system's reason in words, because `ENOENT` means nothing to most people. */
function inWords(details: ErrorDetails): ErrorDetails {
  const { reason } = details;
  return typeof reason === 'string' ? { ...details, reason: errnoWords(reason) } : details;
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
