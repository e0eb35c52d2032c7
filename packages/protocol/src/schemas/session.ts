/** A session, a task, and the answers of requests that the REST API also gives, described once. */
import { z } from 'zod';
import { ENDED_STATES } from '../listing.ts';
import { PROCESS_IDENTITY, SIZE, SIZE_POLICY, timeMs } from './parts.ts';
import { AGENT_RESUMED, AGENT_START_OPTIONS } from './run.ts';
import { MILESTONE, STATUS_INFO } from './status.ts';

/**
 * The state: `running`, and then one of: `exited` (by itself, 0), `failed` (by itself, not 0), `stopped` and `killed` (on
 * request), `lost` (the whole daemon died, and the end was not seen).
 */
export const SESSION_STATE = z.enum(['running', ...ENDED_STATES]);

/** A client attached to a session. */
export const VIEWER = z.strictObject({
  /** The client's name for itself: `cli pid 4711`. */
  who: z.string(),
  size: SIZE.nullable(),
  isReadOnly: z.boolean(),
  since: timeMs,
});

/** The origin of a session. */
export const STARTED_BY = z.strictObject({
  /** The client's name for itself: `node 4711`. */
  who: z.string(),
  /** The processes on whose behalf it was started, as they identified themselves; usually one. */
  owners: z.array(PROCESS_IDENTITY),
  /** Whether the session is stopped when one of them is gone. */
  isTied: z.boolean(),
});

/**
 * The driver of an agent, which reads the agent's own protocol from the output log and appends to the events log. `failed`: it
 * kept crashing and was given up; the next command starts it again. `done`: the session has ended, and so has its events log.
 */
export const DRIVER_INFO = z.strictObject({
  name: z.string(),
  state: z.enum(['running', 'failed', 'done']),
  /** The start of the agent's first prompt, in one line; absent before there is one. */
  prompt: z.string().optional(),
  options: AGENT_START_OPTIONS.optional(),
  resumes: AGENT_RESUMED.optional(),
  /** The start and end of the events log. */
  firstOffset: z.int(),
  offset: z.int(),
});

/** A process that was started in a session and was left running at its end, because it also serves others. */
export const LEFT_PROCESS = z.strictObject({
  pid: z.int(),
  /** The name of its program. */
  program: z.string(),
  /** The shared service that it was recognized as; null if commands of another session descend from it. */
  service: z.string().nullable(),
});

export const SESSION = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    state: SESSION_STATE,
    /** The exit code; null while it runs, and if a signal ended it. */
    exitCode: z.int().nullable(),
    /** The signal, `SIGTERM`, …; null while it runs, and if it ended by itself. */
    signal: z.string().nullable(),
    pid: z.int().describe('0 for viewers and prompters'),
    startedAt: timeMs,
    endedAt: timeMs.nullable(),
    /** The offset of the next byte: the number of bytes that the child has written in total. */
    offset: z.int(),
    /** The offset of the first byte that is still kept. */
    firstOffset: z.int(),
    /** The first 16 KiB of the command; a truncated command ends with an ellipsis. */
    command: z.array(z.string()).describe('only the program for viewers and prompters'),
    cwd: z.string().describe('empty for viewers and prompters'),
    /** The size; null for a session on pipes. */
    size: SIZE.nullable(),
    labels: z.record(z.string(), z.string()),
    watchers: z.int(),
    /**
     * The cause of the end; `timeout` is the session's own limit, `owner` the end of a process that it was tied to. Null while it
     * runs, or if it ended by itself.
     */
    endedBy: z.enum(['stop', 'kill', 'timeout', 'owner']).nullable(),
    sizePolicy: SIZE_POLICY,
    viewers: z.array(VIEWER),
    /** The client that typed last, and when. `events` reports each change. */
    typed: z.strictObject({ who: z.string(), at: timeMs }).nullable(),
    /** The reason why the log is incomplete or not growing, in a sentence; null if there is no fault. */
    trouble: z.string().nullable(),
    /** The present activity, as far as it is known. */
    status: STATUS_INFO,
    /** The last milestone that was reached. */
    milestone: MILESTONE.nullable(),
    /** The title that the program has set. */
    title: z.string(),
    /** The time of the child's last output; null if there was none. */
    lastOutputAt: timeMs.nullable(),
    /** Whether it is a task: see `TaskInfo`. */
    isTask: z.boolean(),
    /** The name that the task was started with; several tasks may have the same. Null means the session's name. */
    taskName: z.string().nullable(),
    /** The maximum run time, after which it is stopped; null means no limit. */
    timeoutMs: z.number().nullable(),
    /** The origin; null for a session of an older version. */
    startedBy: STARTED_BY.nullable(),
    /** The driver, only of an agent without a terminal. */
    driver: DRIVER_INFO.optional(),
    /** The processes that were left running at its end, because they also serve others. */
    leftRunning: z.array(LEFT_PROCESS).optional().describe('not for viewers and prompters'),
  })
  .meta({ id: 'Session' });

export const TASK = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    /** `error`: it ended by itself, not with 0; `timeout`: its own limit ended it; `cancelled`: a client ended it. */
    state: z.enum(['running', 'success', 'error', 'timeout', 'cancelled']),
    pid: z.int(),
    startedAt: timeMs,
    finishedAt: timeMs.nullable(),
    exitCode: z.int().nullable(),
    /** The name of its session, which all commands accept. It differs from `name` if several tasks have that name. */
    attachName: z.string(),
    timeoutMs: z.number().nullable(),
    labels: z.record(z.string(), z.string()),
    startedBy: STARTED_BY.nullable(),
  })
  .meta({ id: 'Task' });

/** The screen as a user saw it. */
export const SCREEN = z.strictObject({
  id: z.string(),
  offset: z.int(),
  /** The time of the last byte before that offset. */
  at: timeMs,
  cols: z.int(),
  rows: z.int(),
  /** Whether the screen is complete; false if a flood was skipped to reach the present. */
  isExact: z.boolean(),
  /** The bytes that the log has lost, so that the screen was painted without them; missing from an older keeper. */
  missingBytes: z.number().exactOptional(),
  title: z.string(),
  content: z.string(),
});

/**
 * The condition of a wait. `idle`, `blocked`: the status. `prompt`: idle, and the screen shows where to type. `output`: any
 * output.
 */
export const WAIT_UNTIL = z.enum(['exit', 'idle', 'blocked', 'prompt', 'output']);

/** The end of a wait. */
export const WAITED = z.strictObject({
  reason: WAIT_UNTIL,
  /** The end of the log at that time. */
  offset: z.int(),
  session: SESSION,
});

/** The result of a prompt. */
export const PROMPTED = z.strictObject({
  /**
   * Whether the session was seen to accept the prompt: it began to work, asks back, ended, or the text has left the input line
   * and is in the conversation. Output alone is not enough.
   */
  isConfirmed: z.boolean(),
  /** `read`: a program on pipes has read the line. */
  reaction: z.enum(['working', 'blocked', 'exited', 'screen', 'read']).nullable(),
  /** The reason why a prompt is not confirmed; null if it is. */
  reason: z.string().nullable().describe('what is known of a prompt that is not confirmed'),
  /** The end of the log when Enter was pressed: `wait` with `after` waits for the reaction. */
  offset: z.int(),
  /** Whether a prompt with the same key had been typed before, so that this one was not typed. */
  isRepeated: z.boolean(),
  session: SESSION,
});

/** The result of an answer to a question. */
export const ANSWERED = z.strictObject({ isConfirmed: z.boolean(), offset: z.int(), session: SESSION });
