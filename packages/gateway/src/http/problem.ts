/** Errors as problem details (RFC 9457), with our codes. */
import { ERROR_CODES, type ErrorCode, errorSentence, type SpoolError, toWireError } from '@spool/protocol';

/** The HTTP status of each error; all others are faults of the request: 400. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  TOKEN_MISSING: 401,
  TOKEN_REFUSED: 401,
  CODE_REFUSED: 401,
  INVITE_REFUSED: 401,
  ROLE_TOO_LOW: 403,
  NOT_ALLOWED: 403,
  ORIGIN_REFUSED: 403,
  HOST_REFUSED: 421,
  NOT_FOUND: 404,
  FILE_UNKNOWN: 404,
  SESSION_UNKNOWN: 404,
  SESSION_NONE: 404,
  TASK_NONE: 404,
  TOKEN_UNKNOWN: 404,
  NODE_UNKNOWN: 404,
  SESSION_AMBIGUOUS: 409,
  SESSION_EXITED: 409,
  AGENT_ENDED: 409,
  AGENT_RUNS: 409,
  AGENT_NOT_RESUMABLE: 409,
  SESSION_RUNNING: 409,
  ID_TAKEN: 409,
  NAME_TAKEN: 409,
  NODE_NAME_TAKEN: 409,
  NOT_A_TASK: 409,
  NOT_A_TERMINAL: 409,
  INPUT_CLOSED: 409,
  INPUT_BUSY: 409,
  INPUT_BLOCKED: 409,
  INPUT_NOT_EMPTY: 409,
  STATE_UNKNOWN: 409,
  AGENT_NOT_READY: 409,
  PROMPT_HAS_LINES: 409,
  QUESTION_CHANGED: 409,
  ANSWER_UNKNOWN: 409,
  FRAME_TOO_LARGE: 413,
  ANSWER_TOO_LARGE: 413,
  CONTENT_TYPE_REFUSED: 415,
  COMMAND_NOT_FOUND: 422,
  COMMAND_NOT_EXECUTABLE: 422,
  CWD_UNUSABLE: 422,
  UPLOAD_FAILED: 422,
  LINE_TOO_LONG: 422,
  PROMPT_NOT_TEXT: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  SPAWN_FAILED: 500,
  LOG_UNREADABLE: 500,
  DAEMON_UNREACHABLE: 503,
  SUCCESSOR_REFUSED: 500,
  DAEMON_STOPPING: 503,
  CONNECTION_LOST: 503,
  NODE_AWAY: 503,
  TOO_MANY: 503,
  TOO_MANY_FILES: 503,
  TOO_MANY_CONNECTIONS: 503,
  TOO_MANY_VISITS: 503,
  INPUT_QUEUE_FULL: 503,
};

const BAD_REQUEST = 400;

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: SpoolError['details'];
}

export function problemOf(error: unknown): Problem {
  const { code, details } = toWireError(error);
  return {
    type: `urn:spool:error:${code}`,
    title: errorSentence(ERROR_CODES[code], details),
    status: STATUS[code] ?? BAD_REQUEST,
    code,
    details,
  };
}
