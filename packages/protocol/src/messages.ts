/** The messages of the wire: sessions, requests and answers, events. */

import type { Command } from './agent/commands.ts';
import type { GatewayRequests, GatewayInfo } from './gateway.ts';
import type { NoticeOutcome } from './notices.ts';
import type { ErrorCode } from './errors.ts';
import type { ProcessIdentity, ProgramSource } from './escrow.ts';
import type { Grid, TileAsk } from './grid.ts';
import type { Limits } from './limits.ts';
import type { ListOptions } from './listing.ts';
import type { OpenRequest } from './open-request.ts';
import type { Question } from './question.ts';
import type { HistoryItem, Milestone, Status, StatusInfo } from './status.ts';
import type { TaskEvent } from './task.ts';

export const PROTOCOL_VERSION = 1;

/** The version of this package and of all others; a test compares it with package.json. */
export const VERSION = '0.1.0';

/**
 * The state: `running`, and then one of: `exited` (by itself, 0), `failed` (by itself, not 0), `stopped` and `killed` (on
 * request), `lost` (the whole daemon died, and the end was not seen).
 */
export type SessionState = 'running' | 'exited' | 'failed' | 'stopped' | 'killed' | 'lost';

/**
 * The viewer whose size a terminal takes when several are attached: the one that last attached, typed or resized; the smallest;
 * the largest; or none.
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
 * The number of lines that are kept above a screen; the log has everything. It is xterm's own default, so that a page and its
 * model reflow the same lines when the size changes.
 */
export const SCROLLBACK_LINES = 1000;

/**
 * The format of a screen. `snapshot`: bytes, in base64, that bring a terminal to the session's state, so that output can continue
 * from there.
 */
export type ScreenFormat = 'text' | 'ansi' | 'html' | 'json' | 'snapshot';

/** The cause of an end. `owner`: the process to which the session was tied is gone. */
export type EndedBy = 'stop' | 'kill' | 'timeout' | 'owner';

/** The origin of a session. */
export interface StartedBy {
  /** The client's name for itself: `node 4711`. */
  readonly who: string;
  /** The processes on whose behalf it was started, as they identified themselves; usually one. */
  readonly owners: readonly ProcessIdentity[];
  /** Whether the session is stopped when one of them is gone. */
  readonly isTied: boolean;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
  readonly widthPx?: number | undefined;
  readonly heightPx?: number | undefined;
}

/** A process that was started in a session and was left running at its end, because it also serves others. */
export interface LeftProcess {
  readonly pid: number;
  /** The name of its program. */
  readonly program: string;
  /** The shared service that it was recognized as; null: commands of another session descend from it. */
  readonly service: string | null;
}

export interface SessionInfo {
  readonly id: string;
  readonly name: string;
  readonly state: SessionState;
  /** The exit code; null while it runs, and if a signal ended it. */
  readonly exitCode: number | null;
  /** The signal, `SIGTERM`, …; null while it runs, and if it ended by itself. */
  readonly signal: string | null;
  readonly pid: number;
  /** The time of the start, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The offset of the next byte: the number of bytes that the child has written in total. */
  readonly offset: number;
  /** The offset of the first byte that is still kept. */
  readonly firstOffset: number;
  /** The first 16 KiB of the command; a truncated command ends with an ellipsis. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The size; null for a session on pipes. */
  readonly size: Size | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly watchers: number;
  /** The cause of the end; `timeout` is the session's own limit. Null while it runs, or if it ended by itself. */
  readonly endedBy: EndedBy | null;
  readonly sizePolicy: SizePolicy;
  readonly viewers: readonly Viewer[];
  /** The client that typed last, and when. `events` reports each change. */
  readonly typed: { readonly who: string; readonly at: number } | null;
  /** The reason why the log is incomplete or not growing, in a sentence; null if there is no fault. */
  readonly trouble: string | null;
  /** The present activity, as far as it is known. */
  readonly status: StatusInfo;
  /** The last milestone that was reached. */
  readonly milestone: Milestone | null;
  /** The title that the program has set. */
  readonly title: string;
  /** The time of the child's last output; null if there was none. */
  readonly lastOutputAt: number | null;
  /** Whether it is a task: see `TaskInfo`. */
  readonly isTask: boolean;
  /** The name that the task was started with; several tasks may have the same. Null: the session's name. */
  readonly taskName: string | null;
  /** The maximum run time, after which it is stopped; null: no limit. */
  readonly timeoutMs: number | null;
  /** The origin; null for a session of an older version. */
  readonly startedBy: StartedBy | null;
  /** The driver, only of an agent without a terminal. */
  readonly driver?: DriverInfo | undefined;
  /** The processes that were left running at its end, because they also serve others. */
  readonly leftRunning?: readonly LeftProcess[] | undefined;
}

