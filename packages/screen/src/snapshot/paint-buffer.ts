/** Paints one of a terminal's two screens, with the requested history above it, onto a blank one. */
import { type Attributes, attributesAt, attributesOf, Bg, Fg, isErased, PLAIN } from '../engine/attributes.ts';
import {
  type Charset,
  charsetFinal,
  type EngineAttributes,
  type EngineBuffer,
  type EngineCore,
} from '../engine/engine.ts';
import { type LineTarget, glyphAt, paintLine, wrapOnto } from './paint-line.ts';
import type { Pen } from './pen.ts';

/**
 * Paints the cells; the position of the cursor is then undefined. The saved cursor is set between history and screen, since it
 * counts from there.
 */
export function paintBuffer(pen: Pen, core: EngineCore, buffer: EngineBuffer, historyLines: number): void {
  const { rows } = core;
  const history = Math.min(historyLines, buffer.ybase);
  const first = buffer.ybase - history;
  let canvas = firstCanvas(pen, core, buffer.lines.get(first)!.isWrapped);
  if (history > 0) {
    canvas = paintLines(pen, core, buffer, { from: first, to: buffer.ybase, canvas });
    // All lines are above the screen: the screen itself is blank, except for the continuation of the last line.
    const isRunOn = buffer.lines.get(buffer.ybase)!.isWrapped;
    const written = history + (isRunOn ? 1 : 0);
    const scrolledOff = Math.max(0, written - rows);
    if (isRunOn && canvas.isContinued) canvas = runOn(pen, core, canvas);
    pen.wear(PLAIN);
    pen.jumpTo(rows - 1, 0);
    pen.raw('\n'.repeat(history - scrolledOff));
    canvas = { row: 0, dirtyTo: isRunOn ? canvas.dirtyTo : 0, isContinued: false };
  }
  saveCursor(pen, core, buffer);
  paintLines(pen, core, buffer, { from: buffer.ybase, to: buffer.ybase + rows, canvas });
}

/** Sets the tab stops; the receiving terminal may have others. */
export function setTabStops(pen: Pen, core: EngineCore, buffer: EngineBuffer): void {
  pen.aside('\r\x1b[3g');
  let at = 0;
  let steps = '';
  for (let col = 0; col < core.cols; col++) {
    if (!buffer.tabs[col]) continue;
    if (col > at) steps += `\x1b[${col - at}C`;
    steps += '\x1bH';
    at = col;
  }
  pen.raw(steps);
}

export function setMargins(pen: Pen, core: EngineCore, { scrollTop, scrollBottom }: EngineBuffer): void {
  if (scrollTop !== 0 || scrollBottom !== core.rows - 1) pen.raw(`\x1b[${scrollTop + 1};${scrollBottom + 1}r`);
}

/** Returns only the flags; xterm does not save the underline and the link. */
export const savedLook = ({ fg, bg }: EngineAttributes): Attributes => attributesOf(fg, bg, undefined);

/** A link with any address, for a pen that was saved while a link was open: xterm does not remember which one. */
const ANY_LINK = '\x1b]8;;spool:\x1b\\';
export const NO_LINK = '\x1b]8;;\x1b\\';

/**
 * Returns whether restoring has an effect that differs from that of a terminal that was just reset. The alternate screen is not
 * reset: its saved cursor is kept when the program leaves it.
 */
function isSaved(core: EngineCore, buffer: EngineBuffer): boolean {
  if (buffer === core.buffers.alt) return true;
  const { fg, bg } = buffer.savedCurAttrData;
  const isHome = buffer.savedX === 0 && (buffer.savedY === 0 || buffer.savedY < buffer.ybase);
  return !isHome || fg !== 0 || bg !== 0 || buffer.savedCharset !== undefined;
}

