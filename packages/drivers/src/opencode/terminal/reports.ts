/**
 * The order of an answer and of what follows it. OpenCode reports in its stream that a request was answered, and answers the call
 * of our own reply beside the stream; only that answer says whether our reply was the first. What the stream reports in the
 * meantime waits, because the end of the tool or of the turn would withdraw the request. Keeps CHAN-43.
 */
import type { JsonObject } from '../../json-value.ts';
import { textOf } from '../../json-value.ts';
import { rawEvent } from '../../ledger/raw.ts';
import type { Work } from '../../ledger/stepper.ts';
import { event } from '../events.ts';
import type { OpenCodeState } from '../state.ts';

/** The number of messages that wait for the answer to a reply, and the time that they wait. After that, the report decides. */
const WAITING_MAX = 64;
const WAITING_MS_MAX = 2000;

/** A report that a request was answered. */
interface Report {
  readonly type: string;
  readonly properties: JsonObject;
  readonly at: number;
}

export interface WatchedOpenCode extends OpenCodeState {
  relay: string | null;
  /** The time of the first connection. */
  begunAt: number | null;
  /** The sessions that another session has started. */
  children: string[];
  /** The reports about requests whose own answer has no status yet, by request. */
  reports: Record<string, Report>;
  /** The messages that came after such a report. */
  waiting: JsonObject[];
}

export type WatchedOpenCodeWork = Work<WatchedOpenCode>;

type Take = (work: WatchedOpenCodeWork, line: JsonObject) => boolean;

/** Returns whether a message of the stream has to wait. */
export function isSettling(work: WatchedOpenCodeWork, take: Take): boolean {
  const { state, ledger } = work;
  const isLate = Object.values(state.reports).some(({ at }) => ledger.at - at > WAITING_MS_MAX);
  if (isLate || state.waiting.length >= WAITING_MAX) settleByReports(work, take);
  return Object.keys(state.reports).length > 0;
}

/** Resolves the request of a report: by our reply if it was the first, otherwise by the other one. */
export function settle(work: WatchedOpenCodeWork, request: string, isOurs: boolean, take: Take): void {
  const { state, ledger } = work;
  const report = state.reports[request];
  delete state.reports[request];
  if (isOurs) ledger.answerTaken(request);
  else if (report) event(work, report.type, report.properties);
  if (Object.keys(state.reports).length > 0) return;
  for (const line of state.waiting.splice(0)) {
    const type = textOf(line.type) ?? 'unknown';
    if (!take(work, line)) ledger.emit(rawEvent(type, line));
  }
}

/** Resolves the requests whose calls get no answer any more: our reply counts if the report says the same. */
export function settleByReports(work: WatchedOpenCodeWork, take: Take): void {
  const { state, ledger } = work;
  // What waited may contain further reports.
  for (let [request] = Object.keys(state.reports); request !== undefined; [request] = Object.keys(state.reports)) {
    const { type, properties } = state.reports[request]!;
    const decision = DECISIONS[type] ?? (textOf(properties.reply) === 'reject' ? 'deny' : 'allow');
    settle(work, request, ledger.state.asks[request]?.held?.decision === decision, take);
  }
}

const DECISIONS: Readonly<Record<string, string>> = { 'question.replied': 'answered', 'question.rejected': 'declined' };
