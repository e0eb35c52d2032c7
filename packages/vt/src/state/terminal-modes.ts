/**
 * The modes of a program's terminal that matter to a client that types or paints: the bytes that keys, mouse and pastes send, and
 * which screen is shown. Viewers are notified of every change, so modes that change with every frame are not included.
 */
import { kittyFlags, type ModeState, type MouseEncoding, type MouseMode } from './modes.ts';

export interface TerminalModes {
  /** DECCKM: arrows, Home and End are sent as `ESC O A`, not as `ESC [ A`. */
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  /** Whether a paste must be wrapped in `ESC [200~` and `ESC [201~`. */
  readonly bracketedPaste: boolean;
  readonly focusReports: boolean;
  /** The mouse events that the program wants: presses only, clicks, clicks and drags, or every motion. */
  readonly mouse: 'none' | 'press' | 'click' | 'drag' | 'motion';
  readonly mouseEncoding: 'x10' | 'utf8' | 'sgr' | 'urxvt' | 'sgr-pixels';
  /** Whether a full-screen program is running: the alternate screen has no history. */
  readonly alternateScreen: boolean;
  /** Whether the mouse wheel sends arrow keys on the alternate screen. */
  readonly alternateScroll: boolean;
  /** The flags of the kitty keyboard protocol, 0 when it is off. */
  readonly kittyKeyboard: number;
  /** xterm's modifyOtherKeys, 0 when it is off. */
  readonly modifyOtherKeys: number;
}

export function terminalModesOf(state: ModeState): TerminalModes {
  const encoding = state.mouseEncodings.at(-1);
  return {
    applicationCursor: state.applicationCursor,
    applicationKeypad: state.applicationKeypad,
    bracketedPaste: state.bracketedPaste,
    focusReports: state.focusReports,
    mouse: state.mouse === 0 ? 'none' : MOUSE_WORDS[state.mouse],
    mouseEncoding: encoding === undefined ? 'x10' : ENCODING_WORDS[encoding],
    alternateScreen: state.alternate !== 0,
    alternateScroll: state.alternateScroll,
    kittyKeyboard: kittyFlags(state),
    modifyOtherKeys: state.modifyOtherKeys,
  };
}

export function isSameModes(one: TerminalModes, other: TerminalModes): boolean {
  return (Object.keys(one) as (keyof TerminalModes)[]).every((name) => one[name] === other[name]);
}

const MOUSE_WORDS: Readonly<Record<MouseMode, TerminalModes['mouse']>> = {
  9: 'press',
  1000: 'click',
  1001: 'click',
  1002: 'drag',
  1003: 'motion',
};

const ENCODING_WORDS: Readonly<Record<MouseEncoding, TerminalModes['mouseEncoding']>> = {
  1005: 'utf8',
  1006: 'sgr',
  1015: 'urxvt',
  1016: 'sgr-pixels',
};
