/** Times of a summary: as text, and as shares of a bar. */
import type { Summary } from '@spool/client';
import type { Condition } from '../state/condition.ts';

/** `850 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`;
  const seconds = Math.round(ms / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

export interface Share {
  readonly condition: Condition;
  readonly ms: number;
  /** Of the whole: 0 to 1. */
  readonly from: number;
  readonly share: number;
}

const CONDITIONS: readonly (readonly [keyof Summary['timeIn'], Condition])[] = [
  ['working', 'working'],
  ['blocked', 'waits'],
  ['idle', 'idle'],
  ['starting', 'starting'],
];

export function shares(timeIn: Summary['timeIn']): readonly Share[] {
  const parts = CONDITIONS.flatMap(([state, condition]) => {
    const ms = timeIn[state] ?? 0;
    return ms > 0 ? [{ condition, ms }] : [];
  });
  const whole = parts.reduce((sum, { ms }) => sum + ms, 0);
  let from = 0;
  return parts.map(({ condition, ms }) => {
    const part = { condition, ms, from, share: ms / whole };
    from += part.share;
    return part;
  });
}
