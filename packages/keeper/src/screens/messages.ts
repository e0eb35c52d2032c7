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
  /** The first size; null without a terminal, when there is a status but no screen. */
  readonly firstSize: Size | null;
  readonly pid: number;
  readonly command: readonly string[];
  readonly startedAt: number;
  /** Whether it is older than this keeper: then its state is on disk. */
  readonly isAdopted: boolean;
}

export type TerminalSource = ScreenSource & { readonly firstSize: Size };

export function hasTerminal(source: ScreenSource): source is TerminalSource {
  return source.firstSize !== null;
}

export interface GrownSession {
  readonly id: string;
  readonly end: number;
  /** The time of the last growth. */
  readonly at: number;
  /** The time at which a client typed since the last notice, so that the output may be echo. */
  readonly typedAt: number | null;
  /** Whether the input ended with Enter, which may have sent a draft. */
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
  /** Asks to keep a model of this session, and to answer its program's queries from `answeredTo` on. */
  | { readonly type: 'follow'; readonly source: ScreenSource; readonly end: number; readonly answeredTo: number }
  | { readonly type: 'grown'; readonly sessions: readonly GrownSession[] }
  | { readonly type: 'resized'; readonly id: string; readonly offset: number; readonly size: Size }
  /** A client has begun to type, which goes into the history. */
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
    }
  /** No client waits for this answer any more. */
  | { readonly type: 'cancel'; readonly request: number };

export type ScreenAsk =
  | { readonly type: 'explain' }
  /**
   * The request is answered before all others. With `mustReach`, the answer waits until the whole log up to the request's `end` has
   * been read; otherwise it may be a moment old during a flood.
   */
  | { readonly type: 'look'; readonly mustReach: boolean }
  | { readonly type: 'snapshot'; readonly historyLines: number }
  /** The screen as a user sees it now, for a later comparison. */
  | { readonly type: 'shown'; readonly historyLines: 0 }
  /** The rows for a miniature that the owner of the stamp has not seen. */
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
  /** All output announced before has been followed to this offset. */
  | { readonly type: 'followed'; readonly sessions: readonly SessionOffset[] }
  /** Answers for the child, to its queries before this offset. */
  | { readonly type: 'answers'; readonly id: string; readonly bytes: Uint8Array; readonly upTo: number }
  | { readonly type: 'modes'; readonly id: string; readonly reportsFocus: boolean }
  | { readonly type: 'status'; readonly id: string; readonly status: Status }
  | { readonly type: 'milestone'; readonly id: string; readonly at: number; readonly milestone: Milestone }
  | { readonly type: 'command'; readonly id: string; readonly command: EndedCommand }
  | { readonly type: 'fact'; readonly id: string; readonly at: number; readonly fact: OscEvent }
  /** The screen has been examined, and the status is true up to this offset. */
  | { readonly type: 'looked'; readonly sessions: readonly SessionOffset[] }
  | { readonly type: 'complaint'; readonly sentence: string }
  | { readonly type: 'answer'; readonly request: number; readonly answer: ScreenAnswer }
  /** `code`: the error code of the system, if it refused to read the files. */
  | { readonly type: 'failed'; readonly request: number; readonly reason: string; readonly code?: string | undefined };

/** The question on the screen, with the bytes of each key in the present mode of the program. */
export interface AskedQuestion {
  readonly text: string;
  readonly subject?: string | undefined;
  readonly options: readonly {
    readonly label: string;
    /** The keys; null if they cannot be read from the screen. */
    readonly keys: readonly { readonly name: string; readonly bytes: Uint8Array }[] | null;
  }[];
}

/** The screen of a session, and its interpretation. */
export interface ScreenReport {
  /** The offset before which all output has been read. */
  readonly offset: number;
  /** Whether the picture is complete; false while a flood is being skipped. */
  readonly isExact: boolean;
  readonly state: StatusState;
  readonly kind: string | null;
  readonly agent: string | null;
  /** The evidence that decided the state. */
  readonly source: StatusSource;
  /** Whether the program fills the screen like an editor or a pager. */
  readonly isAlternate: boolean;
  /** The question, in a sentence; null if there is none. */
  readonly asks: string | null;
  /** The question with its options; null if there is none, if it cannot be read, or while another question is being drawn. */
  readonly question: AskedQuestion | null;
  /** Whether the screen contradicts the current status, but not yet for long enough, so that another look is needed. */
  readonly isUnsettled: boolean;
  readonly bracketedPaste: boolean;
  /** Whether it is an agent whose rules define its input line, whether or not the screen shows one. */
  readonly hasInputRules: boolean;
  /** The input line, and the bytes of each key that clears it; null if none is visible. */
  readonly input: {
    readonly text: string;
    /** The rows of an agent's input box. */
    readonly rows: { readonly top: number; readonly bottom: number } | null;
    readonly clear: readonly Uint8Array[];
  } | null;
  readonly lines: readonly string[];
  readonly cursorRow: number;
}

/** The answer of the same type as the request. */
export type AnswerTo<Ask extends ScreenAsk> = Extract<ScreenAnswer, { readonly type: Ask['type'] }>;

export type ScreenAnswer =
  | { readonly type: 'look'; readonly look: ScreenReport }
  /** Null if no status has been derived yet, or the session is no longer followed. */
  | { readonly type: 'explain'; readonly status: Status | null; readonly history: readonly HistoryItem[] }
  | {
      readonly type: 'snapshot';
      readonly offset: number;
      readonly size: Size;
      readonly bytes: Uint8Array;
      readonly missingBytes: number;
    }
  /** `scrolled`: the number of lines that have left the screen since the thread began to follow it. */
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
