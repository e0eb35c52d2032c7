/** The agent's list of todos, which comes as an event, as an answer, and as the result of the tool that wrote it. */
import type { PlanEntry } from '@spool/protocol/agent';
import { objectOf, textOf } from '../json-value.ts';
import type { OpenCodeWork } from './state.ts';

/** Handles the whole list, which comes each time. An unchanged list is not reported. */
export function todos({ ledger, state }: OpenCodeWork, list: readonly unknown[]): void {
  const json = JSON.stringify(list).slice(0, PLAN_CHARS_MAX);
  if (json === (state.plan === '' ? '[]' : state.plan)) return;
  state.plan = json;
  ledger.emit({ kind: 'plan.updated', replace: true, entries: list.map(planEntry) });
}

/** The limit of the list that is remembered, to detect a change. */
const PLAN_CHARS_MAX = 16 * 1024;

function planEntry(value: unknown): PlanEntry {
  const { content, status, priority } = objectOf(value);
  const known = status === 'in_progress' || status === 'completed' ? status : undefined;
  return {
    text: textOf(content) ?? '',
    status: known ?? (status === 'cancelled' ? 'deleted' : 'pending'),
    ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
  };
}
