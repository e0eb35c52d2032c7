/**
 * The status in the session file of Claude. Claude leaves the hook of a request running when the user allows in the terminal; the
 * file then changes from `waiting` to `busy`. And a turn that was interrupted before its first word leaves nothing else.
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
    // With several requests the file does not say which: then the tool says it.
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
