/**
 * Reads mouse reports of a terminal in mode 1006, and writes them in the form that the program requested.
 *
 * A viewer that shows a window of the session's screen reads its terminal's reports, translates them to the session's cells, and
 * encodes them again.
 */
import type { MouseEncoding } from '../state/modes.ts';

export interface MouseReport {
  /** The number in SGR reports: button or wheel, with the bits for Shift, Alt, Ctrl and motion. */
  readonly button: number;
  readonly row: number;
  readonly col: number;
  readonly isRelease: boolean;
}

/** `unreadable` and `three-bytes-follow`: a report in a form that was not requested. Undefined if it is not a mouse report. */
export function mouseReportOf(token: readonly number[]): MouseReport | 'unreadable' | 'three-bytes-follow' | undefined {
  if (token[0] !== 0x1b || token[1] !== 0x5b) return undefined;
  const text = String.fromCharCode(...token);
  if (text === '\x1b[M') return 'three-bytes-follow';
  const match = /^\x1b\[(<?)(\d{1,5});(\d{1,5});(\d{1,5})([Mm])$/.exec(text);
  if (match === null) return undefined;
  const [, sgr, button, col, row, final] = match;
  if (sgr === '') return 'unreadable';
  return { button: Number(button), col: Number(col) - 1, row: Number(row) - 1, isRelease: final === 'm' };
}

/** Encodes a report in the program's form: the encoding that was set last counts. Undefined if that form cannot express it. */
export function encodeMouse(report: MouseReport, encodings: readonly MouseEncoding[]): Uint8Array | undefined {
  const { button, isRelease } = report;
  const col = report.col + 1;
  const row = report.row + 1;
  const code = isRelease ? (button & ~3) | 3 : button;
  switch (encodings.at(-1)) {
    case 1006:
      return ascii(`\x1b[<${button};${col};${row}${isRelease ? 'm' : 'M'}`);
    case 1015:
      return ascii(`\x1b[${code + 32};${col};${row}M`);
    case 1016: // in pixels, which a window does not know
    case 1005: // characters: an obsolete form that few programs set, and never alone
      return undefined;
    case undefined:
      if (code > BYTE_MAX || col > BYTE_MAX || row > BYTE_MAX) return undefined;
      return Uint8Array.of(0x1b, 0x5b, 0x4d, code + 32, col + 32, row + 32);
  }
}

const BYTE_MAX = 255 - 32;

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
