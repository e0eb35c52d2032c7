/**
 * Creates a dialect that observes an agent in its own terminal, over a second connection to the agent's server (decision 231). Its
 * lines are those that a relay records: a new connection, each message of the server, the loss of the connection, and the end of
 * the server. Keeps the interpreting part of CHAN-3: lines of a replaced connection are ignored, and a line for the server names
 * its connection, so that it never reaches a later one by mistake. Keeps CHAN-9: the end of the server ends everything open.
 */
import type { Dialect, LineInput } from '../dialect.ts';
import { isObject, type JsonObject, textOf } from '../json-value.ts';
import { dialectOf, type DialectParts, type DialectState, type Work } from '../ledger/stepper.ts';

export interface RelayState extends DialectState {
  /** The connection whose messages are taken. */
  relay: string | null;
}

export interface RelayParts<State extends RelayState> extends Omit<
  DialectParts<State>,
  'started' | 'sent' | 'text' | 'unreadable'
> {
  /** Handles a new connection: requests on the last one get no answer. */
  connected(work: Work<State>): void;
  /** Handles the end of the server, before everything open ends. */
  gone?(work: Work<State>): void;
}

export function relayed<State extends RelayState>(parts: RelayParts<State>): Dialect<State> {
  const inner = dialectOf<State>({ ...parts, message: (work, line, input) => relayLine(parts, work, line, input) });
  return {
    ...inner,
    initial: (options) => inner.initial({ ...options, isWatching: true }),
    step(before, input) {
      const step = inner.step(before, input);
      const relay = JSON.stringify(step.state.relay);
      return { ...step, writes: step.writes.map((line) => `{"relay":${relay},"line":${line}}`) };
    },
  };
}

function relayLine<State extends RelayState>(
  parts: RelayParts<State>,
  work: Work<State>,
  line: JsonObject,
  input: LineInput,
): boolean {
  const { state, ledger } = work;
  const relay = textOf(line.relay);
  if (relay === undefined) return false;
  if (line.connected === true) {
    state.relay = relay;
    parts.connected(work);
    return true;
  }
  if (relay !== state.relay && line.gone === undefined) return true;
  if (isObject(line.message)) return parts.message(work, line.message, input);
  const gone = textOf(line.gone);
  if (gone === undefined) return true;
  parts.gone?.(work);
  const message = `the agent's server is gone: ${gone}`;
  ledger.emit({ kind: 'fault', error: { code: 'server-gone', message }, fatal: true });
  ledger.closeAll(message, 'server-gone');
  ledger.state.isInputClosed = true;
  return true;
}
