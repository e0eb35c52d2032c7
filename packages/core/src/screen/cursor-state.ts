/** The end of a snapshot: pen, character sets, modes, and the cursor, in the state in which the next byte will find them. */
import { type Attributes, attributesAt, Bg, Fg, isErased, isSameLook, penOf, PLAIN, underlineColourOf, underlineOf } from './attributes.ts';
import { charsetFinal, type EngineAttributes, type EngineBuffer, type EngineCore } from './engine.ts';
import { isErasedLine, NO_LINK, savedLook } from './paint-buffer.ts';
import { endingAt, glyphAt, WIDE } from './paint-line.ts';
import type { Pen } from './pen.ts';
import { sgrWithoutUnderline } from './sgr.ts';

export function placeCursor(pen: Pen, core: EngineCore, modes: () => string): void {
  const { active } = core.buffers;
  const current = core._inputHandler._curAttrData;
  const last = lastPrinted(core, active);
  const isRestored = isOnlyByRestoring(core, active) && isPrintable(last, penOf(current));
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

/** Whether the bytes of a snapshot can bring a terminal to this cursor and pen exactly; if not, they bring it near. */
export function isCursorPaintable(core: EngineCore): boolean {
  const { active } = core.buffers;
  const last = lastPrinted(core, active);
  const { origin } = core.coreService.decPrivateModes;
  if (origin && (active.y < active.scrollTop || active.y > active.scrollBottom)) return false; // come there from the other screen
  if (last.isStandIn || active.x - core.cols > LONE_MARKS_MAX) return false;
  if (isPenAtOdds(core) && !isPenInReach(core, active)) return false; // it was restored on the other screen
  if (isSetAtOdds(core) && !isSetInReach(core, active)) return false;
  return !isOnlyByRestoring(core, active) || isPrintable(last, penOf(core._inputHandler._curAttrData));
}

/** A pen that was restored can be lent other colours for one character, but not another underline or link. */
const isPrintable = (last: LastPrinted, { underline, underlineColour, link }: Attributes): boolean =>
  last.look === undefined || (last.look.underline === underline && last.look.underlineColour === underlineColour && last.look.link === link);

interface LastPrinted {
  /** What to print to get where the cursor is; if nothing, it is simply moved there. */
  readonly text: string | undefined;
  readonly col: number | undefined;
  readonly width: number;
  readonly look: Attributes | undefined;
  /** It is not what was there, which cannot be printed. */
  readonly isStandIn: boolean;
  /** A mark that follows will join it, a repetition repeat it: it has to be the last thing that is said. */
  readonly isJoinable: boolean;
}

const NOT_PRINTED: LastPrinted = { text: undefined, col: undefined, width: 0, look: undefined, isStandIn: false, isJoinable: false };

function lastPrinted(core: EngineCore, buffer: EngineBuffer): LastPrinted {
  const { cols } = core;
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const joinWidth = (core._inputHandler._parser.precedingJoinState >> 1) & 3;
  if (joinWidth > 0 && buffer.x <= cols) {
    // Without autowrap, a wide character that does not fit is not printed, but counts as the one before; and so it does again.
    const isBetween = line.getWidth(cols - 2) !== 2;
    const isLost = joinWidth === 2 && buffer.x === cols - 1 && isBetween && !core.coreService.decPrivateModes.wraparound;
    if (isLost) return { ...NOT_PRINTED, text: WIDE, isJoinable: true };
    const col = buffer.x - joinWidth;
    const glyph = col < 0 ? undefined : glyphAt(core, line, col, cols);
    const look = attributesAt(line, Math.max(0, col));
    // It looks like the pen, or else a change of size has put something else there.
    const isThere = glyph?.width === joinWidth && isSameLook(look, penOf(core._inputHandler._curAttrData));
    if (isThere) return { text: glyph.text, col, width: joinWidth, look, isStandIn: false, isJoinable: true };
  }
  if (buffer.x < cols) return NOT_PRINTED;
  const col = endingAt(core, line, cols);
  if (col !== undefined) return { text: glyphAt(core, line, col, cols)!.text, col, width: cols - col, look: attributesAt(line, col), isStandIn: false, isJoinable: false };
  // The line was erased from behind its end. If it was not the whole line, a blank must do for what was erased.
  const look = attributesAt(line, cols - 1);
  const isErasedFromEnd = isErasedLine(core, buffer, buffer.y);
  return { text: isErasedFromEnd ? ' \x1b[1K' : ' ', col: cols - 1, width: 1, look: isErased(look) ? look : PLAIN, isStandIn: !isErasedFromEnd, isJoinable: false };
}

function jumpWithin(pen: Pen, core: EngineCore, buffer: EngineBuffer, col: number): void {
  const { origin } = core.coreService.decPrivateModes;
  pen.jumpTo(Math.max(0, origin ? buffer.y - buffer.scrollTop : buffer.y), col);
}

/** `look`, or else what the pen looks like; with a colour for underlines that are not there yet, and the link. */
function wearPen(pen: Pen, current: EngineAttributes, look: Attributes | undefined): void {
  if (look !== undefined) return pen.wear(look);
  pen.wear({ ...penOf(current), underlineColour: underlineColourOf(current.extended), link: current.extended._urlId });
}

/**
 * DECRC brings back the flags of the pen but not its underline and link, and a character set, but not into G0 to G3. After it
 * they may be at odds, and restoring is the only way to get them there again.
 */
function isOnlyByRestoring(core: EngineCore, buffer: EngineBuffer): boolean {
  return (isPenAtOdds(core) && isPenInReach(core, buffer)) || (isSetAtOdds(core) && isSetInReach(core, buffer));
}

function isPenAtOdds(core: EngineCore): boolean {
  const pen = core._inputHandler._curAttrData;
  return ((pen.fg & Fg.underline) !== 0) !== (underlineOf(pen.extended) !== 0) || !isMarked(pen);
}

function isPenInReach(core: EngineCore, { savedCurAttrData: saved }: EngineBuffer): boolean {
  const pen = core._inputHandler._curAttrData;
  return ((pen.fg ^ saved.fg) & Fg.underline) === 0 && (isMarked(pen) || ((pen.bg ^ saved.bg) & Bg.extended) === 0);
}

const isSetAtOdds = ({ _charsetService: { charset, glevel, _charsets } }: EngineCore): boolean => charset !== _charsets[glevel];
const isSetInReach = (core: EngineCore, { savedCharset }: EngineBuffer): boolean => core._charsetService.charset === savedCharset;

/** The flag "there is more to this look" agrees with whether there is; opening or closing a link makes it so. */
const isMarked = ({ bg, extended }: EngineAttributes): boolean => ((bg & Bg.extended) !== 0) === (underlineOf(extended) !== 0 || extended._urlId !== 0);

function restorePen(pen: Pen, core: EngineCore, buffer: EngineBuffer): void {
  const current = core._inputHandler._curAttrData;
  const { extended } = current;
  setSets(pen, core);
  const set = isSetAtOdds(core) ? '' : LEVELS[core._charsetService.glevel]!;
  if (!isPenAtOdds(core) || !isPenInReach(core, buffer)) {
    pen.raw(`\x1b8${set}\x1b[m${NO_LINK}`);
    pen.assume(PLAIN);
    return wearPen(pen, current, undefined);
  }
  const dress = { fg: 0, bg: 0, underline: underlineOf(extended), underlineColour: underlineColourOf(extended) };
  pen.wear({ ...dress, link: isMarked(current) ? 0 : extended._urlId });
  pen.raw(`\x1b8${set}`);
  if (isMarked(current)) pen.aside(NO_LINK);
  if (isMarked(current)) pen.wear({ ...dress, link: extended._urlId });
  const from = savedLook(buffer.savedCurAttrData);
  pen.aside(sgrWithoutUnderline(from, { ...savedLook(current), underline: from.underline }));
  const isProtected = (current.bg & Bg.protected) !== 0;
  if (isProtected !== ((from.bg & Bg.protected) !== 0)) pen.aside(`\x1b[${isProtected ? 1 : 0}"q`);
}

function setSets(pen: Pen, core: EngineCore): void {
  const { glevel, _charsets } = core._charsetService;
  for (let slot = 0; slot < 4; slot++) {
    const final = charsetFinal(_charsets[slot]);
    if (final !== 'B') pen.aside(`\x1b${'()*+'[slot]}${final}`);
  }
  if (glevel > 0) pen.aside(LEVELS[glevel]!);
}

/** SI, SO, LS2, LS3: which of the four sets is in use. */
const LEVELS = ['\x0f', '\x0e', '\x1bn', '\x1bo'];
/** The end of a string that is not there: no terminal minds, and a mark that follows does not join what was printed before. */
const NOTHING_SAID = '\x1b\\';
/** A combining grave accent: where it has nothing to join, it takes a cell, even one behind the last column. */
const LONE_MARK = '\u0300';
const LONE_MARKS_MAX = 64;
