/** The messages of the wire: sessions, requests and answers, events. */

import type { DoorRequests, GatewayInfo } from './doors.ts';
import type { NoticeOutcome } from './notices.ts';
import type { ErrorCode } from './errors.ts';
import type { ProcessIdentity } from './escrow.ts';
import type { Grid, TileAsk } from './grid.ts';
import type { Limits } from './limits.ts';
import type { ListOptions } from './listing.ts';
import type { Question } from './question.ts';
import type { HistoryItem, Milestone, Status, StatusInfo } from './status.ts';
import type { TaskEvent } from './task.ts';

export const PROTOCOL_VERSION = 1;

/** The one version of everything here; a test compares it with package.json. */
export const VERSION = '0.1.0';

/**
 * `running`, and then one of: `exited` (by itself, 0), `failed` (by itself, not 0), `stopped` and `killed` (on
 * request), `lost` (the whole daemon died, and the end was not seen).
 */
export type SessionState = 'running' | 'exited' | 'failed' | 'stopped' | 'killed' | 'lost';

/**
 * Whose size a terminal takes when several viewers are attached: the one that last attached, typed or resized; the
 * smallest; the largest; or none.
 */
export type SizePolicy = 'latest' | 'smallest' | 'largest' | 'fixed';

/** A client attached to a session. */
export interface Viewer {
  /** The client's name for itself: `cli pid 4711`. */
  readonly who: string;
  readonly size: Size | null;
  readonly isReadOnly: boolean;
  readonly since: number;
}

/** Colours of the attached terminal, as `#rrggbb`; queries of the child are answered with them. */
export interface TerminalColours {
  readonly foreground?: string | undefined;
  readonly background?: string | undefined;
  readonly cursor?: string | undefined;
}

/** An event at an offset of the log. */
export type LogMarkInfo =
  | { readonly type: 'time'; readonly offset: number; readonly at: number }
  | {
      readonly type: 'resize';
      readonly offset: number;
      readonly at: number;
      readonly cols: number;
      readonly rows: number;
    }
  | { readonly type: 'stream'; readonly offset: number; readonly at: number; readonly stream: 'stdout' | 'stderr' }
  | { readonly type: 'gap'; readonly offset: number; readonly at: number; readonly bytes: number };

/**
 * The lines that are kept above a screen; the log has everything. xterm's own default, so that a page and its model
 * reflow the same lines when the size changes.
 */
export const SCROLLBACK_LINES = 1000;

/** `snapshot`: bytes, in base64, that bring a terminal to the session's state, so that output can continue from there. */
export type ScreenFormat = 'text' | 'ansi' | 'html' | 'json' | 'snapshot';

/** `owner`: the process that it was tied to is gone. */
export type EndedBy = 'stop' | 'kill' | 'timeout' | 'owner';

/** Who started a session. */
export interface StartedBy {
  /** The client's name for itself: `node 4711`. */
  readonly who: string;
  /** The processes on whose behalf it was started, as they identified themselves; usually one. */
  readonly owners: readonly ProcessIdentity[];
  /** It is stopped when one of them is gone. */
  readonly isTied: boolean;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
  readonly widthPx?: number | undefined;
  readonly heightPx?: number | undefined;
}

export interface SessionInfo {
  readonly id: string;
  readonly name: string;
  readonly state: SessionState;
  /** Null while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  /** `SIGTERM`, …; null while it runs, and when it ended by itself. */
  readonly signal: string | null;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The next byte's offset: how much the child has written in total. */
  readonly offset: number;
  /** The first byte that is still kept. */
  readonly firstOffset: number;
  /** Its first 16 KiB; a cut command ends with an ellipsis. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Null for a session on pipes. */
  readonly size: Size | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly watchers: number;
  /** Who ended it: `timeout` is the session's own limit. Null while it runs, or when it ended by itself. */
  readonly endedBy: EndedBy | null;
  readonly sizePolicy: SizePolicy;
  readonly viewers: readonly Viewer[];
  /** The client that typed last, and when. `events` tells each change. */
  readonly typed: { readonly who: string; readonly at: number } | null;
  /** Why the log is incomplete or not growing, in a sentence; null when all is well. */
  readonly trouble: string | null;
  /** What it is doing, as far as is known. */
  readonly status: StatusInfo;
  /** The last one that was reached. */
  readonly milestone: Milestone | null;
  /** As the program set it. */
  readonly title: string;
  /** When the child last wrote something; null when it never has. */
  readonly lastOutputAt: number | null;
  /** It is a task: see `TaskInfo`. */
  readonly isTask: boolean;
  /** The name that the task was started with; several may have the same. Null: the session's name. */
  readonly taskName: string | null;
  /** It is stopped when it runs longer; null: no limit. */
  readonly timeoutMs: number | null;
  /** Null for a session of an older version. */
  readonly startedBy: StartedBy | null;
  /** Only of an agent without a terminal: its driver. */
  readonly driver?: DriverInfo | undefined;
}