/**
 * The driver of an agent, which reads the agent's own protocol from the output log and appends to the events log. `failed`: it
 * kept crashing and was given up; the next command starts it again. `done`: the session has ended, and so has its events log.
 */
export interface DriverInfo {
  readonly name: string;
  readonly state: 'running' | 'failed' | 'done';
  /** The start of the agent's first prompt, in one line; absent before there is one. */
  readonly prompt?: string | undefined;
  readonly options?: AgentStartOptions | undefined;
  readonly resumes?: AgentResumed | undefined;
  /** The start and end of the events log. */
  readonly firstOffset: number;
  readonly offset: number;
}

/** The status that a driver reports of its agent. It decides the status of the session, with confidence 1. */
export interface WireStatus {
  readonly state: 'working' | 'blocked' | 'idle';
  readonly kind: string | null;
  /** A sentence: `the agent asks for permission`. */
  readonly why: string;
  readonly activity: string | null;
  readonly thought: string | null;
  /** The start of the agent's last message, in one line; absent before there is one. */
  readonly said?: string | undefined;
  readonly question?: Question | undefined;
  /** The pending requests, the oldest first. `offset` is in the events log. */
  readonly requests?: readonly OpenRequest[] | undefined;
}

/** A command of a client for an agent. The keeper validates it, and only the agent's driver executes it. */
export interface AgentCommandLine {
  /** The id, chosen by the client: a repeated id is not a second command. */
  readonly id: string;
  readonly command: Command;
}

export interface AgentStartOptions {
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  /** The agent's own session to resume. */
  readonly resume?: string | undefined;
}

/** The agent session that an agent resumes. No two running sessions resume the same one: both would write to it. */
export interface AgentResumed {
  /** The agent's own session, by its id. */
  readonly agentSession: string;
  /** The session that had it before and has ended. */
  readonly session?: string | undefined;
}

/** An agent without a terminal: the child uses its own protocol on pipes. */
export interface AgentRun {
  /** The name of its driver: `claude`, `codex`, …. */
  readonly name: string;
  /** Its first commands, in order. */
  readonly commands?: readonly AgentCommandLine[] | undefined;
  /** The options that its driver sends to the agent at the start. */
  readonly options?: AgentStartOptions | undefined;
  readonly resumes?: AgentResumed | undefined;
  /** The bridge for an agent that serves HTTP: it carries the agent's events and calls on pipes. */
  readonly bridge?: 'http' | undefined;
}

/** The request to start a session. The client sends all values; none comes from the daemon's own environment. */
export interface RunRequest {
  /** The id, chosen by the client, so that a `run` that is sent again after a broken link starts no second session. */
  readonly id: string;
  /** The command; empty, with `base`: the shell of the daemon's user. */
  readonly command: readonly string[];
  /** The folder: an absolute path; with `base` also one in the home folder of the daemon's user: `~`, `~/src`. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The names of variables that an agent gets again when it is resumed (decision 162). */
  readonly keptEnv?: readonly string[] | undefined;
  /**
   * `daemon`: the caller is on another machine, whose environment is not useful here. The session gets the environment of the
   * daemon's user, and `env` on top (default: only `env`).
   */
  readonly base?: 'daemon' | undefined;
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The size of its terminal; without it the child is on pipes. */
  readonly size?: Size | undefined;
  readonly umask?: number | undefined;
  /** The soft limit of open files; takes precedence over `limits`. */
  readonly nofileSoft?: number | undefined;
  /** The child's limits, as far as the daemon may set them. */
  readonly limits?: Limits | undefined;
  /** The niceness, -20 to 19. If the daemon may not set it, the child gets the daemon's own. */
  readonly nice?: number | undefined;
  /** The run time after which the session is ended (as by `stop`). */
  readonly timeoutMs?: number | undefined;
  /** The time without output, input and CPU time after which the session is ended (as by `stop`). */
  readonly idleTimeoutMs?: number | undefined;
  readonly sizePolicy?: SizePolicy | undefined;
  /** Whether the terminal echoes its input; false if a program writes it (default: true). */
  readonly echo?: boolean | undefined;
  readonly retainBytes?: number | undefined;
  readonly retainMs?: number | undefined;
  /** Whether it is a task: its start and end are also reported as task events. */
  readonly isTask?: boolean | undefined;
  /** The processes on whose behalf it is started: the client's own, or its caller. */
  readonly owners?: readonly ProcessIdentity[] | undefined;
  /** Whether the session is stopped when one of its owners is gone (default: it survives them). */
  readonly whileOwner?: boolean | undefined;
  /** The client's name. It is set by the keeper. */
  readonly startedBy?: string | undefined;
  /** The requested name, if `name` was taken. It is set by the keeper. */
  readonly taskName?: string | undefined;
  /** The colours of the terminal that starts it: the child's first colour queries are answered with them. */
  readonly colours?: TerminalColours | undefined;
  /** An agent on pipes, with a driver and a second log. */
  readonly agent?: AgentRun | undefined;
  /**
   * Whether an agent in a terminal may get a separate server; false: it is executed exactly as typed (default: true if that is
   * known to work).
   */
  readonly sideChannel?: boolean | undefined;
  /** The plan for the separate server of an agent in a terminal. It is set by the keeper. */
  readonly agentServer?: AgentServerPlan | undefined;
}

