/**
 * Writes the end of a snapshot: pen, character sets, modes, and the cursor, in the state in which the next byte will find them.
 *
 * A cursor can move past the last column only by printing, and a mark joins only the character that was printed just before it; so
 * the last character may have to be printed again to place the cursor.
 */
import { type Attributes, attributesAt, Bg, isErased, isSameLook, penOf, PLAIN } from '../engine/attributes.ts';
import type { EngineBuffer, EngineCore } from '../engine/engine.ts';
import { isErasedLine, savedLook } from './paint-buffer.ts';
import { endingAt, glyphAt, WIDE } from './paint-line.ts';
import { isOnlyByRestoring, isPenReachable, restorePen, setSets, wearPen } from './pen-state.ts';
import type { Pen } from './pen.ts';
import { sgrWithoutUnderline } from './sgr.ts';

export function placeCursor(pen: Pen, core: EngineCore, modes: () => string): void {
  const { active } = core.buffers;
  const current = core._inputHandler._curAttrData;
  const last = lastPrinted(core, active);
  const isRestored = isOnlyByRestoring(core, active) && isPrintable(core, last);
  if (isRestored) restorePen(pen, core, active);
  else if (last.isJoinable) setSets(pen, core);
  pen.aside(modes());
  if (isRestored) pen.aside(sgrWithoutUnderline(savedLook(current), last.look ?? savedLook(current)));
  else wearPen(pen, current, last.isJoinable ? undefined : last.look);
  jumpWithin(pen, core, active, last.col ?? Math.min(active.x, core.cols - 1));
  if (last.text !== undefined) {
    if (core.coreService.modes.insertMode && last.width > 0) pen.aside(`\x1b[${last.width}P`);
    pen.aside(last.text);
  }
  if (last.isJoinable) return;
  if (last.text !== undefined) pen.aside(NOTHING_SAID);
  if (active.x > core.cols) pen.aside(LONE_MARK.repeat(Math.min(active.x - core.cols, LONE_MARKS_MAX)));
  if (isRestored) return pen.aside(sgrWithoutUnderline(last.look ?? savedLook(current), savedLook(current)));
  wearPen(pen, current, undefined);
  setSets(pen, core);
}

/** Returns whether the bytes of a snapshot can bring a terminal to exactly this cursor and pen; if not, they come close. */
export function isCursorPaintable(core: EngineCore): boolean {
  const { active } = core.buffers;
  const last = lastPrinted(core, active);
  const { origin } = core.coreService.decPrivateModes;
  if (origin && (active.y < active.scrollTop || active.y > active.scrollBottom)) return false; // it was set on the other screen
  if (last.isStandIn || active.x - core.cols > LONE_MARKS_MAX) return false;
  return isPenReachable(core, active) && (!isOnlyByRestoring(core, active) || isPrintable(core, last));
}

/**
 * Returns whether the character can be printed: a restored pen can use other colours for one character, but no other attributes,
 * and the restored set must not change the character.
 */
function isPrintable(core: EngineCore, { text = '', look, isJoinable }: LastPrinted): boolean {
  if (look === undefined || isJoinable) return true;
  const pen = penOf(core._inputHandler._curAttrData);
  const isSame =
    look.underline === pen.underline && look.underlineColour === pen.underlineColour && look.link === pen.link;
  return isSame && ((look.bg ^ pen.bg) & Bg.protected) === 0 && core._charsetService.charset?.[text[0]!] === undefined;
}

interface LastPrinted {
  /** The text to print to move the cursor to its position; if undefined, the cursor is moved there directly. */
  readonly text: string | undefined;
  readonly col: number | undefined;
  readonly width: number;
  readonly look: Attributes | undefined;
  /** Whether the text replaces the original, which cannot be printed. */
  readonly isStandIn: boolean;
  /** Whether a following mark will join it, or a repetition will repeat it: then it has to be printed last. */
  readonly isJoinable: boolean;
}

const NOT_PRINTED: LastPrinted = {
  text: undefined,
  col: undefined,
  width: 0,
  look: undefined,
  isStandIn: false,
  isJoinable: false,
};

function lastPrinted(core: EngineCore, buffer: EngineBuffer): LastPrinted {
  const { cols } = core;
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const joinWidth = (core._inputHandler._parser.precedingJoinState >> 1) & 3;
  if (joinWidth > 0 && buffer.x <= cols) {
    // Without autowrap, a wide character that does not fit is not printed, but counts as the previous one; the same
    // happens here.
    const isBetween = line.getWidth(cols - 2) !== 2;
    const isLost =
      joinWidth === 2 && buffer.x === cols - 1 && isBetween && !core.coreService.decPrivateModes.wraparound;
    if (isLost) return { ...NOT_PRINTED, text: WIDE, isJoinable: true };
    const col = buffer.x - joinWidth;
    const glyph = col < 0 ? undefined : glyphAt(core, line, col, cols);
    const look = attributesAt(line, Math.max(0, col));
    // It has the attributes of the pen; otherwise a change of size has put another character there.
    const isThere = glyph?.width === joinWidth && isSameLook(look, penOf(core._inputHandler._curAttrData));
    if (isThere) return { text: glyph.text, col, width: joinWidth, look, isStandIn: false, isJoinable: true };
  }
  if (buffer.x < cols) return NOT_PRINTED;
  const col = endingAt(core, line, cols);
  if (col !== undefined)
    return {
      text: glyphAt(core, line, col, cols)!.text,
      col,
      width: cols - col,
      look: attributesAt(line, col),
      isStandIn: false,
      isJoinable: false,
    };
  // The line was erased from past its end. If only a part of it was erased, a blank replaces the erased text.
  const look = attributesAt(line, cols - 1);
  const isErasedFromEnd = isErasedLine(core, buffer, buffer.y);
  return {
    text: isErasedFromEnd ? ' \x1b[1K' : ' ',
    col: cols - 1,
    width: 1,
    look: isErased(look) ? look : PLAIN,
    isStandIn: !isErasedFromEnd,
    isJoinable: false,
  };
}

function jumpWithin(pen: Pen, core: EngineCore, buffer: EngineBuffer, col: number): void {
  const { origin } = core.coreService.decPrivateModes;
  pen.jumpTo(Math.max(0, origin ? buffer.y - buffer.scrollTop : buffer.y), col);
}

/**
 * The terminator of a string that was never started: terminals ignore it, and a following mark does not join the text before it.
 */
const NOTHING_SAID = '\x1b\\';
/** A zero-width space: if there is no character for it to join, xterm.js gives it a cell, even one past the last column. */
const LONE_MARK = '\u200b';
const LONE_MARKS_MAX = 64;
