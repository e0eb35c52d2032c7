/** The status of a session, its question and the requests of its agent, described once. */
import { z } from 'zod';
import { REQUESTS_OPEN_MAX } from '../agent/command-limits.ts';
import { OPTION_KINDS } from '../agent/kinds.ts';
import { longText, offset, timeMs } from './parts.ts';

/**
 * `starting`: no report yet. `working`: the program is active. `blocked`: it waits for a user's decision. `idle`: it waits for
 * the next task. `exited`: the child has ended.
 */
export const STATUS_STATE = z.enum(['starting', 'working', 'blocked', 'idle', 'exited']);

/** The source of the evidence. */
export const STATUS_SOURCE = z.enum([
  'process',
  /** The program's own report (OSC 7501). */
  'program',
  /** Command marks (OSC 133, 633). */
  'shell',
  'screen',
  'title',
  'progress',
  'notification',
  'bell',
  'output',
  /** The agent's own protocol, read by its driver. */
  'wire',
]);

/**
 * The question of a blocked session, as its dialog shows it.
 *
 * `options` are the answers that the dialog offers, in its order. `key` names the keys that choose the answer, separated by
 * blanks, as `spool keys` takes them (`1`, `y`, `Esc`, `Down Enter`); null if the screen does not show them.
 */
export const QUESTION = z.strictObject({
  /** The question in one line, in the dialog's own words: `Do you want to proceed?`. */
  text: longText,
  /** The subject: the command, file or address that the dialog shows. */
  subject: longText.optional(),
  options: z.array(z.strictObject({ key: z.string().max(50).nullable(), label: z.string().max(1000) })).max(100),
});

/**
 * A request of an agent that waits for a person, as the status of its session lists it. The events log has the whole request, at
 * `offset`, so that no reader replays a log to show it, to answer it or to notify of it. Keeps REQ-6 on the wire.
 */
export const OPEN_REQUEST = z.strictObject({
  /** The id, unique within the session. */
  request: z.string().max(1000),
  type: z.enum(['permission', 'question']),
  /** The name of the tool, from the agent's protocol; null if it gives none. */
  tool: z.string().max(1000).nullable(),
  /** The digest of everything that is shown. An answer that allows must contain it. */
  digest: z.string().min(1).max(100),
  /** The length of everything that must be shown, as JSON in UTF-8. */
  bytes: offset,
  options: z
    .array(z.strictObject({ id: z.string().max(1000), label: z.string().max(1000), kind: z.enum(OPTION_KINDS) }))
    .max(100),
  /** Whether the request was too large to be kept whole, so that it can only be denied. */
  isCut: z.boolean().optional(),
  /** The offset of the record in the events log that contains the request. */
  offset,
});

/** The usage of an agent's run, by its own reports. */
const RUN_USAGE = z.strictObject({
  /** The cost of the run in US dollars. */
  costUsd: z.number().min(0).optional(),
  /** The used and the whole size of the model's context, in tokens. */
  context: z.strictObject({ used: z.number().min(0), size: z.number().min(0) }).optional(),
});

/** The status that a driver reports of its agent. It decides the status of the session, with confidence 1. */
export const WIRE_STATUS = z.strictObject({
  state: z.enum(['working', 'blocked', 'idle']),
  kind: z.string().max(50).nullable(),
  /** A sentence: `the agent asks for permission`. */
  why: longText,
  activity: longText.nullable(),
  thought: longText.nullable(),
  /** The start of the agent's last message, in one line; absent before there is one. */
  said: longText.optional(),
  usage: RUN_USAGE.optional(),
  /** The start of this state, by the agent's events; absent if no event has its time. A new keeper has no other source. */
  since: timeMs.optional(),
  question: QUESTION.optional(),
  /** The pending requests, the oldest first. `offset` is in the events log. */
  requests: z.array(OPEN_REQUEST).max(REQUESTS_OPEN_MAX).optional(),
});

/** A status in the form for lists: the deciding evidence is one sentence. `explain` has all of it. */
export const STATUS_INFO = z.strictObject({
  state: STATUS_STATE,
  /** The start of this state. */
  since: timeMs,
  /** The source of the evidence that decided. */
  source: STATUS_SOURCE,
  confidence: z.number(),
  why: z.string(),
  /**
   * The kind. Blocked: `permission`, `question`, `trust`, `auth`, `menu`, `confirm`, `password`, `key`, `pager`, …; idle:
   * `prompt` when the screen shows an input line, `done`, `error`, `silence`.
   */
  kind: z.string().nullable(),
  /** The agent whose rules apply: `claude`, `codex`, …, or `shell`. */
  agent: z.string().nullable(),
  /** The activity in one line: `Thinking`, `Bash(npm test)`, `Editing src/x.ts`. */
  activity: z.string().nullable(),
  /** The question of a blocked session, once its screen shows it; absent if it is unknown. */
  question: QUESTION.optional(),
  /** The requests of an agent without a terminal that wait for a person, the oldest first; absent if there are none. */
  requests: z.array(OPEN_REQUEST).optional(),
  /** The program's own description of its thoughts. */
  thought: z.string().nullable(),
  /** The last words of the agent: from its own protocol, or as far as they were on the screen; absent if they are unknown. */
  said: z.string().optional(),
  /** The cost and the context of an agent without a terminal, as far as it reports them. */
  usage: RUN_USAGE.optional(),
  /** The progress in percent. */
  progress: z.number().nullable(),
  offset,
});

/** A noteworthy point that a known tool has reached: `dependencies installed`, `dev server ready`. */
export const MILESTONE = z.strictObject({
  /** The name in the catalogue: `npm-install`, `vite-ready`. */
  name: z.string(),
  /** The title for users: `412 packages installed`. */
  title: z.string(),
  percent: z.number().optional(),
  url: z.string().optional(),
  /** The outcome; `failed` if the tool reports a failure. */
  outcome: z.enum(['ok', 'failed']).optional(),
  /** The byte after the line that reported it. */
  offset,
});
