/** The exit codes of `spool` [SAY-1]. */
import { constants } from 'node:os';
import { type ErrorCode, signalNumberIn, SpoolError } from '@spool/protocol';
import { errnoOf } from './os-error.ts';
import { UsageError } from './usage-error.ts';

export const EXIT = {
  /** The command did not achieve its purpose. */
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  timedOut: 124,
  ourFailure: 125,
  commandNotExecutable: 126,
  commandNotFound: 127,
  /** Plus the number of the signal. */
  signalBase: 128,
} as const;

/** Every code except a session's own, for the manual. */
export const EXIT_CODES: readonly { readonly code: string; readonly about: string }[] = [
  { code: '0', about: 'success; for `attach` also after a detach or a takeover by another client' },
  {
    code: `${EXIT.failed}`,
    about:
      'the verb ran, but failed: a check found a problem, a wait ended without its condition, a prompt got no reaction, or output could not be stored or written',
  },
  { code: `${EXIT.usage}`, about: 'usage error: invalid command line or argument' },
  { code: `${EXIT.notFound}`, about: 'not found or ambiguous: a session, a task or a file' },
  {
    code: `${EXIT.notAllowed}`,
    about:
      'not allowed, and nothing was done: for example, the session has ended, still runs or asks something, its name is taken, or a folder is not safe to use',
  },
  { code: `${EXIT.timedOut}`, about: 'a wait or a task timed out' },
  { code: `${EXIT.ourFailure}`, about: 'Spool itself failed, or the exit code of the session is unknown' },
  { code: `${EXIT.commandNotExecutable}`, about: 'the command cannot be executed' },
  { code: `${EXIT.commandNotFound}`, about: 'the command was not found' },
  { code: `${EXIT.signalBase}+n`, about: 'the session was ended by signal n' },
];

