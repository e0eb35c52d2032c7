/** The present activity of a session, as far as it is known, and the evidence. */
import type { MessageOf } from './message-type.ts';
import type * as schemas from './schemas/status.ts';

export type StatusState = MessageOf<typeof schemas.STATUS_STATE>;
export type StatusSource = MessageOf<typeof schemas.STATUS_SOURCE>;
export type StatusInfo = MessageOf<typeof schemas.STATUS_INFO>;
export type RunUsage = NonNullable<StatusInfo['usage']>;
export type Milestone = MessageOf<typeof schemas.MILESTONE>;
export type OpenRequest = MessageOf<typeof schemas.OPEN_REQUEST>;

export interface Evidence {
  readonly source: StatusSource;
  readonly says: StatusState;
  /** A sentence: `the screen shows "Do you want to proceed?"`. */
  readonly why: string;
  /** The matching rule, `claude/permission`; null if no rule file was used. */
  readonly rule: string | null;
  /** The confidence, from 0 to 1. */
  readonly confidence: number;
  /** The time of the observation, and the end of the log at that time. */
  readonly at: number;
  readonly offset: number;
}

/** The status with all its evidence. */
export type Status = Omit<StatusInfo, 'why'> & {
  /** The evidence, the strongest first, including evidence that lost. At most 8. */
  readonly evidence: readonly Evidence[];
};

/** The status of a session about which nothing is known yet. */
export const UNKNOWN_STATUS: Status = {
  state: 'starting',
  since: 0,
  source: 'process',
  confidence: 1,
  evidence: [],
  kind: null,
  agent: null,
  activity: null,
  thought: null,
  progress: null,
  offset: 0,
};

/** One line of a session's history, kept beside its log. */
export type HistoryItem =
  | {
      readonly type: 'status';
      readonly at: number;
      readonly offset: number;
      readonly state: StatusState;
      readonly kind: string | null;
      readonly source: StatusSource;
      readonly why: string;
      /** The question of a blocked session, in one line; absent if it is unknown. */
      readonly question?: string | undefined;
    }
  | ({ readonly type: 'milestone'; readonly at: number } & Milestone)
  /** A command that a shell has run (OSC 133, 633). */
  | {
      readonly type: 'command';
      readonly at: number;
      readonly offset: number;
      readonly command: string | null;
      readonly exitCode: number | null;
      readonly durationMs: number;
    }
  /** A client has begun to type: another one than before, or the same after a long pause. */
  | { readonly type: 'typed'; readonly at: number; readonly offset: number; readonly who: string };
