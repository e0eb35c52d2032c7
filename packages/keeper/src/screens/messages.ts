/** The messages between the keeper and its screen thread. */
import type {
  Grid,
  HistoryItem,
  Milestone,
  ScreenFormat,
  Size,
  Status,
  StatusSource,
  StatusState,
  TerminalColours,
} from '@spool/protocol';
import type { OscEvent } from '@spool/vt';

/** A session as the screen thread knows it: its log, its command, and its first size. */
export interface ScreenSource {
  readonly id: string;
  /** The session's folder, with the log, the keyframes and the history. */
  readonly folder: string;
  /** Null without a terminal: then there is no screen, but there is still a status. */
  readonly firstSize: Size | null;
  readonly pid: number;
  readonly command: readonly string[];
  readonly startedAt: number;
  /** It is older than this keeper: what was known is on disk. */
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
  /** A client typed since the last notice, so the output may be echo. */
  readonly typedAt: number | null;
  /** With Enter, which may have sent a draft. */
  readonly isEntered: boolean;
}

/** A command that a shell has run (OSC 133, 633), with the last line that it printed. */
export interface EndedCommand {
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly lastLine: string;
}

/** A session, and the offset up to which a statement is true. */
export interface SessionOffset {
  readonly id: string;
  readonly offset: number;
}

export type ToScreens =
  /** Keep a model of this session, and answer its program's queries from `answeredTo` on. */
  | { readonly type: 'follow'; readonly source: ScreenSource; readonly end: number; readonly answeredTo: number }
  | { readonly type: 'grown'; readonly sessions: readonly GrownSession[] }
  | { readonly type: 'resized'; readonly id: string; readonly offset: number; readonly size: Size }
  /** A client began to type: for the history. */
  | { readonly type: 'typist'; readonly id: string; readonly at: number; readonly who: string }
  /** The child was sent a signal. */
  | { readonly type: 'signalled'; readonly id: string }
  | { readonly type: 'colours'; readonly id: string; readonly colours: TerminalColours }
  /** The child has ended: follow the rest of the log, then forget the session. */
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
   * Answered before everything else. With `mustReach`, only once the whole log up to the ask's `end` has been seen;
   * else the answer may be a moment old when a flood is too fast.
   */
  | { readonly type: 'look'; readonly mustReach: boolean }
  | { readonly type: 'snapshot'; readonly historyLines: number }
  /** What a user sees now, to compare with what is shown later. */
  | { readonly type: 'shown'; readonly historyLines: 0 }
  /** Rows for a miniature: those that the owner of the stamp has not seen. */
  | { readonly type: 'grid'; readonly stamp: string | undefined; readonly historyLines: 0 }
  | {
      readonly type: 'screen';
      readonly at: { readonly offset: number } | { readonly time: number } | null;
      readonly format: ScreenFormat;
      readonly historyLines: number;
    };

export type FromScreens =
  /** The thread is running, and answers queries without delay. */
  | { readonly type: 'ready' }
  /** Everything announced before has been followed to this offset. */
  | { readonly type: 'followed'; readonly sessions: readonly SessionOffset[] }
  /** Answers for the child, to its queries before this offset. */
  | { readonly type: 'answers'; readonly id: string; readonly bytes: Uint8Array; readonly upTo: number }
  | { readonly type: 'modes'; readonly id: string; readonly reportsFocus: boolean }
  | { readonly type: 'status'; readonly id: string; readonly status: Status }
  | { readonly type: 'milestone'; readonly id: string; readonly at: number; readonly milestone: Milestone }
  | { readonly type: 'command'; readonly id: string; readonly command: EndedCommand }
  | { readonly type: 'fact'; readonly id: string; readonly at: number; readonly fact: OscEvent }
  /** The screen was looked at, and the status is true up to this offset. */
  | { readonly type: 'looked'; readonly sessions: readonly SessionOffset[] }
  | { readonly type: 'complaint'; readonly sentence: string }
  | { readonly type: 'answer'; readonly request: number; readonly answer: ScreenAnswer }
  /** `code`: of the system, which refused to read its files. */
  | { readonly type: 'failed'; readonly request: number; readonly reason: string; readonly code?: string | undefined };

/** The question on the screen, with the bytes of each key, as the program wants them now. */
export interface AskedQuestion {
  readonly text: string;
  readonly subject?: string | undefined;
  readonly options: readonly {
    readonly label: string;
    /** Null where the screen does not tell. */
    readonly keys: readonly { readonly name: string; readonly bytes: Uint8Array }[] | null;
  }[];
}

/** What a session shows, and what that means. */
export interface Look {
  /** Everything before this offset has been seen. */
  readonly offset: number;
  /** False while a flood is being skipped: the picture may be incomplete. */
  readonly isExact: boolean;
  readonly state: StatusState;
  readonly kind: string | null;
  readonly agent: string | null;
  /** The evidence that decided on the state. */
  readonly source: StatusSource;
  /** It fills the screen like an editor or a pager. */
  readonly isAlternate: boolean;
  /** The question it asks, in a sentence; null when it asks nothing. */
  readonly asks: string | null;
  /** The same with its options; null when it asks nothing, when that cannot be read, and while another question is drawn. */
  readonly question: AskedQuestion | null;
  /** The screen contradicts the current status, but not yet for long enough: look again in a moment. */
  readonly isUnsettled: boolean;
  readonly bracketedPaste: boolean;
  /** The text in its input line, and the bytes of each key that clears it; null where that is unknown. */
  readonly input: { readonly text: string; readonly clear: readonly Uint8Array[] } | null;
  readonly lines: readonly string[];
  readonly cursorRow: number;
}

/** Each ask has its answer, of the same type. */
export type AnswerTo<Ask extends ScreenAsk> = Extract<ScreenAnswer, { readonly type: Ask['type'] }>;

export type ScreenAnswer =
  | { readonly type: 'look'; readonly look: Look }
  /** Null: nothing has been derived yet, or the session is no longer followed. */
  | { readonly type: 'explain'; readonly status: Status | null; readonly history: readonly HistoryItem[] }
  | {
      readonly type: 'snapshot';
      readonly offset: number;
      readonly size: Size;
      readonly bytes: Uint8Array;
      readonly missingBytes: number;
    }
  /** `scrolled`: lines that have left the screen since the thread has followed it. */
  | { readonly type: 'shown'; readonly offset: number; readonly text: string; readonly scrolled: number | null }
  | ({ readonly type: 'grid' } & Omit<Grid, 'id'>)
  | {
      readonly type: 'screen';
      readonly offset: number;
      readonly at: number;
      readonly cols: number;
      readonly rows: number;
      readonly isExact: boolean;
      readonly missingBytes: number;
      readonly title: string;
      readonly content: string;
    };
