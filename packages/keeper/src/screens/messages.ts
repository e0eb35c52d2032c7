/** What the keeper and its thread for screens say to each other. */
import type { ScreenFormat, Size, TerminalColours } from '@spool/protocol';

/** Where a session's screens come from: its log, and the size that it began with. */
export interface ScreenSource {
  readonly id: string;
  /** The session's folder: the log and the keyframes are in it. */
  readonly folder: string;
  readonly firstSize: Size;
}

export type ToScreens =
  /** Keep a model of this session, and answer what its program asks from `answeredTo` on. */
  | { readonly type: 'follow'; readonly source: ScreenSource; readonly end: number; readonly answeredTo: number }
  | { readonly type: 'grown'; readonly id: string; readonly end: number }
  | { readonly type: 'resized'; readonly id: string; readonly offset: number; readonly size: Size }
  | { readonly type: 'colours'; readonly id: string; readonly colours: TerminalColours }
  | { readonly type: 'forget'; readonly id: string }
  | {
      readonly type: 'ask';
      readonly request: number;
      readonly source: ScreenSource;
      readonly end: number;
      readonly what: ScreenAsk;
    };

export type ScreenAsk =
  | { readonly type: 'snapshot'; readonly historyLines: number }
  | {
      readonly type: 'screen';
      readonly at: { readonly offset: number } | { readonly time: number } | null;
      readonly format: ScreenFormat;
      readonly historyLines: number;
    };

export type FromScreens =
  /** All that was announced before has been followed to this offset. */
  | { readonly type: 'followed'; readonly id: string; readonly offset: number }
  /** For the child: what it asked before this offset. */
  | { readonly type: 'answers'; readonly id: string; readonly bytes: Uint8Array; readonly upTo: number }
  | { readonly type: 'modes'; readonly id: string; readonly reportsFocus: boolean }
  | { readonly type: 'answer'; readonly request: number; readonly answer: ScreenAnswer }
  | { readonly type: 'failed'; readonly request: number; readonly reason: string };

export type ScreenAnswer =
  | { readonly type: 'snapshot'; readonly offset: number; readonly bytes: Uint8Array }
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
