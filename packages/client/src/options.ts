/** The arguments and results of the client's methods, beyond the types of the protocol. */
import type {
  HistoryItem,
  ProcessIdentity,
  Question,
  Requests,
  RunRequest,
  ScreenFormat,
  SideChannel,
  Size,
  SizePolicy,
  Status,
} from '@spool/protocol';
import type { AbortSignalLike } from './link/runtime.ts';

/** The options that `run` passes on unchanged. */
type ForwardedOptions = Partial<
  Pick<
    RunRequest,
    | 'name'
    | 'labels'
    | 'timeoutMs'
    | 'idleTimeoutMs'
    | 'sizePolicy'
    | 'echo'
    | 'umask'
    | 'nofileSoft'
    | 'limits'
    | 'nice'
    | 'retainBytes'
    | 'retainMs'
    | 'isTask'
    | 'colours'
    | 'agent'
    | 'sideChannel'
  >
>;

export interface RunOptions extends ForwardedOptions {
  readonly command: readonly string[];
  /** The working folder (default: the caller's). In Node a relative path is resolved from the caller's folder. */
  readonly cwd?: string | undefined;
  /** The whole environment; for a remote daemon, the additions to that of its user. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The names of variables in `env` that an agent gets again when it is resumed. They are stored, readable only by you. */
  readonly keptEnv?: readonly string[] | undefined;
  /** Whether to pass the whole environment of the caller (default: its allow-listed part). It is not used with `env`. */
  readonly inheritEnv?: boolean | undefined;
  /** The size of the terminal (default: 80 × 24); null: pipes instead of a terminal. */
  readonly size?: Size | null | undefined;
  /** The id; a repeated id never starts a second session (default: a random id). */
  readonly id?: string | undefined;
  /** Whether the session is stopped, with all its processes, when this process is gone (default: it survives). */
  readonly whileOwner?: boolean | undefined;
  /** The processes for `whileOwner`, if it is not this one. */
  readonly owners?: readonly ProcessIdentity[] | undefined;
}

/** A command that is in the events log. */
export interface CommandReceipt {
  readonly id: string;
  readonly offset: number;
  /** Whether a command with this id was already in the log. */
  readonly isRepeated: boolean;
}

export interface AnswerOptions {
  /** The question, as in the status. */
  readonly question: Pick<Question, 'text' | 'subject'>;
  /** The label of the answer. */
  readonly option: string;
  /** The time within which the question must disappear (default: 3 s). */
  readonly confirmMs?: number | undefined;
}

export interface PromptOptions {
  /** The key; the same prompt with the same key is typed once (default: a random key). */
  readonly key?: string | undefined;
  /** Whether to type even if the session waits for a decision (Enter then answers it), or if its input line contains text. */
  readonly force?: boolean | undefined;
  /** Whether to clear the input line first. */
  readonly clear?: boolean | undefined;
  /** The time to wait for a reaction (default: 3000; 15000 for agents). */
  readonly confirmMs?: number | undefined;
  /** The time to wait for an agent that starts (default: 30000). */
  readonly readyMs?: number | undefined;
}

export interface UntilOptions extends WaitOptions {
  /** The offset after which events count: for instance the offset that `prompt` returned. */
  readonly after?: number | undefined;
  /**
   * Whether `exit` of a session that is being stopped is reported only when no process of its tree is left, not when its first
   * one is gone.
   */
  readonly wholeTree?: boolean | undefined;
}

export interface Explanation {
  readonly id: string;
  readonly status: Status;
  /** The history, oldest first. */
  readonly history: readonly HistoryItem[];
  /** The side channel, only of an agent in a terminal that may have one. */
  readonly sideChannel?: SideChannel | undefined;
}

export interface ScreenOptions {
  /** The moment (default: now). */
  readonly at?: { readonly offset: number } | { readonly time: number } | undefined;
  /** The format (default: `text`). */
  readonly format?: ScreenFormat | undefined;
  /** The number of lines above the screen to include. */
  readonly historyLines?: number | undefined;
}

export type Screen = Requests['screen']['answer'];

export interface UpdateOptions {
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly sizePolicy?: SizePolicy | undefined;
}

export interface StopOptions {
  readonly graceMs?: number | undefined;
  /**
   * Whether processes that were started in the session and serve others are ended too, such as an agent's service for all its
   * terminals.
   */
  readonly withServices?: boolean | undefined;
}

export interface WaitOptions {
  /** The time after which the session is returned in its present state: `running`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}
