/** What `spool` itself returns to the shell. */
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

/** For the manual: every code that is not the session's own. */
export const EXIT_CODES: readonly { readonly code: string; readonly about: string }[] = [
  { code: '0', about: 'success; for `attach` also: you detached, or somebody took over' },
  {
    code: '1',
    about: 'it failed as asked: a check found something wrong, a task failed without an exit code of its own',
  },
  { code: `${EXIT.usage}`, about: 'usage: the command line cannot be understood, or an argument cannot be used' },
  {
    code: `${EXIT.notAllowed}`,
    about: 'not allowed: the session waits for a decision, or a folder is not safe to use',
  },
  { code: `${EXIT.timedOut}`, about: 'a wait or a task timed out' },
  { code: `${EXIT.ourFailure}`, about: 'Spool itself failed, or cannot tell how the session ended' },
  { code: `${EXIT.notExecutable}`, about: 'the command cannot be executed' },
  { code: `${EXIT.notFound}`, about: 'the command was not found' },
  { code: `${EXIT.signalBase}+n`, about: 'signal n ended the session' },
];

const OF_ERROR: { readonly [K in ErrorCode]?: number } = {
  COMMAND_NOT_EXECUTABLE: EXIT.notExecutable,
  COMMAND_NOT_FOUND: EXIT.notFound,
  NOT_ALLOWED: EXIT.notAllowed,
  INPUT_BLOCKED: EXIT.notAllowed,
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

/** How a session ended, as a shell would tell it. One that was lost has neither code nor signal: our failure. */
export function exitCodeOfSession(end: { readonly exitCode: number | null; readonly signal: string | null }): number {
  if (end.exitCode !== null) return end.exitCode;
  if (end.signal === null) return EXIT.ourFailure;
  return EXIT.signalBase + (signalNumber(end.signal) ?? 0);
}

/** `SIGTERM` is 15, `SIGRTMIN+2` is 36; undefined for a name that the system does not have. */
export function signalNumber(name: string): number | undefined {
  const realTime = /^SIGRTMIN(?:\+(\d{1,2}))?$/.exec(name);
  if (realTime) return 34 + Number(realTime[1] ?? 0);
  return (constants.signals as Readonly<Record<string, number | undefined>>)[name];
}
