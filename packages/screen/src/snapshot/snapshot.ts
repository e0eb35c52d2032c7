/**
 * Writes a model's state as bytes for another terminal of the same size. The terminal then has the same state, so exactly that later
 * bytes have the same effect on it as on the model. Every attach starts with a snapshot. Keeps ATT-1 and ATT-4.
 *
 * The order matters. The first bytes undo the present state of the terminal (never RIS, which would wipe the user's scrollback);
 * then come the screens, the normal one below the alternate one; then margins, pen and sets; then modes, input last, so that no key
 * is answered in the middle of it; then the cursor; then the incomplete sequence or character at the end of the stream.
 */
import { ANYTHING_SET, concat, type ModeState, restore, undo } from '@spool/vt';
import { PLAIN } from '../engine/attributes.ts';
import { placeCursor } from './cursor-state.ts';
import type { EngineBuffer, EngineCore } from '../engine/engine.ts';
import { paintBuffer, setMargins, setTabStops, wearAndSave } from './paint-buffer.ts';
import { Pen } from './pen.ts';
import type { ScreenModel } from '../engine/screen-model.ts';

export interface SnapshotOptions {
  /** The number of lines of history before the screen (default: 0). A thousand lines take 15 ms and a hundred KB. */
  readonly history?: number;
  /** Whether the terminal's keys go to the program (default: true). If not, modes that make it send are not set. */
  readonly input?: boolean;
}

export function snapshot(model: ScreenModel, options: SnapshotOptions = {}): Uint8Array {
  return concat(picture(model, options), model.pending());
}

/** Returns a snapshot without the incomplete sequence at its end. */
export function picture(model: ScreenModel, options: SnapshotOptions = {}): Uint8Array {
  const { history = 0, input = true } = options;
  const { core } = model.engine;
  const { modes } = model;
  const { normal, active } = core.buffers;
  const pen = new Pen(model.size, core._oscLinkService._dataByLinkId);
  pen.raw(CLEAN_SLATE);
  paintBuffer(pen, core, normal, history);
  setTabStops(pen, core, normal);
  setMargins(pen, core, normal);
  pen.aside(text(restore({ ...modes, alternate: 0 }, { input, part: 'before' })));
  if (model.isAlternate) {
    enterAlternate(pen, core, normal, modes);
    paintBuffer(pen, core, active, 0);
    setTabStops(pen, core, active);
    setMargins(pen, core, active);
    pen.aside(text(restore({ ...modes, alternate: 0, kittyMain: modes.kittyAlternate }, { input, part: 'before' })));
  }
  placeCursor(pen, core, () => text(restore(modes, { input, part: 'after' })));
  return Uint8Array.from(Buffer.from(pen.text, 'utf8'));
}

/**
 * The sequence that resets a terminal: CAN aborts an unfinished sequence; then every mode is reset, and DECSTR resets the rest:
 * margins, origin, pen, sets, saved cursor. The screen is cleared last, in plain colours.
 */
const CLEAN_SLATE = `\x18${text(undo(ANYTHING_SET))}\x1b[!p\x1b*B\x1b+B\x1b[?7h\x1b[r\x1b[H\x1b[2J`;

/**
 * Enters the alternate screen with 1049, which every terminal supports: the terminal saves the cursor by itself, so the cursor
 * must be in its saved state. If the two differ (the size has changed since), it is saved explicitly.
 */
function enterAlternate(pen: Pen, core: EngineCore, normal: EngineBuffer, modes: ModeState): void {
  const savedRow = normal.savedY - normal.ybase;
  const isAsSaved = modes.alternate === 1049 && savedRow === normal.y && normal.savedX < core.cols;
  pen.jumpTo(normal.y, isAsSaved ? normal.savedX : 0);
  if (isAsSaved) wearAndSave(pen, normal.savedCurAttrData, normal.savedCharset, '\x1b[?1049h');
  else pen.aside(`\x1b[?${modes.alternate === 47 ? 47 : 1047}h`);
  pen.wear(PLAIN);
  pen.raw('\x1b[H\x1b[2J');
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