function saveCursor(pen: Pen, core: EngineCore, buffer: EngineBuffer): void {
  if (!isSaved(core, buffer)) return;
  const row = Math.min(Math.max(0, buffer.savedY - buffer.ybase), core.rows - 1);
  if (buffer.savedX >= core.cols) {
    pen.moveTo(row, core.cols - 1);
    pen.print(' ', 1);
  } else {
    pen.moveTo(row, buffer.savedX);
  }
  wearAndSave(pen, buffer.savedCurAttrData, buffer.savedCharset, '\x1b7');
  if (buffer.savedX >= core.cols) {
    // Clears the cell that was needed to move there.
    pen.jumpTo(row, core.cols - 1);
    pen.wear(PLAIN);
    pen.erase(1);
  }
}

/** Sets the saved attributes, saves them, and resets them. */
export function wearAndSave(pen: Pen, saved: EngineAttributes, charset: Charset, saving: string): void {
  const look = savedLook(saved);
  const needsLink = (saved.bg & Bg.extended) !== 0 && (saved.fg & Fg.underline) === 0;
  const final = charsetFinal(charset);
  pen.wear(look);
  pen.aside(
    `${needsLink ? ANY_LINK : ''}${final === 'B' ? '' : `\x1b(${final}`}${saving}${needsLink ? NO_LINK : ''}${final === 'B' ? '' : '\x1b(B'}`,
  );
}

interface PaintRange {
  readonly from: number;
  readonly to: number;
  readonly canvas: LineTarget;
}

/** Returns the place of the next line. */
function paintLines(pen: Pen, core: EngineCore, buffer: EngineBuffer, span: PaintRange): LineTarget {
  let { canvas } = span;
  for (let at = span.from; at < span.to; at++) {
    const line = buffer.lines.get(at)!;
    paintLine(pen, core, line, canvas);
    // Beyond its end, xterm's list of lines wraps around.
    const next = at + 1 < buffer.lines.length ? buffer.lines.get(at + 1) : undefined;
    if (next?.isWrapped && (at + 1 < span.to || at + 1 === buffer.ybase)) {
      canvas = wrapOnto(pen, core, line, next, canvas.row);
    } else if (at + 1 < span.to && canvas.row === core.rows - 1) {
      if (pen.row !== canvas.row) pen.moveTo(canvas.row, 0);
      pen.newLine();
      canvas = { row: canvas.row, dirtyTo: 0, isContinued: false };
    } else {
      canvas = { row: Math.min(canvas.row + 1, core.rows - 1), dirtyTo: 0, isContinued: false };
    }
  }
  return canvas;
}

/**
 * Prepares the first line, which may continue a line that no longer exists; such a line is made below another one, which is then
 * deleted.
 */
function firstCanvas(pen: Pen, core: EngineCore, isWrapped: boolean): LineTarget {
  if (!isWrapped || core.rows < 2) return { row: 0, dirtyTo: 0, isContinued: false };
  pen.moveTo(0, core.cols - 1);
  pen.print('  ', 1);
  pen.jumpTo(0, 0);
  pen.raw('\x1b[M');
  return { row: 0, dirtyTo: 1, isContinued: false };
}

/** Prints a blank in place of the wrapped text. */
function runOn(pen: Pen, core: EngineCore, canvas: LineTarget): LineTarget {
  const isScrolling = pen.row === core.rows - 1;
  pen.print('\u3000', 2);
  return { row: canvas.row, dirtyTo: isScrolling && pen.look.bg !== 0 ? core.cols : 2, isContinued: false };
}

/** Returns whether a line consists only of erased cells of one background. */
export function isErasedLine(core: EngineCore, buffer: EngineBuffer, row: number): boolean {
  const line = buffer.lines.get(buffer.ybase + row)!;
  const look = attributesAt(line, 0);
  if (!isErased(look)) return false;
  for (let col = 0; col < core.cols; col++) {
    if (
      glyphAt(core, line, col, core.cols) !== undefined ||
      attributesAt(line, col).bg !== look.bg ||
      !isErased(attributesAt(line, col))
    )
      return false;
  }
  return true;
}
