/** The present activity of a session, as far as it is known, and the evidence. */
import type { OpenRequest } from './open-request.ts';
import type { Question } from './question.ts';

/**
 * `starting`: no report yet. `working`: the program is active. `blocked`: it waits for a user's decision. `idle`: it waits for
 * the next task. `exited`: the child has ended.
 */
export type StatusState = 'starting' | 'working' | 'blocked' | 'idle' | 'exited';

/** The source of the evidence. `program`: the program's own report (OSC 7501); `shell`: command marks (OSC 133, 633). */
export type StatusSource =
  | 'process'
  | 'program'
  | 'shell'
  | 'screen'
  | 'title'
  | 'progress'
  | 'notification'
  | 'bell'
  | 'output'
  /** The agent's own protocol, read by its driver. */
  | 'wire';

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

export interface Status {
  readonly state: StatusState;
  /** The start of this state; milliseconds since 1970. */
  readonly since: number;
  /** The source of the evidence that decided. */
  readonly source: StatusSource;
  readonly confidence: number;
  /** The evidence, the strongest first, including evidence that lost. At most 8. */
  readonly evidence: readonly Evidence[];
  /**
   * The kind. Blocked: `permission`, `question`, `trust`, `auth`, `menu`, `confirm`, `password`, `key`, `pager`, …; idle:
   * `prompt` when the screen shows an input line, `done`, `error`, `silence`.
   */
  readonly kind: string | null;
  /** The agent whose rules apply: `claude`, `codex`, …, or `shell`. */
  readonly agent: string | null;
  /** The activity in one line: `Thinking`, `Bash(npm test)`, `Editing src/x.ts`. */
  readonly activity: string | null;
  /** The question of a blocked session, once its screen shows it; absent if it is unknown. */
  readonly question?: Question | undefined;
  /** The requests of an agent without a terminal that wait for a person, the oldest first; absent if there are none. */
  readonly requests?: readonly OpenRequest[] | undefined;
  /** The program's own description of its thoughts. */
  readonly thought: string | null;
  /** The last words of the agent: from its own protocol, or as far as they were on the screen; absent if they are unknown. */
  readonly said?: string | undefined;
  /** The progress in percent. */
  readonly progress: number | null;
  readonly offset: number;
}

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

/** A status in the form for lists: the deciding evidence is one sentence. `explain` has all of it. */
export type StatusInfo = Omit<Status, 'evidence'> & { readonly why: string };

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
  /** A client began to type: another one than before, or the same after a long pause. */
  | { readonly type: 'typed'; readonly at: number; readonly offset: number; readonly who: string };

/** A noteworthy point that a known tool has reached: `dependencies installed`, `dev server ready`. */
export interface Milestone {
  /** The name in the catalogue: `npm-install`, `vite-ready`. */
  readonly name: string;
  /** The title for users: `412 packages installed`. */
  readonly title: string;
  readonly percent?: number | undefined;
  readonly url?: string | undefined;
  /** The outcome; `failed` if the tool reports a failure. */
  readonly outcome?: 'ok' | 'failed' | undefined;
  /** The byte after the line that reported it. */
  readonly offset: number;
}
