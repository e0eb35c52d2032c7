/**
 * The requests that were answered between two connections to the agent's server. A new connection repeats every request that is
 * still open. Keeps the part of CHAN-3 about answers.
 */
import type { DialectState, Work } from '../ledger/stepper.ts';

export interface RepeatingState extends DialectState {
  /** The requests as the server sent them. */
  asked: Record<string, unknown>;
  /** The answers that were given and that the server has not accepted yet. */
  given: Record<string, unknown>;
  /** The requests that this connection has received. */
  repeated: readonly string[];
}

/** Resolves the requests that the server did not repeat: their tools run. */
export function settleAnswered({ state, ledger }: Work<RepeatingState>): void {
  for (const [request, { type }] of Object.entries(ledger.state.asks)) {
    if (state.repeated.includes(request)) continue;
    delete state.asked[request];
    delete state.given[request];
    if (type === 'permission') ledger.answered(request, 'allow');
    else if (!ledger.answerTaken(request)) ledger.resolveQuestion(request, 'answered', 'terminal');
  }
}
