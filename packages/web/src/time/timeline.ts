/**
 * The life of a session on a line: its output over time, its states, and its milestones.
 *
 * Positions are times, because people remember times; each leads to an exact offset. Keeps PAGE-62.
 */
import type { HistoryItem, LogMarkInfo } from '@spool/client';

export interface Timeline {
  readonly startAt: number;
  readonly endAt: number;
  /** The end of the log. */
  readonly endOffset: number;
  /** Offsets and their times, in order. */
  readonly points: readonly { readonly offset: number; readonly at: number }[];
  /** The events, in order: for marks above the line. */
  readonly notes: readonly Note[];
}

interface Note {
  readonly at: number;
  readonly offset: number;
  readonly kind: 'waits' | 'milestone' | 'failed' | 'command' | 'resize' | 'end';
  readonly text: string;
}

export interface SessionLifetime {
  readonly startedAt: number;
  /** The time of the end, or the present. */
  readonly endAt: number;
  readonly endOffset: number;
  /** The time of the last output; null if it is unknown. */
  readonly lastOutputAt: number | null;
}

export function timelineOf(
  life: SessionLifetime,
  marks: readonly LogMarkInfo[],
  history: readonly HistoryItem[],
): Timeline {
  const points = [{ offset: 0, at: life.startedAt }];
  const notes: Note[] = [];
  for (const mark of marks) {
    const last = points.at(-1)!;
    if (mark.at >= last.at && mark.offset >= last.offset) points.push({ offset: mark.offset, at: mark.at });
    if (mark.type === 'resize' && mark.offset > 0) {
      notes.push({ at: mark.at, offset: mark.offset, kind: 'resize', text: `${mark.cols}×${mark.rows}` });
    }
  }
  const lastMark = points.at(-1)!;
  const endAt = Math.max(life.endAt, lastMark.at + 1);
  // The end of the log has the time of its last bytes: a quiet session has shown them since then.
  const lastAt = Math.min(endAt, Math.max(lastMark.at, life.lastOutputAt ?? endAt));
  points.push({ offset: life.endOffset, at: lastAt });
  if (lastAt < endAt) points.push({ offset: life.endOffset, at: endAt });
  for (const item of history) {
    const note = noteOf(item);
    if (note !== null) notes.push({ at: item.at, offset: item.offset, ...note });
  }
  notes.sort((a, b) => a.at - b.at);
  return { startAt: life.startedAt, endAt, endOffset: life.endOffset, points, notes };
}

function noteOf(item: HistoryItem): Pick<Note, 'kind' | 'text'> | null {
  switch (item.type) {
    case 'status':
      if (item.state === 'blocked') return { kind: 'waits', text: item.question ?? item.why };
      return item.state === 'exited' ? { kind: 'end', text: item.why } : null;
    case 'milestone':
      return { kind: item.outcome === 'failed' ? 'failed' : 'milestone', text: item.title };
    case 'command': {
      const isBad = item.exitCode !== null && item.exitCode !== 0;
      const code = isBad ? ` (exit code ${item.exitCode})` : '';
      return { kind: isBad ? 'failed' : 'command', text: `${item.command ?? 'command'}${code}` };
    }
    default:
      return null;
  }
}

/** Returns the bytes written in each of `count` equal parts of the life, as shares of the busiest part (by logarithm: 0 to 1). */
export function heat({ points, startAt, endAt }: Timeline, count: number): readonly number[] {
  const bytes = Array.from({ length: count }, () => 0);
  const partMs = (endAt - startAt) / count;
  for (let index = 1; index < points.length; index++) {
    const part = Math.min(count - 1, Math.floor((points[index]!.at - startAt) / partMs));
    bytes[part]! += points[index]!.offset - points[index - 1]!.offset;
  }
  const most = Math.log1p(Math.max(...bytes, 1));
  return bytes.map((each) => Math.log1p(each) / most);
}

/** Returns the last offset that is known to have been written at this time. */
export function offsetAt({ points }: Timeline, at: number): number {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (points[middle]!.at <= at) low = middle;
    else high = middle - 1;
  }
  return points[low]!.offset;
}

/** Returns the time at which an offset was reached. */
export function timeAt({ points }: Timeline, offset: number): number {
  return points.find((point) => point.offset >= offset)?.at ?? points.at(-1)!.at;
}

/** Returns the next time with output, for a player that skips silence. */
export function nextOutputAfter({ points }: Timeline, at: number): number | null {
  const now = points.findLast((point) => point.at <= at)?.offset ?? -1;
  return points.find((point) => point.at > at && point.offset > now)?.at ?? null;
}
