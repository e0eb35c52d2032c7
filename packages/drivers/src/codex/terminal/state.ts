/** The state of Codex in a terminal, which is watched over a second connection to its server. */
import type { DialectOptions } from '../../dialect.ts';
import type { JsonObject } from '../../json-value.ts';
import type { Work } from '../../ledger/stepper.ts';
import { type CodexState, initialCodex } from '../state.ts';

/** The number of remembered ids of each kind. */
const REMEMBERED_MAX = 500;

export interface WatchedState extends CodexState {
  relay: string | null;
  /** Whether this connection gets everything about the thread. */
  isJoined: boolean;
  /** The time of the first connection, and whether the thread began in this session. */
  begunAt: number | null;
  isFresh: boolean;
  /** The threads that are not the conversation of the terminal: helpers of a turn, and subagents. */
  others: string[];
  /** The turn that started last. */
  lastTurn: string | null;
  /** The latest items whose beginning was reported: their end is reported too. */
  begun: string[];
  /** The latest complete items, because the server lists them again to a client that reconnects. */
  completed: string[];
  /** The answers that were given, by request, until the server has accepted one: a new connection sends them again. */
  given: Record<string, JsonObject>;
  /** The requests that this connection has received. */
  repeated: string[];
  /** The prompt of a client that the server has not confirmed. */
  unconfirmed: { clientId: string; params: JsonObject } | null;
  /** Whether a client has interrupted the turn. */
  isInterrupting: boolean;
}

export type WatchedWork = Work<WatchedState>;

export function initialWatched(options: DialectOptions): WatchedState {
  return {
    ...initialCodex(options),
    relay: null,
    isJoined: false,
    begunAt: null,
    isFresh: false,
    others: [],
    lastTurn: null,
    begun: [],
    completed: [],
    given: {},
    repeated: [],
    unconfirmed: null,
    isInterrupting: false,
  };
}

export function remember(list: string[], id: string): void {
  if (list.includes(id)) return;
  list.push(id);
  if (list.length > REMEMBERED_MAX) list.shift();
}