/**
 * The driver of an agent: reads the agent's own protocol from the output log and appends to the events log. `failed`: it
 * kept crashing and was given up; the next command starts it again. `done`: the session has ended, and so has its events log.
 */
export interface DriverInfo {
  readonly name: string;
  readonly state: 'running' | 'failed' | 'done';
  readonly options?: AgentStartOptions | undefined;
  readonly resumes?: AgentResumed | undefined;
  /** The start and end of the events log. */
  readonly firstOffset: number;
  readonly offset: number;
}

/** What a driver says about its agent. It decides the status of the session, with confidence 1. */
export interface WireStatus {
  readonly state: 'working' | 'blocked' | 'idle';
  readonly kind: string | null;
  /** A sentence: `the agent asks for permission`. */
  readonly why: string;
  readonly activity: string | null;
  readonly thought: string | null;
  readonly question?: Question | undefined;
}

/** Something that a client wants of an agent: JSON that only the agent's driver reads. */
export interface AgentCommandLine {
  /** Chosen by the client: the same id again is not a second command. */
  readonly id: string;
  readonly command: Readonly<Record<string, unknown>>;
}

export interface AgentStartOptions {
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  /** The agent's own session, to go on with it. */
  readonly resume?: string | undefined;
}

/** What an agent goes on with. No two running sessions go on with the same: both would write to it. */
export interface AgentResumed {
  /** The agent's own session, by its id. */
  readonly agentSession: string;
  /** The session that had it before and has ended. */
  readonly session?: string | undefined;
}

/** An agent without a terminal: the child speaks its own protocol on pipes. */
export interface AgentRun {
  /** The name of its driver: `claude`, `codex`, …. */
  readonly name: string;
  /** Its first commands, in order. */
  readonly commands?: readonly AgentCommandLine[] | undefined;
  /** What its driver tells the agent at the start. */
  readonly options?: AgentStartOptions | undefined;
  readonly resumes?: AgentResumed | undefined;
  /** It serves HTTP: the daemon starts it through a bridge, which carries its events and calls on pipes. */
  readonly bridge?: 'http' | undefined;
}

