/** The state of the Codex dialect, and how it sends requests. */
import type { DialectOptions } from '../dialect.ts';
import { emptyRpc, type RpcState } from '../json-rpc.ts';
import { emptyLedger } from '../ledger/state.ts';
import type { DialectState, Work } from '../ledger/stepper.ts';

export interface CodexState extends DialectState {
  rpc: RpcState;
  /** The thread that is driven, and its running turn in Codex's own words. */
  thread: string | null;
  turn: string | null;
  /** The commands of the running turn, by their items. */
  commands: string[];
  isStarted: boolean;
  userAgent: string | null;
  /** Requests of the agent: their ids on the wire, and what answers them. */
  asked: Record<string, { id: string | number; method: string; params: unknown }>;
  /** The one of the two texts of a reasoning item that is shown: both may carry the same. */
  reasoning: Record<string, 'summary' | 'content'>;
  /** Messages of the model's current answer: a retry begins it again. */
  attempt: string[];
  /** The turn's diff, which comes several times unchanged. */
  diff: string | null;
  model: string | null;
}

export type CodexWork = Work<CodexState>;

export function initialCodex(options: DialectOptions): CodexState {
  return {
    ledger: emptyLedger(),
    options,
    rpc: emptyRpc(),
    thread: null,
    turn: null,
    commands: [],
    isStarted: false,
    userAgent: null,
    asked: {},
    reasoning: {},
    attempt: [],
    diff: null,
    model: options.model ?? null,
  };
}

export function sendCodexRequest({ state, ledger }: CodexWork, method: string, params: unknown, note?: string): void {
  const id = ++state.rpc.sent;
  state.rpc.pending[id] = { method, note: note ?? null };
  ledger.write({ id, method, params });
}
