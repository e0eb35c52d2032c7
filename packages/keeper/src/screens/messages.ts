/** What the keeper and its thread for screens say to each other. */
import type { HistoryItem, Milestone, ScreenFormat, Size, Status, StatusState, TerminalColours } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';

/** A session as this thread knows it: its log, what runs, and the size that it began with. */
export interface ScreenSource {
  readonly id: string;
  /** The session's folder: the log, the keyframes and the history are in it. */
  readonly folder: string;
  /** Null without a terminal: then there is no screen, but a status all the same. */
  readonly firstSize: Size | null;
  readonly pid: number;
  readonly command: readonly string[];
  readonly startedAt: number;
  /** It ran before this keeper did: what was known is on disk. */
  readonly isAdopted: boolean;
}

export type TerminalSource = ScreenSource & { readonly firstSize: Size };

export function hasTerminal(source: ScreenSource): source is TerminalSource {
  return source.firstSize !== null;
}

export interface GrownSession {
  readonly id: string;
  readonly end: number;
  /** When it last grew. */
  readonly at: number;
  /** Somebody typed since this was last said, so what came may be echo. */
  readonly typedAt: number | null;
}

/** A session, and how far that what is said holds. */
export interface SessionOffset {
  readonly id: string;
  readonly offset: number;
}

export type ToScreens =
  /** Keep a model of this session, and answer what its program asks from `answeredTo` on. */
  | { readonly type: 'follow'; readonly source: ScreenSource; readonly end: number; readonly answeredTo: number }
  | { readonly type: 'grown'; readonly sessions: readonly GrownSession[] }
  | { readonly type: 'resized'; readonly id: string; readonly offset: number; readonly size: Size }
  | { readonly type: 'colours'; readonly id: string; readonly colours: TerminalColours }
  /** The child has ended: the rest is followed, then it is forgotten. */
  | {
      readonly type: 'exited';
      readonly id: string;
      readonly end: number;
      readonly at: number;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | { readonly type: 'forget'; readonly id: string }
  | {
      readonly type: 'ask';
      readonly request: number;
      readonly source: ScreenSource;
      readonly end: number;
      readonly what: ScreenAsk;
    };

export type ScreenAsk =
  | { readonly type: 'explain' }
  /**
   * Answered before everything else, and if it `mustReach` the ask's `end`, only once all of the log up to there has been
   * seen. Else the answer is of a moment ago where a flood is too fast.
   */
  | { readonly type: 'look'; readonly mustReach: boolean }
  | { readonly type: 'snapshot'; readonly historyLines: number }
  | {
      readonly type: 'screen';
      readonly at: { readonly offset: number } | { readonly time: number } | null;
      readonly format: ScreenFormat;
      readonly historyLines: number;
    };

export type FromScreens =
  /** The thread is there, and answers what programs ask without delay. */
  | { readonly type: 'ready' }
  /** All that was announced before has been followed to this offset. */
  | { readonly type: 'followed'; readonly sessions: readonly SessionOffset[] }
  /** For the child: what it asked before this offset. */
  | { readonly type: 'answers'; readonly id: string; readonly bytes: Uint8Array; readonly upTo: number }
  | { readonly type: 'modes'; readonly id: string; readonly reportsFocus: boolean }
  | { readonly type: 'status'; readonly id: string; readonly status: Status }
  | { readonly type: 'milestone'; readonly id: string; readonly at: number; readonly milestone: Milestone }
  | { readonly type: 'fact'; readonly id: string; readonly at: number; readonly fact: OscEvent }
  /** The screen was looked at, and what is known is true up to this offset. */
  | { readonly type: 'looked'; readonly sessions: readonly SessionOffset[] }
  | { readonly type: 'complaint'; readonly sentence: string }
  | { readonly type: 'answer'; readonly request: number; readonly answer: ScreenAnswer }
  | { readonly type: 'failed'; readonly request: number; readonly reason: string };

/** What a session shows, and what that means. */
export interface Look {
  /** Everything before this offset has been seen. */
  readonly offset: number;
  /** False while a flood is being skipped: the picture may lack something. */
  readonly isExact: boolean;
  readonly state: StatusState;
  readonly kind: string | null;
  readonly agent: string | null;
  /** What it asks, in a sentence; null when it asks nothing. */
  readonly asks: string | null;
  /** What it shows now says something else than what counts, but not for long enough: look again in a moment. */
  readonly isUnsettled: boolean;
  readonly bracketedPaste: boolean;
  /** What stands in its input line, and the keys that clear it, each as its bytes; null where nobody can tell. */
  readonly input: { readonly text: string; readonly clear: readonly Uint8Array[] } | null;
  readonly lines: readonly string[];
  readonly cursorRow: number;
}

export type ScreenAnswer =
  | { readonly type: 'look'; readonly look: Look }
  /** Null: nothing has been understood of it yet, or no longer. */
  | { readonly type: 'explanation'; readonly status: Status | null; readonly history: readonly HistoryItem[] }
  | { readonly type: 'snapshot'; readonly offset: number; readonly size: Size; readonly bytes: Uint8Array }
  | {
      readonly type: 'screen';
      readonly offset: number;
      readonly at: number;
      readonly cols: number;
      readonly rows: number;
      readonly isExact: boolean;
      readonly title: string;
      readonly content: string;
    };