/** The separate server of an agent in a terminal, or the reason why it has none (decision 170). */
export interface AgentServerPlan {
  readonly agent: 'codex';
  readonly version?: string | undefined;
  /** The socket of the server, while the session runs: for later readers. */
  readonly socket?: string | undefined;
  readonly launch?: AgentServerLaunch | undefined;
  /** The reason why the agent runs as typed. */
  readonly why?: string | undefined;
}

/** The programs that the holder executes. */
export interface AgentServerLaunch {
  /** The program of both the server and the terminal. */
  readonly file: string;
  readonly server: readonly string[];
  /** The arguments that follow the program in the user's command, once the server accepts connections. */
  readonly extra: readonly string[];
  /** The path of a file that gets `R` when the server is ready, or the reason for its failure. */
  readonly outcome: string;
}

/** The side channel of an agent in a terminal, as `explain` shows it. */
export interface SideChannel {
  readonly agent: 'codex';
  readonly version: string | null;
  /** The socket; null: there is none, and `why` is the reason. */
  readonly socket: string | null;
  readonly why: string | null;
}

/**
 * The condition of a wait. `idle`, `blocked`: the status. `prompt`: idle, and the screen shows where to type. `output`: any
 * output.
 */
export type WaitUntil = 'exit' | 'idle' | 'blocked' | 'prompt' | 'output';

/** The end of a wait. */
export interface Waited {
  readonly reason: WaitUntil;
  /** The end of the log at that time. */
  readonly offset: number;
  readonly session: SessionInfo;
}

/** The result of a prompt. */
export interface Prompted {
  /**
   * Whether the session was seen to accept the prompt: it began to work, asks back, ended, or the text has left the input line
   * and is in the conversation. Output alone is not enough.
   */
  readonly isConfirmed: boolean;
  /** `read`: a program on pipes has read the line. */
  readonly reaction: 'working' | 'blocked' | 'exited' | 'screen' | 'read' | null;
  /** The reason why a prompt is not confirmed; null if it is. */
  readonly reason: string | null;
  /** The end of the log when Enter was pressed: `wait` with `after` waits for the reaction. */
  readonly offset: number;
  /** Whether a prompt with the same key had been typed before, so that this one was not typed. */
  readonly isRepeated: boolean;
  readonly session: SessionInfo;
}

/** The start of a watch: an offset, the first byte that is kept, the end, or this many bytes before the end. */
export type WatchFrom = number | 'start' | 'end' | { readonly tailBytes: number };

/** The start of a watch of the events log. */
export type EventsFrom = number | 'start' | 'end' | { readonly lineAt: number };

