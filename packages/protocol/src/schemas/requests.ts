/**
 * The requests, described once: validated before they are used, and the source of their types (`messages.ts`). Only the keeper loads
 * this file, so that no client has to load zod. Keeps WIRE-4.
 */
import { z } from 'zod';
import { TILES_MAX } from '../grid.ts';
import { GATEWAY_REQUEST_SCHEMAS } from './gateway.ts';
import {
  COLOURS,
  creditBytes,
  labels,
  longText,
  name,
  offset,
  PROGRAM_SOURCE,
  sessionRef,
  shortText,
  SIZE_POLICY,
  sizeFields,
} from './parts.ts';
import { commandLine, RUN } from './run.ts';
import { SESSION_STATE, WAIT_UNTIL } from './session.ts';
import { STATUS_STATE, WIRE_STATUS } from './status.ts';

/** The maximum length of a line of the events log: a frame of a request holds it, escaped. */
export const EVENTS_LINE_BYTES_MAX = 768 * 1024;

const flag = z.boolean().optional();
const inputKey = z.string().min(1).max(200);
const historyLines = offset.max(100_000).optional();
const graceMs = offset.max(3_600_000).optional();
const patienceMs = offset.max(600_000).optional();
const channel = z.strictObject({ channel: offset });
const oneSession = z.strictObject({ session: sessionRef });

/** The conditions of a list, which must all be true. */
export const LIST_FILTER = z.strictObject({
  states: z.array(SESSION_STATE).optional(),
  /** The exact name. */
  name: shortText.optional(),
  /** The required labels, with these values. */
  labels: labels.optional(),
  isTask: flag,
  /** The texts of which the name contains at least one, ignoring case. */
  nameContains: z.array(shortText).optional(),
  /** The required labels, with any values. */
  labelKeys: z.array(name).optional(),
  /** The accepted statuses of a running session. */
  statuses: z.array(STATUS_STATE).optional(),
  /** The accepted agents, as named in the status. */
  agents: z.array(shortText).optional(),
});

export const LIST_OPTIONS = LIST_FILTER.extend({
  /** The order by the time of the start (default: `oldest` first). */
  order: z.enum(['oldest', 'newest']).optional(),
  /** The maximum number of sessions. */
  limit: z.int().min(1).optional(),
});

export const TILE = z.strictObject({
  session: sessionRef,
  /** The last grid that the client received. */
  seen: z.strictObject({ offset, stamp: z.string().max(64) }).optional(),
});

/** The start of a watch: an offset, the first byte that is kept, the end, or this many bytes before the end. */
export const WATCH_FROM = z.union([offset, z.enum(['start', 'end']), z.strictObject({ tailBytes: offset })]);

/** The start of a watch of the events log. `lineAt`: the watch begins with the line that contains this offset. */
export const EVENTS_FROM = z.union([offset, z.enum(['start', 'end']), z.strictObject({ lineAt: offset })]);

/**
 * The format of a screen. `snapshot`: bytes, in base64, that bring a terminal to the session's state, so that output can continue
 * from there.
 */
export const SCREEN_FORMAT = z.enum(['text', 'ansi', 'html', 'json', 'snapshot']);

/**
 * The schemas. `strictObject` is for requests in which a field of a later version would change the effect or the selection, so a
 * daemon that does not know it must not act (decision 030). `object` is for requests in which such a field only changes the
 * presentation, and is ignored.
 */
