/** The messages of the wire: sessions, requests and answers, events. `schemas/` describes those that are validated. */

import type { ErrorCode } from './errors.ts';
import type { DaemonProgram } from './escrow.ts';
import type { GatewayAnswers, GatewayInfo, EmptyAnswer } from './gateway.ts';
import type { Grid } from './grid.ts';
import type { MessageOf } from './message-type.ts';
import type { NoticeOutcome } from './notices.ts';
import type * as parts from './schemas/parts.ts';
import type * as requests from './schemas/requests.ts';
import type * as run from './schemas/run.ts';
import type * as session from './schemas/session.ts';
import type { WIRE_STATUS } from './schemas/status.ts';
import type { HistoryItem, Milestone, Status, StatusInfo } from './status.ts';
import type { TaskEvent } from './task.ts';

export const PROTOCOL_VERSION = 1;

/** The oldest version of the protocol that this package still speaks, which is the previous one. */
export const PROTOCOL_OLDEST = 1;

/** The version of this package and of all others; a test compares it with package.json. */
export const VERSION = '0.1.0';

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

export type SessionState = MessageOf<typeof session.SESSION_STATE>;
export type Viewer = MessageOf<typeof session.VIEWER>;
export type StartedBy = MessageOf<typeof session.STARTED_BY>;
export type DriverInfo = MessageOf<typeof session.DRIVER_INFO>;
export type LeftProcess = MessageOf<typeof session.LEFT_PROCESS>;
export type SessionInfo = MessageOf<typeof session.SESSION>;
export type EndedBy = NonNullable<SessionInfo['endedBy']>;
export type WaitUntil = MessageOf<typeof session.WAIT_UNTIL>;
export type Waited = MessageOf<typeof session.WAITED>;
export type Prompted = MessageOf<typeof session.PROMPTED>;
export type Size = MessageOf<typeof parts.SIZE>;
export type SizePolicy = MessageOf<typeof parts.SIZE_POLICY>;
export type TerminalColours = MessageOf<typeof parts.COLOURS>;
export type WireStatus = MessageOf<typeof WIRE_STATUS>;
export type AgentCommandLine = MessageOf<typeof run.COMMAND_LINE>;
export type AgentStartOptions = MessageOf<typeof run.AGENT_START_OPTIONS>;
export type AgentRun = MessageOf<typeof run.AGENT_RUN>;
export type WatchFrom = MessageOf<typeof requests.WATCH_FROM>;
export type EventsFrom = MessageOf<typeof requests.EVENTS_FROM>;
export type ScreenFormat = MessageOf<typeof requests.SCREEN_FORMAT>;

/** The request to start a session, with the fields that the keeper sets. */
export type RunRequest = MessageOf<typeof run.RUN> & {
  /** The client's name. */
  readonly startedBy?: string | undefined;
  /** The requested name, if `name` was taken. */
  readonly taskName?: string | undefined;
  /** The plan for the separate server of an agent in a terminal. */
  readonly agentServer?: AgentServerPlan | undefined;
};

/** The agents in terminals that can have a side channel. */
export type ChannelAgent = 'claude' | 'codex' | 'gemini' | 'grok' | 'opencode';

/**
 * The side channel of an agent in a terminal, or the reason why it has none: a separate server (decision 170), or hooks that write
 * to a folder of the session (decision 230).
 */
export interface AgentServerPlan {
  readonly agent: ChannelAgent;
  readonly version?: string | undefined;
  /** The socket of the server, while the session runs: for later readers. */
  readonly socket?: string | undefined;
  readonly launch?: AgentServerLaunch | undefined;
  /** The arguments that follow the program in the user's command, for an agent that records its side channel by hooks or in a file. */
  readonly hooked?: readonly string[] | undefined;
  /** Whether the driver connects to the agent's server, and records its messages (decision 231). */
  readonly isRelayed?: true | undefined;
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
  readonly agent: ChannelAgent;
  readonly version: string | null;
  /** The socket of its separate server; null if there is none. */
  readonly socket: string | null;
  /** Whether the agent's events are recorded. */
  readonly hasEvents: boolean;
  /** The reason why there is no side channel. */
  readonly why: string | null;
}

