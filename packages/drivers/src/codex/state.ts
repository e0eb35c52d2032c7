/** The state of the Codex dialect, and how it sends requests. */
import type { DialectOptions } from '../dialect.ts';
import { emptyRpc, type RpcState } from '../json-rpc.ts';
import { emptyLedger } from '../ledger/state.ts';
import type { DialectState, Work } from '../ledger/stepper.ts';

export interface CodexState extends DialectState {
  rpc: RpcState;
  /** The thread that is driven, and its running turn under Codex's own id. */
  thread: string | null;
  turn: string | null;
  /** The commands of the running turn, by their items. */
  commands: string[];
  isStarted: boolean;
  userAgent: string | null;
  /** The requests of the agent: their ids on the wire, and the calls that answer them. */
  asked: Record<string, { id: string | number; method: string; params: unknown }>;
  /** The one of a reasoning item's two texts that is shown, because both may be the same. */
  reasoning: Record<string, 'summary' | 'content'>;
  /** Messages of the model's current answer: a retry begins it again. */
  attempt: string[];
  /** The turn's diff, which arrives several times unchanged. */
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
