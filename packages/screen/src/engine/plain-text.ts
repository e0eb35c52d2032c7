/**
 * Returns the text of a line, without trailing blanks: the same as the engine's `translateToString(true, 0, cols)`, three times
 * as fast. Watching sixty screens needs it 24,000 times a second.
 */
import { Buffer } from 'node:buffer';
import type { EngineLine } from './engine.ts';

const CELLS_MAX = 1024;
const WORDS_PER_CELL = 3;
/** Parts of a cell's first word: the character, whether several are combined in it, and the number of cells that it takes. */
const CODE_POINT = 0x1fffff;
const IS_COMBINED = 0x200000;
const WIDTH_SHIFT = 22;
const CONTENT = CODE_POINT | IS_COMBINED;

const bytes = Buffer.alloc(CELLS_MAX);
const units = new Uint16Array(CELLS_MAX);
const unitBytes = Buffer.from(units.buffer);

export function plainText(line: EngineLine, cols: number): string {
  const data = line._data;
  let length = Math.min(cols, line.length, CELLS_MAX);
  while (length > 0 && (data[(length - 1) * WORDS_PER_CELL]! & CONTENT) === 0) length--;
  let seen = 0;
  for (let cell = 0; cell < length; cell++) {
    const content = data[cell * WORDS_PER_CELL]!;
    const point = content & CODE_POINT || 0x20;
    // Wide, combined, or beyond the first plane: read by the engine.
    if (content >> WIDTH_SHIFT !== 1 || (content & IS_COMBINED) !== 0 || point > 0xffff)
      return line.translateToString(true, 0, cols);
    seen |= point;
    bytes[cell] = point;
    units[cell] = point;
  }
  return seen < 0x100 ? bytes.toString('latin1', 0, length) : unitBytes.toString('utf16le', 0, 2 * length);
}
