/** What a session is doing right now, as far as is known, and the evidence. */
import type { Question } from './question.ts';

/**
 * `starting`: nothing was reported yet. `working`: something is being done. `blocked`: it waits for a user's decision.
 * `idle`: it waits for the next task. `exited`: the child has ended.
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
  | 'hook'
  /** The agent's own protocol, read by its driver. */
  | 'wire';

export interface Evidence {
  readonly source: StatusSource;
  readonly says: StatusState;
  /** A sentence: `the screen shows "Do you want to proceed?"`. */
  readonly why: string;
  /** The matching rule, `claude/permission`; null where no rule file was used. */
  readonly rule: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** When it was seen, and the end of the log at that time. */
  readonly at: number;
  readonly offset: number;
}

export interface Status {
  readonly state: StatusState;
  /** The start of this state; milliseconds since 1970. */
  readonly since: number;
  /** Of the evidence that decided. */
  readonly source: StatusSource;
  readonly confidence: number;
  /** The strongest first, including evidence that lost. At most 8. */
  readonly evidence: readonly Evidence[];
  /**
   * Blocked: `permission`, `question`, `trust`, `auth`, `menu`, `confirm`, `password`, `key`, `pager`, …; idle: `prompt` when
   * the screen shows where to type, `done`, `error`, `silence`.
   */
  readonly kind: string | null;
  /** Which agent's rules apply: `claude`, `codex`, …, or `shell`. */
  readonly agent: string | null;
  /** One line: `Thinking`, `Bash(npm test)`, `Editing src/x.ts`. */
  readonly activity: string | null;
  /** What a blocked session asks, once its screen shows it; absent where that is not known. */
  readonly question?: Question | undefined;
  /** The program's own description of its thoughts. */
  readonly thought: string | null;
  /** The last sentence that the agent said, as far as it was on the screen; absent where that is not known. */
  readonly said?: string | undefined;
  /** Percent. */
  readonly progress: number | null;
  readonly offset: number;
}

/** Of a session of which nothing is known yet. */
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

/** A status as lists show it: the deciding evidence is one sentence. `explain` has all of it. */
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
      /** Blocked: what it asks, in one line; absent where that is not known. */
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
  /** Of the catalogue: `npm-install`, `vite-ready`. */
  readonly name: string;
  /** For users: `412 packages installed`. */
  readonly title: string;
  readonly percent?: number | undefined;
  readonly url?: string | undefined;
  /** `failed` where the tool reports that something went wrong. */
  readonly outcome?: 'ok' | 'failed' | undefined;
  /** The byte after the line that reported it. */
  readonly offset: number;
}