/** Requests, and their answers. A session is named by id, unique id prefix, or name; '' is the latest. */
export interface Requests extends GatewayRequests {
  run: { ask: RunRequest; answer: SessionInfo };
  /**
   * Lists sessions in pages: a frame has a limit, the number of sessions has none. `next` is the `after` of the next page, and
   * null when there are no more or `limit` is reached. `matching` is the total number.
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
  /** Watches a session: output frames and watch events follow on this request's channel, until `unwatch` or the end. */
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
   * Attaches a viewer: first a `snapshot` frame, which paints the screen as it was at its offset, then output from there on, as
   * for `watch`. A viewer that falls far behind, or late, gets another snapshot instead of the backlog. `size` (not from a
   * read-only viewer) is applied after the snapshot. With `from`, a viewer that lost its link continues where it was.
   *
   * Input typed here (`FrameFlag.typed`, on this channel) has an offset too, in the stream `typing`: the answer contains the
   * offset that arrived before a broken link (`typedOffset`), so that it is sent again exactly from there.
   */
  attach: {
    ask: {
      readonly session: string;
      readonly creditBytes: number;
      readonly from?: number | undefined;
      readonly size?: Size | undefined;
      readonly isReadOnly?: boolean | undefined;
      /** Whether the other viewers that may type are detached. */
      readonly takeover?: boolean | undefined;
      readonly historyLines?: number | undefined;
      readonly colours?: TerminalColours | undefined;
      /**
       * Whether the viewer is sent every size, because it paints at the size of the session: before each snapshot the size of
       * that snapshot, and each change, including its own.
       */
      readonly followsSize?: boolean | undefined;
      /** The delay after which the viewer gets a snapshot instead of the backlog (default: when it is a megabyte behind). */
      readonly lateMs?: number | undefined;
      /** Whether it was attached before the link broke, so that no size has changed. */
      readonly isReattach?: boolean | undefined;
      /** The session in whose terminal the client shows this one: refused if that session is shown in this one. */
      readonly inside?: string | undefined;
      /** The input stream, chosen by the client, once for each attachment. */
      readonly typing: string;
    };
    answer: { readonly id: string; readonly size: Size | null; readonly typedOffset: number };
  };
  /** Reports that a viewer's size or focus has changed, or that its terminal has reported its colours. */
  view: {
    ask: {
      readonly channel: number;
      readonly size?: Size | undefined;
      readonly isFocused?: boolean | undefined;
      readonly colours?: TerminalColours | undefined;
      /** Whether the viewer's screen is no longer valid, after a change of size for instance. */
      readonly wantsSnapshot?: true | undefined;
      /** The number of lines above the screen in the snapshot (default: 0). */
      readonly historyLines?: number | undefined;
    };
    answer: Record<never, never>;
  };
  /** Returns the screen as a user saw it, now or at any offset or time. */
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
      /** The time of the last byte before that offset. */
      readonly at: number;
      readonly cols: number;
      readonly rows: number;
      /** Whether the screen is complete; false if a flood was skipped to reach the present. */
      readonly isExact: boolean;
      /** The bytes that the log has lost, so that the screen was painted without them; missing from an older keeper. */
      readonly missingBytes?: number;
      readonly title: string;
      readonly content: string;
    };
  };
  /**
   * Returns, for miniatures, the screens of these sessions that have changed since they were last seen, and their changed rows.
   */
  grids: {
    ask: { readonly tiles: readonly TileAsk[] };
    answer: { readonly grids: readonly Grid[] };
  };
  /** Returns times, resizes, streams and gaps from an offset on, in pages. */
  marks: {
    ask: { readonly session: string; readonly from: number };
    answer: { readonly marks: readonly LogMarkInfo[]; readonly next: number | null };
  };
  /** Returns the offset that a session's log had reached at a time. */
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
  /** Stops a session; answered when it has ended and none of its processes is left. */
  stop: {
    ask: {
      readonly session: string;
      readonly graceMs?: number | undefined;
      /** Whether shared services that were started in the session are ended too. */
      readonly withServices?: boolean | undefined;
    };
    answer: SessionInfo;
  };
  kill: { ask: { readonly session: string }; answer: SessionInfo };
  /** Sends one signal to the child's process group, without further effects. */
  signal: { ask: { readonly session: string; readonly signal: string }; answer: SessionInfo };
  /** Closes the child's standard input (pipes only). */
  closeInput: { ask: { readonly session: string }; answer: Record<never, never> };
  remove: { ask: { readonly session: string; readonly force?: boolean | undefined }; answer: SessionInfo };
  /**
   * Waits; answered when the first of `until` (default: `exit`) is true, at once if it already is. With `after`, only events
   * beyond that offset count. `exit` always ends a wait, because no event can follow it.
   */
  wait: {
    ask: {
      readonly session: string;
      readonly until?: readonly WaitUntil[] | undefined;
      readonly after?: number | undefined;
      /** The offset after which `output` counts (default: `after`, or the present). */
      readonly outputAfter?: number | undefined;
      /** Whether `exit` of a session that is being ended is reported only when no process of the tree is left. */
      readonly wholeTree?: boolean | undefined;
    };
    answer: Waited;
  };
  /**
   * Types a prompt as a careful user would: a paste (bracketed if the program has enabled that), a pause, Enter by itself; then
   * checks whether the session accepted it. Without `force`, it is refused while the session is blocked, because Enter would
   * answer its question, and while its input line contains text, which would be submitted too. An agent that starts is awaited
   * for up to `readyMs` (default: 30 s). Control characters are refused, and so are several lines if the program would run each
   * of them. `clear` clears the input line first. With a `key`, the same prompt requested twice is typed once.
   */
  prompt: {
    ask: {
      readonly session: string;
      readonly text: string;
      readonly key?: string | undefined;
      readonly force?: boolean | undefined;
      readonly clear?: boolean | undefined;
      readonly confirmMs?: number | undefined;
      readonly readyMs?: number | undefined;
    };
    answer: Prompted;
  };
  /**
   * Answers the question of a session: `question` and `option` (its label) as in the status. Each key is pressed only after a
   * look at the screen that still shows this question; `isConfirmed` when the question is gone afterwards.
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
  /** Types input once, however often it is sent: `key` identifies it, and repeated input is not typed. */
  type: {
    ask: { readonly session: string; readonly key: string; readonly base64: string };
    answer: { readonly isRepeated: boolean };
  };
  /**
   * Watches the events log of an agent as `watch` does the output: bytes of NDJSON with offsets, and the end once the driver is
   * done. `lineAt`: the watch begins with the line that contains this offset.
   */
  watchEvents: {
    ask: { readonly session: string; readonly from: EventsFrom; readonly creditBytes: number };
    answer: { readonly id: string; readonly from: number; readonly offset: number };
  };
  /**
   * Appends a command to the events log, where the driver finds it: the log has the one decisive order. A repeated id is not
   * appended again. The outcome is an event.
   */
  command: {
    ask: { readonly session: string } & AgentCommandLine;
    answer: { readonly offset: number; readonly isRepeated: boolean };
  };
  /**
   * The session's driver appends one line at `end`; fails with EVENTS_MOVED if the log ends elsewhere. `isLast`: the session has
   * ended, and no line follows.
   */
  appendEvents: {
    ask: {
      readonly session: string;
      readonly end: number;
      readonly line?: string | undefined;
      readonly status?: WireStatus | undefined;
      /** The offset up to which the output has been processed. */
      readonly consumed: number;
      readonly isLast?: boolean | undefined;
    };
    answer: { readonly offset: number };
  };
  /** A driver stores a state from which the next one can continue. Only drivers interpret its content. */
  putCheckpoint: { ask: { readonly session: string; readonly base64: string }; answer: Record<string, never> };
  /** Returns null if there is no valid checkpoint. */
  getCheckpoint: { ask: { readonly session: string }; answer: { readonly base64: string | null } };
  /** Returns the status with all its evidence, and its history. */
  explain: {
    ask: { readonly session: string };
    answer: {
      readonly id: string;
      readonly status: Status;
      readonly history: readonly HistoryItem[];
      /** The side channel, only of an agent in a terminal that may have one. */
      readonly sideChannel?: SideChannel | undefined;
    };
  };
  /**
   * Subscribes to events on this request's channel, until `unwatch`: of these sessions and these types (default: all but
   * `session-summary`).
   */
  events: {
    ask: { readonly sessions?: readonly string[] | undefined; readonly types?: readonly string[] | undefined };
    answer: Record<never, never>;
  };
  /**
   * Subscribes to output as text, in `WORKER_OUTPUT` events on this request's channel, until `UNSUBSCRIBE_WORKER_OUTPUT`. By
   * name, this is the output of the session that has the name, from `from` (default: the present), and of each later one from its
   * first byte; the agent need not exist yet, and `*` is every session. By id, or with `wait: false`, it is the output of one
   * session, until its end. This is for clients that want text and no bytes; the SDK's `watchText` offers more.
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
  renew: {
    ask: { readonly part: 'holder' | 'keeper'; readonly program?: ProgramSource | undefined };
    answer: Record<never, never>;
  };
  /** Sends a notification to every configured channel now, and reports the outcomes (`trouble`: null when delivered). */
  testNotification: {
    ask: Record<never, never>;
    answer: {
      readonly outcomes: readonly NoticeOutcome[];
      /** Whether these are quiet hours, in which a real notification would not be sent to these channels. */
      readonly isQuiet: boolean;
    };
  };
  shutdown: {
    ask: { readonly graceMs?: number | undefined };
    /** The processes that were left running; missing in the answer of an older daemon. */
    answer: { readonly leftRunning?: readonly LeftProcess[] | undefined };
  };
}

