/**
 * Every error that a caller can get, by code. Codes are wire format: add new ones, never rename one. The first clause of a
 * sentence states the fault; the clause after a semicolon gives advice. The CLI puts the name from the details (session, command,
 * folder, …) behind the first occurrence of that noun.
 */
export const ERROR_CODES = {
  // The request
  SESSION_UNKNOWN: 'no such session; `spool ls` lists them',
  SESSION_AMBIGUOUS: 'several sessions match; use more letters of the id, or the whole name',
  SESSION_EXITED: 'the session has ended; `spool logs` shows its output',
  SESSION_RUNNING: 'the session is still running; stop it first or use --force',
  SESSION_NONE: 'there are no sessions yet; start one with `spool run -- COMMAND`',
  TASK_NONE: 'there are no tasks yet; start one with `spool task run -- COMMAND`',
  NOT_A_TASK: 'this session is not a task; `spool stop` stops it',
  ID_TAKEN: 'the id belongs to a session that was started with another request; use a new id',
  NAME_TAKEN: 'the name is used by a running session; choose another name, or attach to that session',
  ARGUMENT_INVALID: 'invalid argument',
  REQUEST_INVALID: 'invalid request',
  REQUEST_UNKNOWN: 'the daemon does not know this request; if it is older than the client, run `spool daemon restart`',
  WAIT_UNKNOWN: 'unknown wait condition; use exit, idle, blocked, prompt, output or match:/PATTERN/',
  PATTERN_INVALID: 'invalid pattern; use a JavaScript regular expression: /PATTERN/FLAGS',
  PATTERN_TOO_SLOW: 'the pattern takes too long to match; simplify it, for example by removing nested repetitions',
  LOG_UNREADABLE: 'the log of the session cannot be read; `spool doctor` shows what is wrong with its folder',
  // Agents without a terminal
  NOT_AN_AGENT: 'this session is not an agent that Spool can talk to; type into it with `spool send` and `spool keys`',
  AGENT_ON_WIRE:
    'this session is an agent without a terminal; `spool attach` and `spool logs` show what it does, `spool prompt`, `approve`, `deny` and `answer` talk to it',
  AGENT_ENDED: 'the agent has ended; `spool resume` resumes it, `spool logs` shows what it did',
  AGENT_RUNS: 'another session has resumed this agent; prompt that session, or stop it first',
  AGENT_NOT_RESUMABLE: 'the agent has not named a session that can be resumed; `spool run --agent` starts a new one',
  AGENT_UNKNOWN: 'unknown agent; `spool help run` lists the agents',
  EVENTS_MOVED: 'the events log has grown meanwhile; read it to its end first',
  // Starting a child
  COMMAND_NOT_FOUND: 'command not found; check the spelling and the PATH',
  COMMAND_NOT_EXECUTABLE: 'the command cannot be executed; check its permissions',
  CWD_UNUSABLE: 'cannot enter the working folder; check that it exists and that you may enter it',
  FILE_UNKNOWN: 'no such file in the folder of the session; links are not followed, and nothing outside is shown',
  UPLOAD_FAILED: 'the file could not be written into the folder of the session',
  SPAWN_FAILED: 'the operating system could not start the command; `spool doctor` checks the machine',
  TOO_MANY_FILES:
    'the daemon is running out of file descriptors; stop some sessions or raise the limit (`spool doctor` shows it)',
  // Input
  INPUT_QUEUE_FULL: 'the session does not read its input, and the queue is full; nothing was accepted: try again later',
  INPUT_UNCONFIRMED:
    'the connection to the daemon broke before the input was confirmed; check whether it arrived (`spool screen`)',
  INPUT_BUSY:
    'the shell is running a command that would read the prompt later; wait until it is done (`spool wait --until prompt`) or use --force',
  INPUT_BLOCKED: 'the session is asking; answer it first (`spool attach`, `spool keys`) or use --force',
  INPUT_NOT_EMPTY: 'the session has text in its input line; submit it, clear it (--clear) or use --force',
  STATE_UNKNOWN: 'cannot tell whether the session is asking something; try again in a moment or use --force',
  AGENT_NOT_READY:
    'the agent does not show an empty input line yet; nothing was typed: look with `spool screen`, or try again later',
  PROMPT_NOT_TEXT:
    'the prompt contains a control character, which would press a key; nothing was typed: remove it, or use `spool send`',
  PROMPT_HAS_LINES:
    'the program would take the end of each line of the prompt for Enter; nothing was typed: send one line, or use --force',
  QUESTION_CHANGED: 'the question of the session has changed or is gone; nothing was typed: look again',
  ANSWER_UNKNOWN: 'the screen does not show which key gives this answer; answer it with `spool attach`',
  LINE_TOO_LONG:
    'the session reads line by line, and a line can have at most 4095 bytes; nothing was typed: send shorter lines, or put the text into a file',
  INPUT_CLOSED: 'the input of the session is closed; nothing more can be sent to it',
  KEY_UNKNOWN: 'unknown key; use `spool send` to type text',
  NOT_A_TERMINAL: 'the session has no terminal, so this does not apply to it',
  // The wire
  FRAME_UNKNOWN: 'received a frame of an unknown type; the peer does not speak this protocol',
  FRAME_TOO_LARGE: 'a frame is larger than its type allows',
  FRAME_INVALID: 'received an invalid frame',
  ANSWER_TOO_LARGE: 'the answer is too large for one message; ask for less at a time',
  HELLO_EXPECTED: 'the first frame must be a hello',
  VERSION_UNSUPPORTED:
    'the client and the daemon have no version of the protocol in common; install a release between the two, and run `spool daemon upgrade` with it',
  TOO_MANY: 'too many open requests on this connection; wait until some are answered',
  // The daemon
  DAEMON_UNREACHABLE: 'cannot reach the daemon; run `spool doctor` to find the cause',
  DAEMON_START_FAILED: 'could not start the daemon; run `spool doctor` to find the cause',
  SUCCESSOR_REFUSED:
    'the new program cannot take over, so the present one continues and no session is affected; check the installation, or run `spool daemon restart` of another one',
  DAEMON_STOPPING: 'the daemon is stopping; try again in a moment',
  TOO_MANY_CONNECTIONS:
    'the daemon accepts no more connections, because sessions need the remaining file descriptors; close some clients or raise the limit (ulimit -Hn)',
  TOO_MANY_VISITS:
    'too many requests and WebSockets are open, with this token or in total; close some, or try again later',
  HOST_UNREACHABLE:
    'cannot reach the host; check its address, and that `spool web` (for a fleet: the NATS server) runs there',
  CONTEXT_UNKNOWN: 'no such context; `spool context ls` lists them',
  NODE_UNKNOWN: 'no such node; `spool node ls` lists them',
  NODE_AWAY: 'the node is away; check that it runs and can reach this machine (`spool node ls` shows since when)',
  NODE_NAME_TAKEN: 'another node has this name; choose another one, or remove that node with `spool node remove`',
  INVITE_REFUSED: 'this invite was used before or is too old; run `spool node invite` for another',
  GATEWAY_NOT_FOUND: 'no Spool gateway answers at this address; check the port and the base path',
  // The gateway
  GATEWAY_START_FAILED:
    'could not start the gateway; its reason is in the daemon log (`spool daemon status` shows the folder)',
  TOKEN_MISSING: 'a token is needed; open the URL that `spool web` prints, or send a token (`spool token create`)',
  TOKEN_REFUSED: 'the token is wrong, revoked or expired; create another with `spool token create`',
  TOKEN_UNKNOWN: 'no such token; `spool token ls` lists them',
  CODE_REFUSED: 'this link was used before or is too old; run `spool web` for another',
  ROLE_TOO_LOW: 'the role of this token does not allow it; ask the owner for another token',
  HOST_REFUSED: 'this gateway is not called by this name; use the address that `spool web` prints',
  ORIGIN_REFUSED: 'requests from other sites are refused; use the page of the gateway itself',
  CONTENT_TYPE_REFUSED: 'the content type must be application/json',
  RATE_LIMITED: 'too many failed attempts; wait a minute and try again',
  NOT_FOUND: 'there is nothing at this address; /api/openapi.json lists the routes',
  NODE_TOO_OLD: 'this version of Node is too old for the SDK; use Node 22.12 or later',
  FOLDER_REFUSED: 'refusing to use an unsafe folder',
  CONNECTION_LOST: 'lost the connection to the daemon',
  NOT_ALLOWED: 'not allowed',
  INTERNAL: 'internal error in the daemon; see its log',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/** An error with its code; its message is `no such session; `spool ls` lists them (session=x)`. */
export class SpoolError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(`${ERROR_CODES[code] ?? code}${format(details)}`, options);
    this.name = 'SpoolError';
    this.code = code;
    this.details = details;
  }

  /** Compares codes, because `instanceof` fails when two copies of this package are loaded. */
  static is(error: unknown, code?: ErrorCode): error is SpoolError {
    if (!(error instanceof Error) || error.name !== 'SpoolError') return false;
    return code === undefined || (error as SpoolError).code === code;
  }
}

/** An error on the wire. */
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
