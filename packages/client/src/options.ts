/** What the methods of the client take and give, beyond the vocabulary of the protocol. */
import type {
  HistoryItem,
  ProcessIdentity,
  Question,
  Requests,
  RunRequest,
  ScreenFormat,
  Size,
  SizePolicy,
  Status,
} from '@spool/protocol';
import type { AbortSignalLike } from './link/runtime.ts';

/** What `run` passes on as it is. */
type Passed = Partial<
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
  >
>;

export interface RunOptions extends Passed {
  readonly command: readonly string[];
  /** The working folder (default: the caller's). In Node a relative path is resolved from the caller's folder. */
  readonly cwd?: string | undefined;
  /** The whole environment; from afar, what is added to that of the daemon's user. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Pass the whole environment of the caller (default: its allow-listed part). Not used with `env`. */
  readonly inheritEnv?: boolean | undefined;
  /** The size of the terminal (default: 80 × 24); null: pipes instead of a terminal. */
  readonly size?: Size | null | undefined;
  /** The same id never starts a second session (default: a random id). */
  readonly id?: string | undefined;
  /** True: stopped, with all its processes, when this process is gone, however that ended (default: it survives). */
  readonly whileOwner?: boolean | undefined;
  /** The processes that `whileOwner` means, if it is not this one. */
  readonly owners?: readonly ProcessIdentity[] | undefined;
}

/** A command that is in the events log. */
export interface Commanded {
  readonly id: string;
  readonly offset: number;
  /** A command with this id was there already. */
  readonly isRepeated: boolean;
}

export interface AnswerOptions {
  /** As the status has it. */
  readonly question: Pick<Question, 'text' | 'subject'>;
  /** The label of the answer. */
  readonly option: string;
  /** How long the question may take to disappear (default: 3 s). */
  readonly confirmMs?: number | undefined;
}

export interface PromptOptions {
  /** The same prompt with the same key is typed once (default: a random key). */
  readonly key?: string | undefined;
  /** Type even if the session waits for a decision (Enter then answers it), or if its input line contains text. */
  readonly force?: boolean | undefined;
  /** Clears the input line first. */
  readonly clear?: boolean | undefined;
  /** How long to wait for a reaction (default: 3000). */
  readonly confirmMs?: number | undefined;
}

export interface UntilOptions extends WaitOptions {
  /** Only what happens beyond this offset counts: for instance the offset that `prompt` returned. */
  readonly after?: number | undefined;
  /**
   * For a session that is being stopped, `exit` is reported when no process of its tree is left, not when its first one
   * is gone.
   */
  readonly wholeTree?: boolean | undefined;
}

export interface Explanation {
  readonly id: string;
  readonly status: Status;
  /** Oldest first. */
  readonly history: readonly HistoryItem[];
}

export interface ScreenOptions {
  /** The moment (default: now). */
  readonly at?: { readonly offset: number } | { readonly time: number } | undefined;
  /** The format (default: `text`). */
  readonly format?: ScreenFormat | undefined;
  /** Also include this many lines above the screen. */
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
}

export interface WaitOptions {
  /** After this time, the session is returned as it is then: `running`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}
