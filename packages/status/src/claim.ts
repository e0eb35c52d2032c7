/** The present claim of one source, with all parts that a status takes from it. */
import type { Evidence, Question, StatusSource, StatusState } from '@spool/protocol';

export interface Claim {
  readonly evidence: Evidence;
  readonly kind: string | null;
  readonly activity: string | null;
  readonly thought: string | null;
  readonly said: string | null;
  readonly progress: number | null;
  readonly question: Question | null;
}

/** The place and time of an observation. */
export interface LogMoment {
  readonly at: number;
  readonly offset: number;
}

interface ClaimDetails {
  readonly rule?: string | null;
  readonly kind?: string | null;
  readonly activity?: string | null;
  readonly thought?: string | null;
  readonly said?: string | null;
  readonly progress?: number | null;
  readonly question?: Question | null;
}

export function claim(
  source: StatusSource,
  says: StatusState,
  confidence: number,
  why: string,
  { at, offset }: LogMoment,
  {
    rule = null,
    kind = null,
    activity = null,
    thought = null,
    said = null,
    progress = null,
    question = null,
  }: ClaimDetails = {},
): Claim {
  return {
    evidence: { source, says, why, rule, confidence, at, offset },
    kind,
    activity,
    thought,
    said,
    progress,
    question,
  };
}
