/**
 * The event `session-summary` at the end of a session: what is known of it, on one page. Made only while a client listens for
 * it, because it reads the history and the screen. The SDK adds what needs the folder of the session (changed files). Keeps
 * the daemon's part of STATE-10.
 */
import type { DaemonEvent, SessionInfo } from '@spool/protocol';
import { LineText } from '@spool/vt';
import type { Session } from './session.ts';

type SummaryEvent = Extract<DaemonEvent, { type: 'session-summary' }>;

const LAST_LINES = 12;
/** Lines above the screen that are looked at too. */
const HISTORY_LINES = 50;
/** Of a session without a terminal. */
const TAIL_BYTES = 16 * 1024;
/** A spinner, a rule or a box says nothing. */
const LETTER = /\p{L}/u;

export async function endSummary(session: Session): Promise<SummaryEvent> {
  const { history } = await session.screen({ type: 'explain' });
  // The output of an agent is its own protocol, and not for everybody.
  const isWire = session.agent !== null;
  const lines = isWire ? [] : session.info.size === null ? tailOf(session) : await screenOf(session);
  const { summary, ...event } = summaryOf(session.info);
  const milestones = history.flatMap((item) => (item.type === 'milestone' ? [item] : []));
  return {
    ...event,
    summary: { ...summary, milestones, lastLines: lines.filter((line) => LETTER.test(line)).slice(-LAST_LINES) },
  };
}

/** Without what must be read first. */
export function summaryOf(info: SessionInfo): SummaryEvent {
  const { id, name, state, exitCode, signal, startedAt, endedAt } = info;
  return {
    type: 'session-summary',
    at: Date.now(),
    id,
    reason: 'end',
    summary: {
      name,
      state,
      exitCode,
      signal,
      startedAt,
      endedAt,
      durationMs: (endedAt ?? startedAt) - startedAt,
      milestones: [],
      lastLines: [],
    },
  };
}

async function screenOf(session: Session): Promise<readonly string[]> {
  const { content } = await session.screen({ type: 'screen', at: null, format: 'text', historyLines: HISTORY_LINES });
  return content.split('\n').map((line) => line.trimEnd());
}

function tailOf({ log }: Session): readonly string[] {
  const text = new LineText();
  const lines: string[] = [];
  for (let at = Math.max(log.start, log.end - TAIL_BYTES); at < log.end;) {
    const read = log.read(at, TAIL_BYTES);
    if (read.type === 'end') break;
    if (read.type !== 'gap') for (const line of text.feed(read.bytes)) lines.push(line.text);
    at = read.type === 'gap' ? read.to : at + read.bytes.length;
  }
  return [...lines, ...text.flush().map((line) => line.text)];
}
