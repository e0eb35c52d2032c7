/**
 * Computes the status from bytes alone, for programs that no rule matches.
 *
 * Output means work. Silence means work too, for a long time: a linker, a test suite whose output is captured, or a download prints
 * nothing for minutes; if it counted as idle, a user would interrupt it. Therefore the confidence only decreases, down to zero
 * after half an hour. Programs on the alternate screen draw their work; when they draw nothing, they wait for a key.
 */
import type { StatusState } from '@spool/protocol';

export interface SilenceStep {
  /** The silence after which the step counts. */
  readonly fromMs: number;
  readonly says: StatusState;
  readonly confidence: number;
  readonly why: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const PLAIN: readonly SilenceStep[] = [
  { fromMs: 0, says: 'working', confidence: 0.6, why: 'it prints' },
  { fromMs: 5 * SECOND, says: 'working', confidence: 0.5, why: 'it has printed nothing for 5 seconds' },
  { fromMs: MINUTE, says: 'working', confidence: 0.4, why: 'it has printed nothing for a minute' },
  { fromMs: 10 * MINUTE, says: 'working', confidence: 0.3, why: 'it has printed nothing for 10 minutes' },
  { fromMs: 30 * MINUTE, says: 'idle', confidence: 0.3, why: 'it has printed nothing for half an hour' },
];

const ALTERNATE: readonly SilenceStep[] = [
  { fromMs: 0, says: 'working', confidence: 0.5, why: 'it prints' },
  { fromMs: 15 * SECOND, says: 'idle', confidence: 0.4, why: 'its full screen has not changed for 15 seconds' },
];

/** Returns the step that counts, and the time of the next one. */
export function silenceStep(
  silentMs: number,
  isAlternate: boolean,
): { readonly step: SilenceStep; readonly nextMs: number | null } {
  const steps = isAlternate ? ALTERNATE : PLAIN;
  const at = Math.max(
    0,
    steps.findLastIndex(({ fromMs }) => silentMs >= fromMs),
  );
  return { step: steps[at]!, nextMs: steps[at + 1]?.fromMs ?? null };
}