/** What to start. The client sends everything; nothing comes from the daemon's own environment. */
export interface RunRequest {
  /** Chosen by the client, so that a `run` sent again after a broken link starts nothing twice. */
  readonly id: string;
  /** Empty, with `base`: the shell of the daemon's user. */
  readonly command: readonly string[];
  /** An absolute path; with `base` also one in the home folder of the daemon's user: `~`, `~/src`. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * `daemon`: the caller is on another machine, where its own environment makes no sense. The session gets that of the
   * daemon's user, and `env` on top (default: `env` is all of it).
   */
  readonly base?: 'daemon' | undefined;
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** A terminal of this size; without it the child is on pipes. */
  readonly size?: Size | undefined;
  readonly umask?: number | undefined;
  /** The soft limit of open files; takes precedence over `limits`. */
  readonly nofileSoft?: number | undefined;
  /** The child's limits, as far as the daemon may set them. */
  readonly limits?: Limits | undefined;
  /** -20 to 19. If the daemon may not set it, the child gets the daemon's own. */
  readonly nice?: number | undefined;
  /** Ends the session (as `stop` does) when it runs longer. */
  readonly timeoutMs?: number | undefined;
  /** Ends the session (as `stop` does) when it has written nothing, was typed nothing and has used no CPU time for this long. */
  readonly idleTimeoutMs?: number | undefined;
  readonly sizePolicy?: SizePolicy | undefined;
  /** False: the terminal does not repeat its input, because a program writes it (default: true). */
  readonly echo?: boolean | undefined;
  readonly retainBytes?: number | undefined;
  readonly retainMs?: number | undefined;
  /** A task: its start and end are also reported as task events. */
  readonly isTask?: boolean | undefined;
  /** The processes on whose behalf it is started: the client's own, or the one that called it. */
  readonly owners?: readonly ProcessIdentity[] | undefined;
  /** Stops the session when one of its owners is gone (default: it survives them). */
  readonly whileOwner?: boolean | undefined;
  /** The client's name. Set by the keeper. */
  readonly startedBy?: string | undefined;
  /** The name that was asked for, if `name` was taken. Set by the keeper. */
  readonly taskName?: string | undefined;
  /** The colours of the terminal that starts it: the child's first colour queries are answered with them. */
  readonly colours?: TerminalColours | undefined;
  /** An agent on pipes, with a driver and a second log. */
  readonly agent?: AgentRun | undefined;
}

/**
 * The condition of a wait. `idle`, `blocked`: the status. `prompt`: idle, and the screen shows where to type. `output`:
 * anything is written.
 */
export type WaitUntil = 'exit' | 'idle' | 'blocked' | 'prompt' | 'output';

/** Why a wait ended. */
export interface Waited {
  readonly reason: WaitUntil;
  /** The end of the log at that time. */
  readonly offset: number;
  readonly session: SessionInfo;
}

/** The result of a prompt. */
export interface Prompted {
  /** True when the session reacted: it works, asks back, ended, or the text has left its input line. */
  readonly isConfirmed: boolean;
  readonly reaction: 'working' | 'blocked' | 'exited' | 'screen' | 'output' | null;
  /** The end of the log when Enter was pressed: `wait` with `after` waits for the reaction. */
  readonly offset: number;
  /** True when a prompt with the same key had been typed before: nothing was typed now. */
  readonly isRepeated: boolean;
  readonly session: SessionInfo;
}

/** Where a watch starts: an offset, the first byte that is kept, the end, or this many bytes before the end. */
export type WatchFrom = number | 'start' | 'end' | { readonly tailBytes: number };

/** Where a watch of the events log starts. */
export type EventsFrom = number | 'start' | 'end' | { readonly lineAt: number };

