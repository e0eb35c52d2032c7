/** Converts the times of a summary to shares of a bar. */
import type { Summary } from '@spool/client';
import type { SessionCondition } from '../state/condition.ts';

export interface Share {
  readonly condition: SessionCondition;
  readonly ms: number;
  /** The start as a share of the whole: 0 to 1. */
  readonly from: number;
  readonly share: number;
}

const CONDITIONS: readonly (readonly [keyof Summary['timeIn'], SessionCondition])[] = [
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