export type Op = keyof Requests;

/** The maximum of a timeout: 23 days, near the longest possible timer. */
export const TIMEOUT_MS_MAX = 2_000_000_000;

/** The events of a watch, sent on its channel, in order with its output. */
export type WatchEvent =
  /** The requested bytes are gone; the next output starts at `to`. */
  | {
      readonly type: 'gap';
      readonly from: number;
      readonly to: number;
      readonly reason: 'retention' | 'disk' | 'damaged';
    }
  /** All output that existed when the watch started has been sent. */
  | { readonly type: 'synced'; readonly offset: number }
  | { readonly type: 'resized'; readonly offset: number; readonly cols: number; readonly rows: number }
  /** The end of the watch. */
  | {
      readonly type: 'exit';
      readonly offset: number;
      readonly state: SessionState;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  /** Attached only: the queue was full; unconfirmed input before `offset` was not accepted. */
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
  /** Attached only: another viewer took over; this is the last event. */
  | { readonly type: 'taken-over'; readonly by: string }
  /** The session was removed while it was being watched; this is the last event. */
  | { readonly type: 'removed' };

/** The events for clients that requested `events`. */
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
  /** The session was renamed; `offset` is the end of its log at that time. */
  | {
      readonly type: 'session-renamed';
      readonly at: number;
      readonly id: string;
      readonly name: string;
      readonly before: string;
      readonly offset: number;
    }
  /**
   * The summary of a session at its end, after `session-exited`. It is sent only to clients that name this type, because it must
   * be read for them.
   */
  | {
      readonly type: 'session-summary';
      readonly at: number;
      readonly id: string;
      readonly reason: 'end';
      readonly summary: Pick<SessionInfo, 'name' | 'state' | 'exitCode' | 'signal' | 'startedAt' | 'endedAt'> & {
        readonly durationMs: number;
        readonly milestones: readonly (Milestone & { readonly at: number })[];
        /** The last lines that contain letters. */
        readonly lastLines: readonly string[];
      };
    }
  /** A client began to type: another one than before, or the same after a long pause. */
  | { readonly type: 'session-typed'; readonly at: number; readonly id: string; readonly who: string }
  | { readonly type: 'session-status'; readonly at: number; readonly id: string; readonly status: StatusInfo }
  | ({ readonly type: 'milestone'; readonly at: number; readonly id: string } & Milestone)
  /** A report of the program: its title, its folder, the start or end of a command, progress, a bell, a message. */
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
      /** The occasion. `test`: not sent as an event; a command or a webhook gets it from `spool notify test`. */
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

/** The events on the channel of `SUBSCRIBE_WORKER_OUTPUT`. */
export type WorkerOutputEvent =
  | {
      readonly type: 'WORKER_OUTPUT';
      readonly agent: string;
      /** The id of the session. */
      readonly id: string;
      readonly data: string;
      /** The time of its first byte, in milliseconds since 1970. */
      readonly ts: number;
      /** The offsets of its first byte and after its last: a broken subscription continues from there. */
      readonly offset: number;
      readonly end: number;
      /** The stream, for a session on pipes, if it is not standard output. */
      readonly stream?: 'stderr';
    }
  /** These bytes are no longer kept. */
  | { readonly type: 'gap'; readonly id: string; readonly from: number; readonly to: number }
  /**
   * The session has ended, or was removed: no further event is about it. A subscription by name continues with the next session.
   */
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
  /** The gateway; null while none serves. */
  readonly gateway?: Pick<GatewayInfo, 'pid' | 'port' | 'url'> | null | undefined;
  /**
   * The open files of the keeper, which has the most. Beyond `connectionsMax` clients are refused, so that sessions have room.
   */
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
   * Whether the client may read the output of agents; a gateway sends false for a client below an operator. The output of an
   * agent without a terminal is its own protocol, which names folders and accounts; such a client may read its events instead
   * (default: true).
   */
  readonly mayReadWires?: boolean | undefined;
}
