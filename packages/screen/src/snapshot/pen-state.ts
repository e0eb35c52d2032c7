/**
 * Writes the pen and the character sets as the next byte will find them.
 *
 * DECRC restores the flags of the pen but not its underline and link, and a character set, but not into G0 to G3. After DECRC
 * they may be inconsistent, and only restoring can bring a terminal into that state.
 */
import { type Attributes, Bg, Fg, penOf, PLAIN, underlineColourOf, underlineOf } from '../engine/attributes.ts';
import { charsetFinal, type EngineAttributes, type EngineBuffer, type EngineCore } from '../engine/engine.ts';
import { NO_LINK, savedLook } from './paint-buffer.ts';
import type { Pen } from './pen.ts';
import { sgrWithoutUnderline } from './sgr.ts';

/** Sets `look`, or else the pen's attributes; with a colour for future underlines, and the link. */
export function wearPen(pen: Pen, current: EngineAttributes, look: Attributes | undefined): void {
  if (look !== undefined) return pen.wear(look);
  pen.wear({ ...penOf(current), underlineColour: underlineColourOf(current.extended), link: current.extended._urlId });
}

/** Returns whether the saved state of this screen has to be restored first. */
export function isOnlyByRestoring(core: EngineCore, buffer: EngineBuffer): boolean {
  return (isPenAtOdds(core) && isPenInReach(core, buffer)) || (isSetAtOdds(core) && isSetInReach(core, buffer));
}

/** Returns whether it can be restored at all: not if that was done on the other screen. */
export const isPenReachable = (core: EngineCore, buffer: EngineBuffer): boolean =>
  (!isPenAtOdds(core) || isPenInReach(core, buffer)) && (!isSetAtOdds(core) || isSetInReach(core, buffer));

function isPenAtOdds(core: EngineCore): boolean {
  const pen = core._inputHandler._curAttrData;
  return ((pen.fg & Fg.underline) !== 0) !== (underlineOf(pen.extended) !== 0) || !isMarked(pen);
}

function isPenInReach(core: EngineCore, { savedCurAttrData: saved }: EngineBuffer): boolean {
  const pen = core._inputHandler._curAttrData;
  return ((pen.fg ^ saved.fg) & Fg.underline) === 0 && (isMarked(pen) || ((pen.bg ^ saved.bg) & Bg.extended) === 0);
}

const isSetAtOdds = ({ _charsetService: { charset, glevel, _charsets } }: EngineCore): boolean =>
  charset !== _charsets[glevel];
const isSetInReach = (core: EngineCore, { savedCharset }: EngineBuffer): boolean =>
  core._charsetService.charset === savedCharset;

/** Returns whether the flag "extended attributes" is right; opening or closing a link makes it right. */
const isMarked = ({ bg, extended }: EngineAttributes): boolean =>
  ((bg & Bg.extended) !== 0) === (underlineOf(extended) !== 0 || extended._urlId !== 0);

/** Restores the pen; the cursor is then at its saved position. */
export function restorePen(pen: Pen, core: EngineCore, buffer: EngineBuffer): void {
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

export function setSets(pen: Pen, core: EngineCore): void {
  const { glevel, _charsets } = core._charsetService;
  for (let slot = 0; slot < 4; slot++) {
    const final = charsetFinal(_charsets[slot]);
    if (final !== 'B') pen.aside(`\x1b${'()*+'[slot]}${final}`);
  }
  if (glevel > 0) pen.aside(LEVELS[glevel]!);
}

/** The sequences SI, SO, LS2, LS3, which select one of the four sets. */
const LEVELS = ['\x0f', '\x0e', '\x1bn', '\x1bo'];
