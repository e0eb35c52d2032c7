/**
 * Merges the status that the screen shows with the status that the side channel of an agent reports. It is pure. Keeps CHAN-7: a
 * request of the channel is certain, and can be answered through it. The screen decides everything else, because a channel learns
 * of some ends late or never. The evidence lists both.
 */
import type { Status } from '@spool/protocol';

const EVIDENCE_MAX = 8;
const ANSWERED_WHY = 'the question was answered; the screen still shows it';

export interface ReportedStatus {
  readonly status: Status;
  /** The time at which its last request was resolved; null if there was none. */
  readonly answeredAt: number | null;
}

/**
 * Returns the time, after `now`, from which on a dialog on the screen counts again although its request was answered; null if there
 * is no such dialog. A dialog needs a moment to disappear.
 */
export function leftOverUntil(screen: Status, { status, answeredAt }: ReportedStatus, now: number): number | null {
  if (status.requests !== undefined || answeredAt === null || screen.state !== 'blocked') return null;
  const until = answeredAt + LEFT_OVER_MS;
  return screen.since <= answeredAt && now < until ? until : null;
}

const LEFT_OVER_MS = 3000;

export function mergeStatus(screen: Status, reported: ReportedStatus, now: number): Status {
  const { status: wire } = reported;
  const evidence = (first: Status['evidence'], second: Status['evidence']): Status['evidence'] =>
    [...first, ...second].slice(0, EVIDENCE_MAX);
  if (wire.requests !== undefined)
    return {
      ...screen,
      state: 'blocked',
      since: wire.since,
      source: wire.source,
      confidence: wire.confidence,
      kind: wire.kind,
      agent: screen.agent ?? wire.agent,
      activity: wire.activity ?? screen.activity,
      question: wire.question,
      requests: wire.requests,
      evidence: evidence(wire.evidence, screen.evidence),
    };
  if (leftOverUntil(screen, reported, now) !== null) {
    const { question: _question, ...rest } = screen;
    const said = {
      source: wire.source,
      says: 'working',
      why: ANSWERED_WHY,
      rule: null,
      at: now,
      offset: screen.offset,
    };
    const over = [{ ...said, confidence: 1 }] as Status['evidence'];
    return {
      ...rest,
      state: 'working',
      since: now,
      source: wire.source,
      confidence: 1,
      kind: null,
      evidence: evidence(over, screen.evidence),
    };
  }
  return { ...screen, evidence: evidence(screen.evidence, wire.evidence) };
}
