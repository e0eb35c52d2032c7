/** `codex exec --json`: one prompt, whole items, no approvals. */
import { type JsonObject, objectOf, present, textOf } from '../json-value.ts';
import { dialectOf } from '../ledger/stepper.ts';
import { itemCompleted, itemStarted, itemUpdated } from './items.ts';
import { faultOf, tokensOf } from './notifications.ts';
import { type CodexState, type CodexWork, initialCodex } from './state.ts';

export const codexExec = dialectOf<CodexState>({
  source: 'codex',
  initial: initialCodex,
  message,
  capabilities: () => ({}),
  typeOf: (line) => textOf(line.type) ?? 'unknown',
});

function message(work: CodexWork, line: JsonObject): boolean {
  const { ledger, state } = work;
  const item = objectOf(line.item);
  switch (line.type) {
    case 'thread.started':
      state.ledger.isReady = true;
      ledger.emit({
        kind: 'session.started',
        agentName: 'codex',
        ...present({ agentSession: textOf(line.thread_id) }),
      });
      return true;
    case 'turn.started':
      ledger.ensureTurn('user');
      return true;
    case 'item.started':
      return itemStarted(work, item);
    case 'item.updated':
      return itemUpdated(work, item);
    case 'item.completed':
      return itemCompleted(work, item);
    case 'turn.completed':
      ledger.ensureTurn();
      ledger.endTurn({ outcome: 'completed', usage: tokensOf(line.usage) });
      return true;
    case 'turn.failed':
      ledger.ensureTurn();
      ledger.endTurn({ outcome: 'failed', error: faultOf(objectOf(line.error)) });
      return true;
    case 'error': {
      const text = textOf(line.message) ?? 'error';
      const [, attempt, max] = /^Reconnecting\.\.\. (\d+)\/(\d+)/.exec(text) ?? [];
      const error = { code: 'error', message: text };
      if (attempt === undefined) ledger.emit({ kind: 'fault', error, fatal: false });
      else {
        ledger.retract(state.attempt);
        state.attempt = [];
        ledger.emit({ kind: 'retry', attempt: Number(attempt), max: Number(max), error });
      }
      return true;
    }
    default:
      return false;
  }
}