/** Requests, and their answers. A session is named by id, unique id prefix, or name; '' is the latest. */
export interface Requests extends DoorRequests {
  run: { ask: RunRequest; answer: SessionInfo };
  /**
   * In pages: a frame has a limit, the number of sessions has none. `next` is the `after` of the next page, and null
   * when there are no more or `limit` is reached. `matching` is the total number.
   */
  list: {
    ask: ListOptions & { readonly after?: string | undefined };
    answer: {
      readonly sessions: readonly SessionInfo[];
      readonly next: string | null;
      readonly matching?: number | undefined;
    };
  };
  get: { ask: { readonly session: string }; answer: SessionInfo };
  /** Then output frames and watch events on this request's channel, until `unwatch` or the end. */
  watch: {
    ask: {
      readonly session: string;
      readonly from: WatchFrom;
      readonly creditBytes: number;
      readonly inside?: string | undefined;
    };
    answer: { readonly id: string; readonly from: number; readonly offset: number };
  };
  /**
   * For viewers: first a `snapshot` frame, which paints the screen as it was at its offset, then output from there on,
   * as for `watch`. A viewer that falls far behind, or late, gets another snapshot instead of the backlog. `size` (not from a
   * read-only viewer) is applied after the snapshot. With `from`, a viewer that lost its link continues where it was.
   *
   * Input typed here (`FrameFlag.typed`, on this channel) has an offset too, in the stream `typing`: the answer says
   * how much of it arrived before a broken link (`typedOffset`), so it is sent again exactly from there.
   */
  attach: {
    ask: {
      readonly session: string;
      readonly creditBytes: number;
      readonly from?: number | undefined;
      readonly size?: Size | undefined;
      readonly isReadOnly?: boolean | undefined;
      /** Detaches the other viewers that may type. */
      readonly takeover?: boolean | undefined;
      readonly historyLines?: number | undefined;
      readonly colours?: TerminalColours | undefined;
      /**
       * The viewer paints whatever size the session has, so it is sent every size: before each snapshot the size that
       * the snapshot was taken at, and each change, including its own.
       */
      readonly followsSize?: boolean | undefined;
      /** Beyond this delay, the viewer gets a snapshot instead of the backlog (default: when it is a megabyte behind). */
      readonly lateMs?: number | undefined;
      /** It was attached before the link broke: nothing about sizes has changed. */
      readonly isReattach?: boolean | undefined;
      /** The session in whose terminal the client shows it: refused if that session is shown in this one. */
      readonly inside?: string | undefined;
      /** Chosen by the client, once for each attachment. */
      readonly typing: string;
    };
    answer: { readonly id: string; readonly size: Size | null; readonly typedOffset: number };
  };
  /** A viewer's size or focus has changed, or its terminal has reported its colours. */
  view: {
    ask: {
      readonly channel: number;
      readonly size?: Size | undefined;
      readonly isFocused?: boolean | undefined;
      readonly colours?: TerminalColours | undefined;
      /** The viewer's screen is no longer valid, after a change of size for instance. */
      readonly wantsSnapshot?: true | undefined;
      /** The lines above the screen that the snapshot is to have (default: 0). */
      readonly historyLines?: number | undefined;
    };
    answer: Record<never, never>;
  };
  /** The screen as a user saw it, now or at any offset or time. */
  screen: {
    ask: {
      readonly session: string;
      readonly at?: { readonly offset: number } | { readonly time: number } | undefined;
      readonly format: ScreenFormat;
      readonly historyLines?: number | undefined;
    };
    answer: {
      readonly id: string;
      readonly offset: number;
      /** When the last byte before that offset was written. */
      readonly at: number;
      readonly cols: number;
      readonly rows: number;
      /** False when a flood was skipped to reach the present. */
      readonly isExact: boolean;
      /** Output that the log has lost, so that the screen was painted without it; missing from an older keeper. */
      readonly missingBytes?: number;
      readonly title: string;
      readonly content: string;
    };
  };
  /** For miniatures: the screens of these sessions that have changed since they were last seen, and their changed rows. */
  grids: {
    ask: { readonly tiles: readonly TileAsk[] };
    answer: { readonly grids: readonly Grid[] };
  };
  /** Times, resizes, streams and gaps from an offset on, in pages. */
  marks: {
    ask: { readonly session: string; readonly from: number };
    answer: { readonly marks: readonly LogMarkInfo[]; readonly next: number | null };
  };
  /** The offset that a session's log had reached at a time. */
  offsetAt: { ask: { readonly session: string; readonly time: number }; answer: { readonly offset: number } };
  update: {
    ask: {
      readonly session: string;
      readonly name?: string | undefined;
      readonly labels?: Readonly<Record<string, string>> | undefined;
      readonly sizePolicy?: SizePolicy | undefined;
    };
    answer: SessionInfo;
  };
  unwatch: { ask: { readonly channel: number }; answer: Record<never, never> };
  resize: { ask: { readonly session: string } & Size; answer: SessionInfo };
  /** Answered when the session has ended and none of its processes is left. */
  stop: { ask: { readonly session: string; readonly graceMs?: number | undefined }; answer: SessionInfo };
  kill: { ask: { readonly session: string }; answer: SessionInfo };
  /** Sends one signal to the child's process group, and nothing more. */
  signal: { ask: { readonly session: string; readonly signal: string }; answer: SessionInfo };
  /** Closes the child's standard input (pipes only). */
  closeInput: { ask: { readonly session: string }; answer: Record<never, never> };
  remove: { ask: { readonly session: string; readonly force?: boolean | undefined }; answer: SessionInfo };
  /**
   * Answered when the first of `until` (default: `exit`) holds, at once if it holds already. With `after`, only what
   * happens beyond that offset counts. `exit` always ends a wait, because nothing can come after it.
   */
  wait: {
    ask: {
      readonly session: string;
      readonly until?: readonly WaitUntil[] | undefined;
      readonly after?: number | undefined;
      /** `output` counts beyond this offset (default: `after`, or the present). */
      readonly outputAfter?: number | undefined;
      /** For a session that is being ended, `exit` is reported when no process of the tree is left. */
      readonly wholeTree?: boolean | undefined;
    };
    answer: Waited;
  };
  /**
   * Types a prompt as a careful user would: a paste (bracketed if the program has enabled that), a pause, Enter by
   * itself; then checks whether the session reacted. Without `force`, it is refused while the session is blocked,
   * because Enter would answer its question, and while its input line contains text, which would be submitted too.
   * `clear` clears the input line first. With a `key`, the same prompt requested twice is typed once.
   */
  prompt: {
    ask: {
      readonly session: string;
      readonly text: string;
      readonly key?: string | undefined;
      readonly force?: boolean | undefined;
      readonly clear?: boolean | undefined;
      readonly confirmMs?: number | undefined;
    };
    answer: Prompted;
  };
  /**
   * Answers the question of a session: `question` and `option` (its label) as the status has them. Each key is pressed only
   * after a look at the screen that still shows this question; `isConfirmed` when the question is gone afterwards.
   */
  answer: {
    ask: {
      readonly session: string;
      readonly question: { readonly text: string; readonly subject?: string | undefined };
      readonly option: string;
      readonly confirmMs?: number | undefined;
    };
    answer: { readonly isConfirmed: boolean; readonly offset: number; readonly session: SessionInfo };
  };
  /** Input that arrives once, however often it is sent: `key` identifies it, and nothing is typed if it was typed before. */
  type: {
    ask: { readonly session: string; readonly key: string; readonly base64: string };
    answer: { readonly isRepeated: boolean };
  };
  /**
   * Watches the events log of an agent as `watch` does the output: bytes of NDJSON with offsets, and the end once the driver
   * is done. `lineAt`: it begins with the line that contains this offset.
   */
  watchEvents: {
    ask: { readonly session: string; readonly from: EventsFrom; readonly creditBytes: number };
    answer: { readonly id: string; readonly from: number; readonly offset: number };
  };
  /**
   * Appends a command to the events log, where the driver finds it: everything that decides is in one order. The same id
   * again appends nothing. The outcome is an event.
   */
  command: {
    ask: { readonly session: string } & AgentCommandLine;
    answer: { readonly offset: number; readonly isRepeated: boolean };
  };
  /**
   * From the session's driver: appends one line at `end`, or fails with EVENTS_MOVED when the log ends elsewhere. `isLast`:
   * the session has ended, and nothing follows.
   */
  appendEvents: {
    ask: {
      readonly session: string;
      readonly end: number;
      readonly line?: string | undefined;
      readonly status?: WireStatus | undefined;
      /** The output is understood up to this offset. */
      readonly consumed: number;
      readonly isLast?: boolean | undefined;
    };
    answer: { readonly offset: number };
  };
  /** From a driver, for the next one: where it can go on. What is in it is the drivers' business. */
  putCheckpoint: { ask: { readonly session: string; readonly base64: string }; answer: Record<string, never> };
  /** Null when there is none that is whole. */
  getCheckpoint: { ask: { readonly session: string }; answer: { readonly base64: string | null } };
  /** The status with all its evidence, and its history. */
  explain: {
    ask: { readonly session: string };
    answer: { readonly id: string; readonly status: Status; readonly history: readonly HistoryItem[] };
  };
  /** Then events on this request's channel, until `unwatch`: of these sessions and these types (default: all but `session-summary`). */
  events: {
    ask: { readonly sessions?: readonly string[] | undefined; readonly types?: readonly string[] | undefined };
    answer: Record<never, never>;
  };
  /**
   * Output as text, in `WORKER_OUTPUT` events on this request's channel, until `UNSUBSCRIBE_WORKER_OUTPUT`. By name: of the
   * session that has the name, from `from` (default: the present), and of each later one from its first byte; the agent
   * need not exist yet, and `*` is every session. By id, or with `wait: false`: of one session, until its end. For clients that want text and no bytes; the SDK's `watchText` offers
   * more.
   */
  SUBSCRIBE_WORKER_OUTPUT: {
    ask: {
      readonly agent: string;
      readonly from?: number | undefined;
      readonly wait?: boolean | undefined;
      readonly flushMs?: number | undefined;
      readonly maxBytes?: number | undefined;
      readonly chunking?: 'raw' | 'line' | 'semantic' | undefined;
      readonly ansi?: 'keep' | 'strip' | 'text' | undefined;
    };
    /** `id` is null while no session has the name, and for `*`. */
    answer: { readonly id: string | null; readonly offset: number };
  };
  UNSUBSCRIBE_WORKER_OUTPUT: { ask: { readonly channel: number }; answer: Record<never, never> };
  status: { ask: Record<never, never>; answer: DaemonStatus };
  /** Stops every session, then the daemon; answered before the last step. */
  /** Replaces one process of the daemon by a new one, with the code now on disk. Sessions continue. */
  renew: { ask: { readonly part: 'holder' | 'keeper' }; answer: Record<never, never> };
  /** Sends a notification to every configured channel now, and reports what became of it (`trouble`: null when delivered). */
  testNotification: {
    ask: Record<never, never>;
    answer: {
      readonly outcomes: readonly NoticeOutcome[];
      /** Quiet hours: a real notification would not be sent to these channels now. */
      readonly isQuiet: boolean;
    };
  };
  shutdown: { ask: { readonly graceMs?: number | undefined }; answer: Record<never, never> };
}

