/** The state of the ACP dialect, and the function that sends requests. */
import type { DialectOptions } from '../dialect.ts';
import { emptyRpc, type RpcState } from '../json-rpc.ts';
import type { JsonObject } from '../json-value.ts';
import { emptyLedger } from '../ledger/state.ts';
import type { DialectState, Work } from '../ledger/stepper.ts';

export interface AcpState extends DialectState {
  rpc: RpcState;
  session: string | null;
  isStarted: boolean;
  /** The agent's name and version, from the handshake. */
  agentName: string | null;
  agentVersion: string | null;
  canLoad: boolean;
  canResume: boolean;
  /** The id of the option that sets the model; null if the model has its own method. */
  modelOption: string | null;
  /** Our prompts without a response, by request id. */
  prompts: string[];
  /** Whether another client's prompt was shown, or one from a loaded history. */
  isFollowing: boolean;
  /** The number of the turn whose end the agent itself has reported; the response to its prompt repeats it. */
  toldEnd: number;
  /** Whether a history is being loaded that the events already contain. */
  isSkipping: boolean;
  /** Whether the answer has arrived while the history has not ended. */
  isHistoryDue: boolean;
  /** Whether the history ended before the answer arrived. */
  isHistoryOver: boolean;
  /** The kind of the last update: consecutive chunks of one kind are one message. */
  last: string | null;
  /** The message that is being written, and the number of parts of each of the latest messages. */
  message: string | null;
  messages: number;
  parts: Record<string, number>;
  asked: Record<string, { id: string | number; method: string; tool: string | null }>;
  /** The tools that were denied; some agents send nothing more about them. */
  denied: string[];
  /** The last diff of each open tool, because agents repeat them. */
  diffs: Record<string, string>;
  /** The messages of the model's current answer, which a retry starts again. */
  attempt: string[];
}

export type AcpWork = Work<AcpState>;

export function initialAcp(options: DialectOptions): AcpState {
  return {
    ledger: emptyLedger(),
    options,
    rpc: emptyRpc(),
    session: options.resume ?? null,
    isStarted: false,
    agentName: null,
    agentVersion: null,
    canLoad: false,
    canResume: false,
    modelOption: null,
    prompts: [],
    isFollowing: false,
    toldEnd: 0,
    isSkipping: false,
    isHistoryDue: false,
    isHistoryOver: false,
    last: null,
    message: null,
    messages: 0,
    parts: {},
    asked: {},
    denied: [],
    diffs: {},
    attempt: [],
  };
}

/** Sends a request and returns its id. */
export function sendAcpRequest({ state, ledger }: AcpWork, method: string, params: JsonObject, note?: string): string {
  const id = ++state.rpc.sent;
  state.rpc.pending[id] = { method, note: note ?? null };
  ledger.write({ jsonrpc: '2.0', id, method, params });
  return String(id);
}

export function respond({ ledger }: AcpWork, id: string | number, result: JsonObject): void {
  ledger.write({ jsonrpc: '2.0', id, result });
}
