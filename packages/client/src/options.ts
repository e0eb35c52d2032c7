/** The arguments and results of the client's methods, beyond the types of the protocol. */
import type { ProcessIdentity, Requests, RunRequest, Size } from '@spool/protocol';
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
  /** The names of the variables in `env` that an agent gets again when it is resumed. They are stored, readable only by you. */
  readonly keptEnv?: readonly string[] | undefined;
  /** Whether to pass the whole environment of the caller (default: its allow-listed part). It is not used with `env`. */
  readonly inheritEnv?: boolean | undefined;
  /** The size of the terminal (default: 80 × 24); null means pipes instead of a terminal. */
  readonly size?: Size | null | undefined;
  /** The id; a repeated id never starts a second session (default: a random id). */
  readonly id?: string | undefined;
  /** Whether the session is stopped, with all its processes, when this process is gone (default: it survives). */
  readonly whileOwner?: boolean | undefined;
  /** The processes that `whileOwner` refers to, instead of this one. */
  readonly owners?: readonly ProcessIdentity[] | undefined;
}

/** A command that is in the events log. `isRepeated`: the log already had a command with this id. */
export type CommandReceipt = { readonly id: string } & Requests['command']['answer'];

/** The options of each request are its fields without the session; they are described in `packages/protocol/src/schemas`. */
export type AnswerOptions = Omit<Requests['answer']['ask'], 'session'>;
export type PromptOptions = Omit<Requests['prompt']['ask'], 'session' | 'text'>;
export type ScreenOptions = Partial<Omit<Requests['screen']['ask'], 'session'>>;
export type StopOptions = Omit<Requests['stop']['ask'], 'session'>;
export type UpdateOptions = Omit<Requests['update']['ask'], 'session'>;
export type UntilOptions = WaitOptions & Pick<Requests['wait']['ask'], 'after' | 'wholeTree'>;
export type Explanation = Requests['explain']['answer'];
export type Screen = Requests['screen']['answer'];

export interface WaitOptions {
  /** The time after which the session is returned in its present state, `running`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}
