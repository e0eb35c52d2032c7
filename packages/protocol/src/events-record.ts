/**
 * The lines of an agent's events log. Clients' commands and the driver's batches are in one order, which decides. A batch says
 * what was read, in order, so the driver's state is a function of the two logs; and what it means; and what the agent is to
 * be told. It is one line, so it is there whole or not at all.
 */
import type { AgentEvent, Command } from './agent/index.ts';

export interface CommandRecord {
  readonly type: 'command';
  readonly id: string;
  readonly at: number;
  /** The client. */
  readonly by: string;
  readonly command: Command;
}

/**
 * What a batch has read: the next lines of the output, the last of which ends at this offset; the next command, which is at
 * this offset of this log; an answer of the policy; or something that happened.
 */
export type BatchInput =
  | { readonly output: number; readonly lines: number }
  | { readonly policy: Command; readonly rule: string }
  | { readonly command: number }
  | { readonly fact: 'started' }
  | { readonly fact: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly fact: 'gap'; readonly from: number; readonly to: number };

export interface BatchRecord {
  readonly type: 'batch';
  readonly at: number;
  /** The process that wrote it. */
  readonly driver: string;
  readonly inputs: readonly BatchInput[];
  /** What the inputs mean. With `more`, the next batch has the rest. */
  readonly events: readonly AgentEvent[];
  readonly more?: boolean;
  /** Lines for the agent, or the length of a long one. They are written after this record, once. */
  readonly writes?: readonly (string | number)[];
  /** The agent's input ends after these writes. */
  readonly closes?: boolean;
  /** All writes of the records before this offset have arrived. */
  readonly written: number;
}

/** A driver that was given up, by the daemon. */
export interface DriverRecord {
  readonly type: 'driver';
  readonly at: number;
  readonly state: 'failed';
  readonly reason: string;
}

export type EventsRecord = CommandRecord | BatchRecord | DriverRecord;
