/** The exit codes of `spool`. */
import { constants } from 'node:os';
import { type ErrorCode, SpoolError } from '@spool/protocol';
import { UsageError } from './usage-error.ts';

export const EXIT = {
  usage: 2,
  notAllowed: 4,
  timedOut: 124,
  ourFailure: 125,
  notExecutable: 126,
  notFound: 127,
  /** Plus the number of the signal. */
  signalBase: 128,
} as const;

/** For the manual: every code except a session's own. */
export const EXIT_CODES: readonly { readonly code: string; readonly about: string }[] = [
  { code: '0', about: 'success; for `attach` also after a detach or a takeover by another client' },
  {
    code: '1',
    about: 'a check found a problem, a wait ended without its condition, or a task failed without an exit code',
  },
  { code: `${EXIT.usage}`, about: 'usage error: invalid command line or argument' },
  {
    code: `${EXIT.notAllowed}`,
    about: 'not allowed: for example, the session is asking something, or a folder is not safe to use',
  },
  { code: `${EXIT.timedOut}`, about: 'a wait or a task timed out' },
  { code: `${EXIT.ourFailure}`, about: 'Spool itself failed, or the exit code of the session is unknown' },
  { code: `${EXIT.notExecutable}`, about: 'the command cannot be executed' },
  { code: `${EXIT.notFound}`, about: 'the command was not found' },
  { code: `${EXIT.signalBase}+n`, about: 'the session was ended by signal n' },
];

const OF_ERROR: { readonly [K in ErrorCode]?: number } = {
  COMMAND_NOT_EXECUTABLE: EXIT.notExecutable,
  COMMAND_NOT_FOUND: EXIT.notFound,
  NOT_ALLOWED: EXIT.notAllowed,
  INPUT_BLOCKED: EXIT.notAllowed,
  INPUT_BUSY: EXIT.notAllowed,
  INPUT_NOT_EMPTY: EXIT.notAllowed,
  STATE_UNKNOWN: EXIT.notAllowed,
  ARGUMENT_INVALID: EXIT.usage,
  WAIT_UNKNOWN: EXIT.usage,
  PATTERN_INVALID: EXIT.usage,
  NOT_A_TASK: EXIT.usage,
  KEY_UNKNOWN: EXIT.usage,
  FOLDER_REFUSED: EXIT.notAllowed,
};

export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  return SpoolError.is(error) ? (OF_ERROR[error.code] ?? EXIT.ourFailure) : EXIT.ourFailure;
}

/** The exit code that a shell would report. A lost session has neither code nor signal: 125. */
export function exitCodeOfSession(end: { readonly exitCode: number | null; readonly signal: string | null }): number {
  if (end.exitCode !== null) return end.exitCode;
  if (end.signal === null) return EXIT.ourFailure;
  return EXIT.signalBase + (signalNumber(end.signal) ?? 0);
}

/** `SIGTERM` is 15, `SIGRTMIN+2` is 36; undefined for an unknown name. */
export function signalNumber(name: string): number | undefined {
  const realTime = /^SIGRTMIN(?:\+(\d{1,2}))?$/.exec(name);
  if (realTime) return 34 + Number(realTime[1] ?? 0);
  return (constants.signals as Readonly<Record<string, number | undefined>>)[name];
}
