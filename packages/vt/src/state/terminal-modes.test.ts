import { describe, expect, test } from 'vitest';
import { bytes } from '../testing/cuts.ts';
import { eachSequence } from '../testing/scan.ts';
import { INITIAL_MODES, ModeTracker } from './modes.ts';
import { isSameModes, type TerminalModes, terminalModesOf } from './terminal-modes.ts';

function after(input: string): TerminalModes {
  const tracker = new ModeTracker();
  eachSequence([bytes(input)], (sequence) => tracker.apply(sequence));
  return terminalModesOf(tracker.state);
}

const FRESH = terminalModesOf(INITIAL_MODES);

describe('terminalModesOf', () => {
  test('[ATT-11] each mode that concerns a viewer, by name', () => {
    const cases: readonly (readonly [string, Partial<TerminalModes>])[] = [
      ['', {}],
      ['\x1b[?1h\x1b=', { applicationCursor: true, applicationKeypad: true }],
      ['\x1b[?2004;1004h', { bracketedPaste: true, focusReports: true }],
      ['\x1b[?1000h', { mouse: 'click' }],
      ['\x1b[?9h', { mouse: 'press' }],
      ['\x1b[?1002;1006h', { mouse: 'drag', mouseEncoding: 'sgr' }],
      ['\x1b[?1003;1016h', { mouse: 'motion', mouseEncoding: 'sgr-pixels' }],
      ['\x1b[?1049h\x1b[>5u', { alternateScreen: true, kittyKeyboard: 5 }],
      ['\x1b[?47h\x1b[?1007h', { alternateScreen: true, alternateScroll: true }],
      ['\x1b[>4;2m', { modifyOtherKeys: 2 }],
    ];
    for (const [input, changed] of cases) expect(after(input), input).toEqual({ ...FRESH, ...changed });
  });

  test('what changes with every frame is not told', () => {
    expect(isSameModes(after('\x1b[?2026h\x1b[?25l\x1b]2;title\x07\x1b[5 q'), FRESH)).toBe(true);
    expect(isSameModes(after('\x1b[?1h'), FRESH)).toBe(false);
  });
});
