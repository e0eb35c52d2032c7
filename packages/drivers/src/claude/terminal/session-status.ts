/**
 * The status in the session file of Claude. If the user allows a request in the terminal, Claude leaves its hook running; the file
 * then changes from `waiting` to `busy`. A turn that was interrupted before its first word leaves no other sign.
 */
import type { JsonObject } from '../../json-value.ts';
import { allowedInTerminal } from './hooks.ts';
import type { TerminalWork } from './state.ts';

export function sessionStatus(work: TerminalWork, { status }: JsonObject): boolean {
  const { ledger, state } = work;
  const open = Object.keys(ledger.state.asks);
  if (status === 'waiting') state.shown = open;
  else if (status === 'busy') {
    state.wasBusy = true;
    // With several requests the file does not show which one was allowed; the tool that runs next does.
    const [request] = state.shown;
    if (open.length === 1 && request === open[0] && !ledger.state.asks[request!]!.held)
      allowedInTerminal(work, request!);
    state.shown = [];
  } else if (status === 'idle') {
    state.shown = [];
    if (ledger.state.turn !== null && state.wasBusy && !state.isStopping)
      ledger.endTurn({ outcome: 'interrupted' }, (tool) => tool.agent !== undefined);
  }
  return true;
}
