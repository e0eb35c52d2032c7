/**
 * A dialect is a pure step from a state and an input to a state, events, and lines for the agent. It has no clock, reads no file
 * and starts nothing, so a recording of the agent is a complete test, and the state is a function of the logs.
 *
 * The state is plain JSON: the driver may write it down and continue from it. `step` never changes the state it is given.
 */
import type { AgentBody, AgentSource, Command } from '@spool/protocol/agent';

/** A line of the agent's wire. */
export interface LineInput {
  readonly type: 'line';
  /** `stdin` marks a line that another client wrote to the agent. Only recordings have such lines; a driver knows its own. */
  readonly stream: 'stdout' | 'stderr' | 'stdin';
  readonly text: string;
  /** The position of the line in the output log, and its length with the newline. */
  readonly offset: number;
  readonly length: number;
  readonly at: number;
  /** Whether the line was too long, so that long strings in it were cut (`framing/long-line.ts`). */
  readonly isCut?: boolean;
}

/** A command of a client, in the order of the events log. */
export interface CommandInput {
  readonly type: 'command';
  readonly command: Command;
  readonly id: string;
  /** The name of the client, which everyone may see. */
  readonly by: string;
  /** The rule of the user's policy that answers instead of a person. Only the driver sets it, never a client. */
  readonly rule?: string;
  /** Whether a driver of an older version, whose answers had no digest, has taken this command. */
  readonly isUnbound?: true;
  readonly at: number;
}

export type DriverInput =
  | LineInput
  | CommandInput
  /** Sent when the agent's process runs, for the handshake. */
  | { readonly type: 'started'; readonly at: number }
  | {
      readonly type: 'exited';
      readonly at: number;
      readonly exitCode?: number | null;
      readonly signal?: string | null;
    }
  /** The state of the agent's input: whether it accepts data. */
  | { readonly type: 'input'; readonly at: number; readonly input: 'open' | 'stuck' | 'closed' }
  /** A range of output that is no longer stored, or never was. Everything open is ended, because its end may be in the gap. */
  | { readonly type: 'gap'; readonly at: number; readonly from: number; readonly to: number };

export interface DialectOptions {
  readonly cwd?: string;
  readonly model?: string;
  readonly mode?: string;
  /** The agent's own session to resume. */
  readonly resume?: string;
  /** Whether an earlier Spool session has the history of `resume`, which is then not shown again. */
  readonly isContinued?: boolean;
  /** The wire that was chosen at the start, for a program with several. */
  readonly wire?: string;
  /** The version of Spool, for agents that ask for the client's version. */
  readonly clientVersion?: string;
  /** Whether others write to this agent too, as its own terminal does beside a driver that watches it. */
  readonly isWatching?: boolean;
  /** Whether nothing is written to this agent, because it is a recording, or got its prompt on the command line. */
  readonly isReadOnly?: boolean;
}

export interface Step<State> {
  readonly state: State;
  readonly events: readonly AgentBody[];
  /** Lines for the agent's stdin, each without its newline. */
  readonly writes: readonly string[];
  /** Whether the agent's input ends after these lines. */
  readonly closes?: boolean;
}

export interface Dialect<State = unknown> {
  readonly source: AgentSource;
  initial(options?: DialectOptions): State;
  step(state: State, input: DriverInput): Step<State>;
}
