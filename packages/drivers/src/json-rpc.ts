/** JSON-RPC over lines: matches responses to requests. Codex leaves out the member `jsonrpc`; ACP has it. */
import { isObject, type JsonObject, numberOf, present, textOf } from './json-value.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { DialectState, Work } from './ledger/stepper.ts';

export interface RpcState {
  /** The number of requests that were sent, which gives their ids. */
  sent: number;
  /** The requests without a response so far, with the purpose of each response. */
  pending: Record<string, { method: string; note: string | null }>;
  /** The number of processes that the agent has had, because each counts its request ids from the start. */
  connections: number;
}

export function emptyRpc(): RpcState {
  return { sent: 0, pending: {}, connections: 0 };
}

/** Starts with a new process: requests to the last one will not be answered. */
export function beginConnection(rpc: RpcState): void {
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

/** The limit of an id that is used as a key. */
const KEY_CHARS_MAX = 200;

/**
 * Returns a key for a new request of the agent that is unique in the session, because another process counts from the start again.
 */
export function newKey(ledger: Ledger, rpc: RpcState, id: string | number): string {
  // A client names the request by the key; the answer goes to the id, however long it is.
  const text = String(id);
  const name = text !== '' && text.length <= KEY_CHARS_MAX ? text : 'unnamed';
  const key = rpc.connections <= 1 ? name : `${rpc.connections}:${name}`;
  for (let again = 2; ; again++) {
    const unique = again === 2 ? key : `${key}#${again - 1}`;
    if (!ledger.hasAsked(unique)) return unique;
  }
}

/** Refuses a request of whose line only these members could be read. */
export function unreadableRequest({ ledger, state }: Work<DialectState>, { id, method, jsonrpc }: JsonObject): boolean {
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return false;
  ledger.refuseRequest('a request that is too large or too deep to be read');
  const error = { code: -32600, message: 'Denied by Spool: the request is too large or too deep to be shown.' };
  if (!state.options.isReadOnly) ledger.write({ ...present({ jsonrpc }), id, error });
  return true;
}

/** Returns the key of an open request. */
export function openKey(
  asked: Readonly<Record<string, { readonly id: string | number }>>,
  id: unknown,
): string | undefined {
  return Object.keys(asked).find((key) => asked[key]!.id === id);
}
