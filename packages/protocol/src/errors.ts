/**
 * Every failure a caller may meet, by code. Codes are wire format: add, never rename.
 * A sentence says what happened and, where something can be done, what to do.
 */
export const ERROR_CODES = {
  // What was asked for
  SESSION_UNKNOWN: 'there is no such session; `spool ls` shows those that there are',
  SESSION_AMBIGUOUS: 'more than one session fits; give more of the id',
  SESSION_EXITED: 'the session has ended; read its log instead',
  SESSION_RUNNING: 'the session is still running; stop it first, or use --force',
  SESSION_NONE: 'there is no session yet; start one with `spool run -- COMMAND`',
  NOT_A_TASK: 'this is a session but no task; `spool stop` ends it',
  NAME_TAKEN: 'a running session already has this name; choose another, or attach to that one',
  ARGUMENT_INVALID: 'an argument cannot be used',
  REQUEST_INVALID: 'the request is not understood',
  REQUEST_UNKNOWN: 'the daemon does not know this request; it may be older than the client: `spool daemon restart`',
  WAIT_UNKNOWN: 'nobody can wait for that; write exit, idle, blocked, prompt, output or match:/PATTERN/',
  PATTERN_INVALID: 'the pattern cannot be read; it is a JavaScript regular expression, /PATTERN/FLAGS',
  PATTERN_TOO_SLOW: 'the pattern takes too long on a few lines; a simpler one, without nested repetitions, will do',
  // Starting a child
  COMMAND_NOT_FOUND: 'there is no such command; check the spelling and the PATH',
  COMMAND_NOT_EXECUTABLE: 'the command cannot be executed; check its permissions',
  CWD_UNUSABLE: 'the working folder cannot be entered',
  SPAWN_FAILED: 'the operating system refused to start the command',
  TOO_MANY_FILES:
    'the daemon has too few open files left for another session; end some, or raise its limit (`spool doctor` shows it)',
  // Input
  INPUT_QUEUE_FULL: 'the session does not read its input and the queue is full; nothing of this write was taken',
  INPUT_UNCONFIRMED: 'the link to the daemon broke before the input was confirmed; it may or may not have arrived',
  INPUT_BLOCKED:
    'a prompt would answer what is asked in session; answer it first (`spool attach`, `spool keys`), or use --force',
  INPUT_NOT_EMPTY:
    'a prompt would be glued to the text in the input line of session; submit or clear that first (--clear), or use --force',
  STATE_UNKNOWN:
    'a prompt might answer something that nobody has seen in session; try again in a moment, or use --force',
  LINE_TOO_LONG:
    'the program reads by line, and its terminal keeps only 4095 bytes of one; nothing was typed: send shorter lines, put the text into a file for it, or wait until it reads by itself',
  INPUT_CLOSED: 'the input of this session is closed',
  INPUT_IS_TERMINAL: 'the input of a session on a terminal cannot be closed; send C-d (end of file) instead',
  KEY_UNKNOWN: 'there is no key of this name; for text there is `spool send`',
  NOT_A_TERMINAL: 'the session has no terminal, so this does not apply to it',
  // The wire
  FRAME_UNKNOWN: 'a frame of an unknown type arrived; the peer is not speaking this protocol',
  FRAME_TOO_LARGE: 'a frame is larger than its type allows',
  FRAME_INVALID: 'a frame cannot be read',
  ANSWER_TOO_LARGE: 'the answer is larger than a message may be; ask for less at a time',
  HELLO_EXPECTED: 'the first frame must be a hello',
  VERSION_UNSUPPORTED: 'client and daemon speak different versions of the protocol; run `spool daemon restart`',
  TOO_MANY: 'too many requests are open on this connection',
  // The daemon
  DAEMON_UNREACHABLE: 'the daemon cannot be reached; `spool doctor` looks for the cause',
  DAEMON_START_FAILED: 'the daemon could not be started; `spool doctor` looks for the cause',
  DAEMON_STOPPING: 'the daemon is stopping; try again in a moment',
  TOO_MANY_CONNECTIONS:
    'the daemon takes no more connections, to keep open files for sessions; close some clients, or raise its limit (ulimit -Hn)',
  FOLDER_REFUSED: 'a folder of spool is not safe to use',
  CONNECTION_LOST: 'the link to the daemon broke',
  NOT_ALLOWED: 'this is not allowed',
  INTERNAL: 'something went wrong inside the daemon; its log says more',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/** `SESSION_UNKNOWN: there is no such session; … (session=x)` */
export class SpoolError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(`${ERROR_CODES[code] ?? code}${format(details)}`, options);
    this.name = 'SpoolError';
    this.code = code;
    this.details = details;
  }

  /** Asks by code: `instanceof` fails as soon as two copies of a package meet. */
  static is(error: unknown, code?: ErrorCode): error is SpoolError {
    if (!(error instanceof Error) || error.name !== 'SpoolError') return false;
    return code === undefined || (error as SpoolError).code === code;
  }
}

/** What an error looks like on the wire. */
export interface WireError {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
}

export function toWireError(error: unknown): WireError {
  if (SpoolError.is(error)) return { code: error.code, details: error.details };
  return { code: 'INTERNAL', details: { message: error instanceof Error ? error.message : String(error) } };
}

export function fromWireError(error: WireError): SpoolError {
  return new SpoolError(error.code, error.details);
}

function format(details: ErrorDetails): string {
  const parts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
