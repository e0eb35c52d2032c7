/**
 * The lines of an agent's events log. Clients' commands and the driver's batches share one order, which is decisive. A batch
 * contains its inputs, in order, so that the driver's state is a function of the two logs; their meaning; and the messages to the
 * agent. It is one line, so it is written whole or not at all.
 */
import type { AgentEvent, Command } from './agent/index.ts';

export interface CommandRecord {
  readonly type: 'command';
  readonly id: string;
  readonly at: number;
  /** The name of the client. */
  readonly by: string;
  readonly command: Command;
}

/**
 * The input of a batch: the next lines of the output, the last of which ends at this offset; the next command, which is at this
 * offset of this log; an answer of the policy; or another event.
 */
export type BatchInput =
  | { readonly output: number; readonly lines: number }
  | { readonly policy: Command; readonly rule: string }
  | { readonly command: number }
  | { readonly fact: 'started' }
  | { readonly fact: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly fact: 'gap'; readonly from: number; readonly to: number }
  | { readonly fact: 'input'; readonly input: InputState };

/** The state of the agent's input: it accepts bytes, has accepted none for a while, or is closed. */
export type InputState = 'open' | 'stuck' | 'closed';

export interface BatchRecord {
  readonly type: 'batch';
  readonly at: number;
  /** The process that wrote it. */
  readonly driver: string;
  readonly inputs: readonly BatchInput[];
  /** The meaning of the inputs. With `more`, the next batch has the rest. */
  readonly events: readonly AgentEvent[];
  readonly more?: boolean;
  /** The lines for the agent, or the length of a long one. They are written after this record, once. */
  readonly writes?: readonly (string | number)[];
  /** Whether the agent's input ends after these writes. */
  readonly closes?: boolean;
  /**
   * Whether the commands of this batch were checked by the rule that an answer contains a digest. Older drivers did not have this
   * rule.
   */
  readonly isBound?: boolean;
  /** The offset before which the writes of all records are done. */
  readonly written: number;
}

/** The daemon's record of a driver that was given up. */
export interface DriverRecord {
  readonly type: 'driver';
  readonly at: number;
  readonly state: 'failed';
  readonly reason: string;
}

export type EventsRecord = CommandRecord | BatchRecord | DriverRecord;