export type Op = keyof Requests;

/** 23 days: near the longest possible timer. */
export const TIMEOUT_MS_MAX = 2_000_000_000;

/** Sent on a watch's channel, in order with its output. */
export type WatchEvent =
  /** These bytes were requested and are gone; the next output starts at `to`. */
  | {
      readonly type: 'gap';
      readonly from: number;
      readonly to: number;
      readonly reason: 'retention' | 'disk' | 'damaged';
    }
  /** Everything that existed when the watch started has been sent. */
  | { readonly type: 'synced'; readonly offset: number }
  | { readonly type: 'resized'; readonly offset: number; readonly cols: number; readonly rows: number }
  /** The end: nothing follows. */
  | {
      readonly type: 'exit';
      readonly offset: number;
      readonly state: SessionState;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  /** Attached only: the queue was full; input before `offset` that is not confirmed was not taken. */
  | { readonly type: 'input-refused'; readonly offset: number; readonly code: ErrorCode }
  /** Attached only: the viewers, whenever they change. */
  | { readonly type: 'viewers'; readonly viewers: readonly Viewer[] }
  /** Attached only: another session needs attention. */
  | {
      readonly type: 'notice';
      readonly session: string;
      readonly name: string;
      readonly title: string;
      readonly body: string;
    }
  /** Attached only: another viewer took over; nothing follows. */
  | { readonly type: 'taken-over'; readonly by: string }
  /** The session was removed while it was being watched: nothing follows. */
  | { readonly type: 'removed' };

/** Sent to clients that requested `events`. */
export type DaemonEvent =
  | { readonly type: 'session-started'; readonly at: number; readonly session: SessionInfo }
  | { readonly type: 'session-exited'; readonly at: number; readonly session: SessionInfo }
  | {
      readonly type: 'session-resized';
      readonly at: number;
      readonly id: string;
      readonly cols: number;
      readonly rows: number;
    }
  | { readonly type: 'session-removed'; readonly at: number; readonly id: string }
  /** `name` is the new name, `offset` the end of its log at that time. */
  | {
      readonly type: 'session-renamed';
      readonly at: number;
      readonly id: string;
      readonly name: string;
      readonly before: string;
      readonly offset: number;
    }
  /** What is known of a session at its end, after `session-exited`. Only for clients that name this type: it is read for them. */
  | {
      readonly type: 'session-summary';
      readonly at: number;
      readonly id: string;
      readonly reason: 'end';
      readonly summary: Pick<SessionInfo, 'name' | 'state' | 'exitCode' | 'signal' | 'startedAt' | 'endedAt'> & {
        readonly durationMs: number;
        readonly milestones: readonly (Milestone & { readonly at: number })[];
        /** The last ones with letters. */
        readonly lastLines: readonly string[];
      };
    }
  /** A client began to type: another one than before, or the same after a long pause. */
  | { readonly type: 'session-typed'; readonly at: number; readonly id: string; readonly who: string }
  | { readonly type: 'session-status'; readonly at: number; readonly id: string; readonly status: StatusInfo }
  | ({ readonly type: 'milestone'; readonly at: number; readonly id: string } & Milestone)
  /** What the program reported: its title, its folder, the start or end of a command, progress, a bell, a message. */
  | {
      readonly type: 'session-osc';
      readonly at: number;
      readonly id: string;
      readonly offset: number;
      readonly fact: { readonly type: string } & Readonly<Record<string, unknown>>;
    }
  /** The session needs attention: it is blocked, failed or has ended, and has no viewer. */
  | {
      readonly type: 'notification';
      readonly at: number;
      readonly id: string;
      readonly name: string;
      /** `test`: not sent as an event; a command or a webhook gets it from `spool notify test`. */
      readonly about: 'blocked' | 'exit' | 'failure' | 'health' | 'command' | 'test';
      readonly title: string;
      readonly body: string;
    }
  | TaskEvent
  | {
      readonly type: 'log-failed';
      readonly at: number;
      readonly id: string;
      readonly offset: number;
      readonly error: string;
    }
  | {
      readonly type: 'log-recovered';
      readonly at: number;
      readonly id: string;
      readonly from: number;
      readonly to: number;
    };

/** Sent on the channel of `SUBSCRIBE_WORKER_OUTPUT`. */
export type WorkerOutputEvent =
  | {
      readonly type: 'WORKER_OUTPUT';
      readonly agent: string;
      /** Of the session. */
      readonly id: string;
      readonly data: string;
      /** When its first byte came, in milliseconds since 1970. */
      readonly ts: number;
      /** Of its first byte, and after its last: a broken subscription continues from there. */
      readonly offset: number;
      readonly end: number;
      /** Of a session on pipes, when it is not standard output. */
      readonly stream?: 'stderr';
    }
  /** These bytes are no longer kept. */
  | { readonly type: 'gap'; readonly id: string; readonly from: number; readonly to: number }
  /** The session has ended, or was removed: nothing follows of it. A subscription by name goes on with the next one. */
  | { readonly type: 'end'; readonly id: string; readonly offset: number };

export interface DaemonStatus {
  readonly version: string;
  readonly protocol: number;
  readonly home: string;
  readonly socket: string;
  readonly startedAt: number;
  readonly sessions: { readonly running: number; readonly ended: number };
  /** Whether sessions survive the death of the keeper. */
  readonly escrow: boolean;
  /** Whether exit codes survive the death of the holder: older kernels report them only to the parent. */
  readonly exitCodesSurvive: boolean;
  readonly holder: { readonly pid: number };
  readonly keeper: { readonly pid: number; readonly rssBytes: number };
  /** Null while none serves. */
  readonly gateway?: Pick<GatewayInfo, 'pid' | 'port' | 'url'> | null | undefined;
  /** Of the keeper, which has the most. Beyond `connectionsMax` clients are refused, so that sessions have room. */
  readonly openFiles?: {
    readonly limit: number;
    readonly used: number;
    readonly connections: number;
    readonly connectionsMax: number;
  };
}

export interface Hello {
  readonly protocol: number;
  readonly version: string;
  /** The client's name, shown as viewer and as the source of input. */
  readonly who?: string | undefined;
  /**
   * From a gateway, for a client below an operator: false. The output of an agent without a terminal is its own protocol,
   * which names folders and accounts; such a client may read its events instead (default: true).
   */
  readonly mayReadWires?: boolean | undefined;
}