/** Every error code has a row, so that a new one cannot be forgotten. A mistake of the user is never 125. */
export const EXIT_OF_ERROR: { readonly [K in ErrorCode]: number } = {
  SESSION_UNKNOWN: EXIT.notFound,
  SESSION_AMBIGUOUS: EXIT.notFound,
  SESSION_EXITED: EXIT.notAllowed,
  SESSION_RUNNING: EXIT.notAllowed,
  SESSION_NONE: EXIT.notFound,
  TASK_NONE: EXIT.notFound,
  NOT_A_TASK: EXIT.usage,
  NOT_AN_AGENT: EXIT.usage,
  AGENT_ON_WIRE: EXIT.notAllowed,
  AGENT_ENDED: EXIT.notAllowed,
  AGENT_RUNS: EXIT.notAllowed,
  AGENT_NOT_RESUMABLE: EXIT.notAllowed,
  AGENT_UNKNOWN: EXIT.usage,
  EVENTS_MOVED: EXIT.notAllowed,
  ID_TAKEN: EXIT.notAllowed,
  LOG_UNREADABLE: EXIT.failed,
  NAME_TAKEN: EXIT.notAllowed,
  ARGUMENT_INVALID: EXIT.usage,
  REQUEST_INVALID: EXIT.usage,
  REQUEST_UNKNOWN: EXIT.ourFailure,
  WAIT_UNKNOWN: EXIT.usage,
  PATTERN_INVALID: EXIT.usage,
  PATTERN_TOO_SLOW: EXIT.usage,
  COMMAND_NOT_FOUND: EXIT.commandNotFound,
  COMMAND_NOT_EXECUTABLE: EXIT.commandNotExecutable,
  CWD_UNUSABLE: EXIT.usage,
  SPAWN_FAILED: EXIT.ourFailure,
  TOO_MANY_FILES: EXIT.ourFailure,
  INPUT_QUEUE_FULL: EXIT.notAllowed,
  INPUT_UNCONFIRMED: EXIT.ourFailure,
  INPUT_BUSY: EXIT.notAllowed,
  INPUT_BLOCKED: EXIT.notAllowed,
  INPUT_NOT_EMPTY: EXIT.notAllowed,
  STATE_UNKNOWN: EXIT.notAllowed,
  AGENT_NOT_READY: EXIT.notAllowed,
  PROMPT_NOT_TEXT: EXIT.notAllowed,
  PROMPT_HAS_LINES: EXIT.notAllowed,
  QUESTION_CHANGED: EXIT.notAllowed,
  ANSWER_UNKNOWN: EXIT.notAllowed,
  LINE_TOO_LONG: EXIT.notAllowed,
  INPUT_CLOSED: EXIT.notAllowed,
  KEY_UNKNOWN: EXIT.usage,
  NOT_A_TERMINAL: EXIT.notAllowed,
  FRAME_UNKNOWN: EXIT.ourFailure,
  FRAME_TOO_LARGE: EXIT.ourFailure,
  FRAME_INVALID: EXIT.ourFailure,
  ANSWER_TOO_LARGE: EXIT.ourFailure,
  HELLO_EXPECTED: EXIT.ourFailure,
  VERSION_UNSUPPORTED: EXIT.ourFailure,
  TOO_MANY: EXIT.ourFailure,
  DAEMON_UNREACHABLE: EXIT.ourFailure,
  DAEMON_START_FAILED: EXIT.ourFailure,
  SUCCESSOR_REFUSED: EXIT.ourFailure,
  DAEMON_STOPPING: EXIT.ourFailure,
  TOO_MANY_CONNECTIONS: EXIT.ourFailure,
  TOO_MANY_VISITS: EXIT.ourFailure,
  HOST_UNREACHABLE: EXIT.ourFailure,
  CONTEXT_UNKNOWN: EXIT.notFound,
  NODE_UNKNOWN: EXIT.notFound,
  NODE_AWAY: EXIT.ourFailure,
  NODE_NAME_TAKEN: EXIT.notAllowed,
  INVITE_REFUSED: EXIT.notAllowed,
  GATEWAY_NOT_FOUND: EXIT.notFound,
  GATEWAY_START_FAILED: EXIT.failed,
  TOKEN_MISSING: EXIT.notAllowed,
  TOKEN_REFUSED: EXIT.notAllowed,
  TOKEN_UNKNOWN: EXIT.notFound,
  CODE_REFUSED: EXIT.notAllowed,
  ROLE_TOO_LOW: EXIT.notAllowed,
  HOST_REFUSED: EXIT.notAllowed,
  ORIGIN_REFUSED: EXIT.notAllowed,
  CONTENT_TYPE_REFUSED: EXIT.usage,
  RATE_LIMITED: EXIT.notAllowed,
  NOT_FOUND: EXIT.notFound,
  FILE_UNKNOWN: EXIT.notFound,
  UPLOAD_FAILED: EXIT.failed,
  NODE_TOO_OLD: EXIT.ourFailure,
  FOLDER_REFUSED: EXIT.notAllowed,
  CONNECTION_LOST: EXIT.ourFailure,
  NOT_ALLOWED: EXIT.notAllowed,
  INTERNAL: EXIT.ourFailure,
};

/** Errors of the operating system for a file that the user named. */
const EXIT_OF_ERRNO: Readonly<Record<string, number>> = {
  ENOENT: EXIT.notFound,
  ENOTDIR: EXIT.notFound,
  EACCES: EXIT.notAllowed,
  EPERM: EXIT.notAllowed,
  EROFS: EXIT.notAllowed,
  EISDIR: EXIT.usage,
  ENOSPC: EXIT.failed,
  EDQUOT: EXIT.failed,
  EFBIG: EXIT.failed,
};

export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  // A newer daemon may send a code that this table does not have.
  if (SpoolError.is(error)) return EXIT_OF_ERROR[error.code] ?? EXIT.ourFailure;
  return EXIT_OF_ERRNO[errnoOf(error) ?? ''] ?? EXIT.ourFailure;
}

/** Returns the exit code that a shell would report. A lost session has neither a code nor a signal: 125. */
export function exitCodeOfSession(end: { readonly exitCode: number | null; readonly signal: string | null }): number {
  if (end.exitCode !== null) return end.exitCode;
  if (end.signal === null) return EXIT.ourFailure;
  return EXIT.signalBase + (signalNumber(end.signal) ?? 0);
}

/** Returns the number of a signal: `SIGTERM` is 15, `SIGRTMIN+2` is 36; undefined for an unknown name. */
export function signalNumber(name: string): number | undefined {
  return signalNumberIn(constants.signals, name);
}