/** The answers of requests. Most name one session. */
interface RequestAnswers extends GatewayAnswers {
  run: SessionInfo;
  list: {
    readonly sessions: readonly SessionInfo[];
    readonly next: string | null;
    readonly matching?: number | undefined;
  };
  get: SessionInfo;
  watch: { readonly id: string; readonly from: number; readonly offset: number };
  attach: { readonly id: string; readonly size: Size | null; readonly typedOffset: number };
  view: EmptyAnswer;
  screen: MessageOf<typeof session.SCREEN>;
  grids: { readonly grids: readonly Grid[] };
  marks: { readonly marks: readonly LogMarkInfo[]; readonly next: number | null };
  offsetAt: { readonly offset: number };
  update: SessionInfo;
  unwatch: EmptyAnswer;
  resize: SessionInfo;
  stop: SessionInfo;
  kill: SessionInfo;
  signal: SessionInfo;
  closeInput: EmptyAnswer;
  remove: SessionInfo;
  wait: Waited;
  prompt: Prompted;
  answer: MessageOf<typeof session.ANSWERED>;
  type: { readonly isRepeated: boolean };
  watchEvents: { readonly id: string; readonly from: number; readonly offset: number };
  command: { readonly offset: number; readonly isRepeated: boolean };
  appendEvents: { readonly offset: number };
  putCheckpoint: EmptyAnswer;
  getCheckpoint: { readonly base64: string | null };
  explain: {
    readonly id: string;
    readonly status: Status;
    readonly history: readonly HistoryItem[];
    /** The side channel, only for an agent in a terminal that may have one. */
    readonly sideChannel?: SideChannel | undefined;
  };
  events: EmptyAnswer;
  /** `id` is null while no session has the name, and for `*`. */
  SUBSCRIBE_WORKER_OUTPUT: { readonly id: string | null; readonly offset: number };
  UNSUBSCRIBE_WORKER_OUTPUT: EmptyAnswer;
  status: DaemonStatus;
  renew: EmptyAnswer;
  testNotification: {
    readonly outcomes: readonly NoticeOutcome[];
    /** Whether these are quiet hours, in which a real notification would not be sent to these channels. */
    readonly isQuiet: boolean;
  };
  /** The processes that were left running; missing in the answer of an older daemon. */
  shutdown: { readonly leftRunning?: readonly LeftProcess[] | undefined };
}

type RequestSchemas = typeof requests.REQUEST_SCHEMAS;

/** Requests, and their answers. A session is named by id, unique id prefix, or name; '' is the latest. */
export type Requests = {
  readonly [K in keyof RequestSchemas]: {
    readonly ask: MessageOf<RequestSchemas[K]>;
    readonly answer: RequestAnswers[K];
  };
};

export type Op = keyof Requests;

/** The maximum of a timeout: 23 days, near the longest possible timer. */
export const TIMEOUT_MS_MAX = 2_000_000_000;

/** The events of a watch, sent on its channel, in order with its output. */
export type WatchEvent =
  /** The requested bytes are missing; the next output starts at `to`. */
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
  /** A client has begun to type: another one than before, or the same after a long pause. */
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
  /** These bytes are no longer stored. */
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
  /** The time since which the daemon runs its program, and the last program that was given up. */
  readonly program?: Pick<DaemonProgram, 'since' | 'refused'> | undefined;
  readonly holder: { readonly pid: number };
  readonly keeper: { readonly pid: number; readonly rssBytes: number };
  /** The gateway; null while none serves. It may be of another version while an upgrade is under way. */
  readonly gateway?:
    | (Pick<GatewayInfo, 'pid' | 'port' | 'url'> & { readonly version?: string | undefined })
    | null
    | undefined;
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
  /** The newest version of the protocol that a client speaks; in the answer of a keeper, the one that is used. */
  readonly protocol: number;
  /** The oldest version that the sender speaks (default: `protocol`). */
  readonly oldest?: number | undefined;
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
