/** The modes for a terminal that shows a window of a session: only those that affect keys and pastes. */
import { INITIAL_MODES, kittyFlags, type ModeState } from '@spool/vt';

/**
 * Returns the modes for the user's terminal. Drawing modes are omitted, because Spool paints the window itself; so are size
 * reports, which would report the wrong terminal. The mouse is always reported, in the only encoding without limits, because the
 * wheel moves the window if the program does not use it.
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