export const REQUEST_SCHEMAS = {
  run: RUN,
  /**
   * Lists sessions in pages: a frame has a limit, the number of sessions has none. `next` is the `after` of the next page, and
   * null when there are no more or `limit` is reached. `matching` is the total number.
   */
  list: z.strictObject({ after: sessionRef.optional(), ...LIST_OPTIONS.shape }),
  get: oneSession,
  /** Watches a session: output frames and watch events follow on this request's channel, until `unwatch` or the end. */
  watch: z.object({ session: sessionRef, from: WATCH_FROM, creditBytes, inside: shortText.optional() }),
  /**
   * Attaches a viewer: first a `snapshot` frame, which paints the screen as it was at its offset, then output from there on, as
   * for `watch`. A viewer that falls far behind, or late, gets another snapshot instead of the backlog. `size` (not from a
   * read-only viewer) is applied after the snapshot. With `from`, a viewer that lost its link continues where it was.
   *
   * Input typed here (`FrameFlag.typed`, on this channel) has an offset too, in the stream `typing`: the answer contains the
   * offset that arrived before a broken link (`typedOffset`), so that it is sent again exactly from there.
   */
  attach: z.object({
    session: sessionRef,
    creditBytes,
    from: offset.optional(),
    size: z.object(sizeFields).optional(),
    isReadOnly: flag,
    /** Whether the other viewers that may type are detached. */
    takeover: flag,
    historyLines,
    colours: COLOURS.optional(),
    /**
     * Whether the viewer is sent every size, because it paints at the size of the session: before each snapshot the size of
     * that snapshot, and each change, including its own.
     */
    followsSize: flag,
    /** The delay after which the viewer gets a snapshot instead of the backlog (default: when it is a megabyte behind). */
    lateMs: offset.max(3_600_000).optional(),
    /** Whether it was attached before the link broke, so that no size has changed. */
    isReattach: flag,
    /** The session in whose terminal the client shows this one: refused if that session is shown in this one. */
    inside: shortText.optional(),
    /** The input stream, chosen by the client, once for each attachment. */
    typing: z.string().min(8).max(32),
  }),
  /** Reports that a viewer's size or focus has changed, or that its terminal has reported its colours. */
  view: z.object({
    channel: offset,
    size: z.object(sizeFields).optional(),
    isFocused: flag,
    colours: COLOURS.optional(),
    /** Whether the viewer's screen is no longer valid, after a change of size for instance. */
    wantsSnapshot: z.literal(true).optional(),
    /** The number of lines above the screen in the snapshot (default: 0). */
    historyLines,
  }),
  /** Returns the screen as a user saw it, now or at any offset or time. */
  screen: z.strictObject({
    session: sessionRef,
    /** The moment (default: now). */
    at: z.union([z.strictObject({ offset }), z.strictObject({ time: z.number() })]).optional(),
    format: SCREEN_FORMAT,
    /** The number of lines above the screen to include. */
    historyLines,
  }),
  /** Returns, for miniatures, the screens of these sessions that have changed since they were last seen, and their changed rows. */
  grids: z.strictObject({ tiles: z.array(TILE).max(TILES_MAX) }),
  /** Returns times, resizes, streams and gaps from an offset on, in pages. */
  marks: z.strictObject({ session: sessionRef, from: offset }),
  /** Returns the offset that a session's log had reached at a time. */
  offsetAt: z.strictObject({ session: sessionRef, time: z.number() }),
  update: z.strictObject({
    session: sessionRef,
    name: name.optional(),
    labels: labels.optional(),
    sizePolicy: SIZE_POLICY.optional(),
  }),
  unwatch: channel,
  resize: z.strictObject({ session: sessionRef, ...sizeFields }),
  /** Stops a session; answered when it has ended and none of its processes is left. */
  stop: z.strictObject({
    session: sessionRef,
    graceMs,
    /**
     * Whether processes that were started in the session and serve others are ended too, such as an agent's service for all its
     * terminals.
     */
    withServices: flag,
  }),
  kill: oneSession,
  /** Sends one signal to the child's process group, without further effects. */
  signal: z.strictObject({
    session: sessionRef,
    signal: z.string().regex(/^SIG[A-Z0-9+-]+$/, 'must be the name of a signal, such as SIGTERM'),
  }),
  /** Closes the child's standard input (pipes only). */
  closeInput: oneSession,
  remove: z.strictObject({ session: sessionRef, force: flag }),
  /**
   * Waits; answered when the first of `until` (default: `exit`) is true, at once if it already is. With `after`, only events
   * beyond that offset count. `exit` always ends a wait, because no event can follow it.
   */
  wait: z.strictObject({
    session: sessionRef,
    until: z.array(WAIT_UNTIL).min(1).max(5).optional(),
    /** The offset after which events count: for instance the offset that `prompt` returned. */
    after: offset.optional(),
    /** The offset after which `output` counts (default: `after`, or the present). */
    outputAfter: offset.optional(),
    /** Whether `exit` of a session that is being ended is reported only when no process of the tree is left. */
    wholeTree: flag,
  }),
  /**
   * Answers the question of a session: `question` and `option` (its label) as in the status. Each key is pressed only after a
   * look at the screen that still shows this question; `isConfirmed` when the question is gone afterwards.
   */
  answer: z.strictObject({
    session: sessionRef,
    question: z.strictObject({ text: longText, subject: longText.optional() }),
    option: longText,
    /** The time within which the question must disappear (default: 3 s). */
    confirmMs: patienceMs,
  }),
  /**
   * Types a prompt as a careful user would: a paste (bracketed if the program has enabled that), a pause, Enter by itself; then
   * checks whether the session accepted it. Without `force`, it is refused while the session is blocked, because Enter would
   * answer its question, and while its input line contains text, which would be submitted too. An agent that starts is awaited
   * for up to `readyMs` (default: 30 s). Control characters are refused, and so are several lines if the program would run each
   * of them. `clear` clears the input line first. With a `key`, the same prompt requested twice is typed once.
   */
  prompt: z.strictObject({
    session: sessionRef,
    text: z
      .string()
      .min(1)
      .max(256 * 1024),
    /** The key; the same prompt with the same key is typed once. */
    key: inputKey.optional(),
    /** Whether to type even if the session waits for a decision (Enter then answers it), or if its input line contains text. */
    force: flag,
    /** Whether to clear the input line first. */
    clear: flag,
    /** The time to wait for a reaction (default: 3 s; 15 s for agents). */
    confirmMs: patienceMs,
    /** The time to wait for an agent that starts (default: 30 s). */
    readyMs: patienceMs,
  }),
  /** Types input once, however often it is sent: `key` identifies it, and repeated input is not typed. */
  type: z.strictObject({ session: sessionRef, key: inputKey, base64: z.base64('must be base64').max(512 * 1024) }),
  /**
   * Watches the events log of an agent as `watch` does the output: bytes of NDJSON with offsets, and the end once the driver is
   * done.
   */
  watchEvents: z.strictObject({ session: sessionRef, from: EVENTS_FROM, creditBytes }),
  /**
   * Appends a command to the events log, where the driver finds it: the log has the one decisive order. A repeated id is not
   * appended again. The outcome is an event.
   */
  command: z.strictObject({ session: sessionRef, ...commandLine }),
  /**
   * The session's driver appends one line at `end`; fails with EVENTS_MOVED if the log ends elsewhere. `isLast`: the session has
   * ended, and no line follows.
   */
  appendEvents: z.strictObject({
    session: sessionRef,
    end: offset,
    line: z
      .string()
      .max(EVENTS_LINE_BYTES_MAX)
      .refine((text) => !text.includes('\n'), 'must be one line')
      .optional(),
    status: WIRE_STATUS.optional(),
    /** The offset up to which the output has been processed. */
    consumed: offset,
    isLast: flag,
  }),
  /** A driver stores a state from which the next one can continue. Only drivers interpret its content. */
  putCheckpoint: z.strictObject({ session: sessionRef, base64: z.base64('must be base64').max(EVENTS_LINE_BYTES_MAX) }),
  /** Returns null if there is no valid checkpoint. */
  getCheckpoint: oneSession,
  /** Returns the status with all its evidence, and its history. */
  explain: oneSession,
  /**
   * Subscribes to events on this request's channel, until `unwatch`: of these sessions and these types (default: all but
   * `session-summary`).
   */
  events: z.strictObject({
    sessions: z.array(sessionRef).max(1000).optional(),
    types: z.array(z.string().max(50)).max(50).optional(),
  }),
  /**
   * Subscribes to output as text, in `WORKER_OUTPUT` events on this request's channel, until `UNSUBSCRIBE_WORKER_OUTPUT`. By
   * name, this is the output of the session that has the name, from `from` (default: the present), and of each later one from its
   * first byte; the agent need not exist yet, and `*` is every session. By id, or with `wait: false`, it is the output of one
   * session, until its end. This is for clients that want text and no bytes; the SDK's `watchText` offers more.
   */
  SUBSCRIBE_WORKER_OUTPUT: z.strictObject({
    agent: sessionRef.min(1, 'must name an agent'),
    from: offset.optional(),
    wait: flag,
    flushMs: offset.max(60_000).optional(),
    maxBytes: z
      .int()
      .min(16)
      .max(64 * 1024)
      .optional(),
    chunking: z.enum(['raw', 'line', 'semantic']).optional(),
    ansi: z.enum(['keep', 'strip', 'text']).optional(),
  }),
  UNSUBSCRIBE_WORKER_OUTPUT: channel,
  status: z.strictObject({}),
  /**
   * Replaces one process of the daemon by a new one, with the code now on disk. Sessions continue. With `back`, a reason, the keeper is
   * replaced by one of the program before.
   */
  renew: z.strictObject({
    part: z.enum(['holder', 'keeper']),
    program: PROGRAM_SOURCE.optional(),
    back: z.string().max(2000).optional(),
  }),
  /** Sends a notification to every configured channel now, and reports the outcomes (`trouble`: null when delivered). */
  testNotification: z.strictObject({}),
  ...GATEWAY_REQUEST_SCHEMAS,
  /** Stops every session, then the daemon; answered before the last step. */
  shutdown: z.strictObject({ graceMs }),
};
