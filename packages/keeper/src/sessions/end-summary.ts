/**
 * The event `session-summary` at the end of a session: a summary on one page. It is created only while a client listens for it,
 * because it reads the history and the screen. The SDK adds the facts that need the folder of the session (changed files). Keeps
 * the event of STATE-10.
 */
import type { DaemonEvent, SessionInfo } from '@spool/protocol';
import { LineText } from '@spool/vt';
import type { KeeperSession } from './session.ts';

type SessionSummaryEvent = Extract<DaemonEvent, { type: 'session-summary' }>;

const LAST_LINES = 12;
/** The number of lines above the screen that are searched too. */
const HISTORY_LINES = 50;
/** The number of bytes that are read for a session without a terminal. */
const TAIL_BYTES = 16 * 1024;
/** A line must have a letter: a spinner, a rule or a box has no meaning. */
const LETTER = /\p{L}/u;

export async function endSummary(session: KeeperSession): Promise<SessionSummaryEvent> {
  const { history } = await session.screen({ type: 'explain' });
  // The output of an agent is its own protocol, and not every client may read it.
  const isWire = session.isHeadless;
  const lines = isWire ? [] : session.info.size === null ? tailOf(session) : await screenOf(session);
  const { summary, ...event } = summarizeEnd(session.info);
  const milestones = history.flatMap((item) => (item.type === 'milestone' ? [item] : []));
  return {
    ...event,
    summary: { ...summary, milestones, lastLines: lines.filter((line) => LETTER.test(line)).slice(-LAST_LINES) },
  };
}

/** Returns the summary without the parts that still have to be read. */
export function summarizeEnd(info: SessionInfo): SessionSummaryEvent {
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

async function screenOf(session: KeeperSession): Promise<readonly string[]> {
  const { content } = await session.screen({ type: 'screen', at: null, format: 'text', historyLines: HISTORY_LINES });
  return content.split('\n').map((line) => line.trimEnd());
}

function tailOf({ log }: KeeperSession): readonly string[] {
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
