/** JSON-RPC over lines: which request a response belongs to. Codex leaves out the member `jsonrpc`; ACP has it. */
import { isObject, type JsonObject, numberOf, textOf } from './json-value.ts';
import type { Ledger } from './ledger/ledger.ts';

export interface RpcState {
  /** How many requests were sent: their ids. */
  sent: number;
  /** Requests without a response yet, with what the response is for. */
  pending: Record<string, { method: string; note: string | null }>;
  /** How many processes the agent has had: ids of its requests begin again with each. */
  connections: number;
}

export function emptyRpc(): RpcState {
  return { sent: 0, pending: {}, connections: 0 };
}

/** At the start of a process: what the last one did not answer will not be answered. */
export function connect(rpc: RpcState): void {
  rpc.connections++;
  rpc.pending = {};
}

export type RpcMessage =
  | { readonly type: 'request'; readonly id: string | number; readonly method: string; readonly params: unknown }
  | { readonly type: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: string; readonly result: unknown; readonly error?: JsonObject };

export function rpcMessage(message: JsonObject): RpcMessage | undefined {
  const id = textOf(message.id) ?? numberOf(message.id);
  const method = textOf(message.method);
  const { params, result, error } = message;
  if (method !== undefined)
    return id === undefined ? { type: 'notification', method, params } : { type: 'request', id, method, params };
  if ('result' in message || 'error' in message)
    return { type: 'response', id: String(id ?? ''), result, ...(isObject(error) ? { error } : {}) };
  return undefined;
}

/** A key for a new request of the agent, unlike every other of the session: another process counts from the start again. */
export function newKey(ledger: Ledger, rpc: RpcState, id: string | number): string {
  const key = rpc.connections <= 1 ? String(id) : `${rpc.connections}:${id}`;
  for (let again = 2; ; again++) {
    const unique = again === 2 ? key : `${key}#${again - 1}`;
    if (!ledger.hasAsked(unique)) return unique;
  }
}

/** The key of a request that is open. */
export function openKey(
  asked: Readonly<Record<string, { readonly id: string | number }>>,
  id: unknown,
): string | undefined {
  return Object.keys(asked).find((key) => asked[key]!.id === id);
}
