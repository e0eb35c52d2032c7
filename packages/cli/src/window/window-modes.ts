/** What a session's modes become on a terminal that shows a window of it: what keys and pastes send, and no more. */
import { INITIAL_MODES, kittyFlags, type ModeState } from '@spool/vt';

/**
 * The picture is painted by us, so modes of drawing are left out; so is the report of a new size, which would be that of the
 * wrong terminal. The wheel moves the window where the program does not want it, so the mouse is always reported, in the one
 * encoding that knows no limit.
 */
export function windowModes(modes: ModeState, isTyping: boolean): ModeState {
  const { reverseVideo, cursorStyle, cursorBlink } = modes;
  const mouse = isTyping && modes.mouse !== 0 && modes.mouse !== 1001 ? modes.mouse : 1000;
  const shown: ModeState = {
    ...INITIAL_MODES,
    wrap: false,
    reverseVideo,
    cursorStyle,
    cursorBlink,
    mouse,
    mouseEncodings: [1006],
  };
  if (!isTyping) return shown;
  const { applicationCursor, applicationKeypad, backspaceIsBs, focusReports, bracketedPaste } = modes;
  const { colourReports, lineFeed, modifyOtherKeys } = modes;
  const flags = kittyFlags(modes);
  return {
    ...shown,
    applicationCursor,
    applicationKeypad,
    backspaceIsBs,
    focusReports,
    bracketedPaste,
    colourReports,
    lineFeed,
    modifyOtherKeys,
    kittyMain: flags === 0 ? [0] : [0, flags],
  };
}
