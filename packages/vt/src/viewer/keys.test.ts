import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeKey, keyNames, paste } from './keys.ts';
import { INITIAL_MODES, type ModeState } from '../state/modes.ts';
import { bytes, text } from '../testing/cuts.ts';

const PLAIN = INITIAL_MODES;
const CURSOR: ModeState = { ...INITIAL_MODES, applicationCursor: true };
const KEYPAD: ModeState = { ...INITIAL_MODES, applicationKeypad: true };
const KITTY: ModeState = { ...INITIAL_MODES, applicationCursor: true, kittyMain: [0, 1] };
const KITTY_ALL: ModeState = { ...INITIAL_MODES, kittyMain: [0, 8] };
const KITTY_TEXT: ModeState = { ...INITIAL_MODES, kittyMain: [0, 24] };
const XTERM_1: ModeState = { ...INITIAL_MODES, modifyOtherKeys: 1 };
const XTERM_2: ModeState = { ...INITIAL_MODES, modifyOtherKeys: 2 };

const CASES: readonly (readonly [string, ModeState, string | undefined])[] = [
  ['a', PLAIN, 'a'],
  ['é', PLAIN, 'é'],
  ['😀', PLAIN, '😀'],
  ['A', PLAIN, 'A'],
  ['S-a', PLAIN, 'A'],
  ['-', PLAIN, '-'],
  ['^', PLAIN, '^'],
  ['C-c', PLAIN, '\x03'],
  ['^C', PLAIN, '\x03'],
  ['^c', PLAIN, '\x03'],
  ['Ctrl-C', PLAIN, '\x03'],
  ['C-Space', PLAIN, '\0'],
  ['C-@', PLAIN, '\0'],
  ['C-\\', PLAIN, '\x1c'],
  ['C-/', PLAIN, '\x1f'],
  ['C-?', PLAIN, '\x7f'],
  ['^[', PLAIN, '\x1b'],
  ['M-x', PLAIN, '\x1bx'],
  ['Alt-x', PLAIN, '\x1bx'],
  ['C-M-a', PLAIN, '\x1b\x01'],
  ['M-é', PLAIN, '\x1bé'],
  ['C--', PLAIN, '-'],
  ['C-1', PLAIN, '1'],
  ['Enter', PLAIN, '\r'],
  ['enter', PLAIN, '\r'],
  ['Return', PLAIN, '\r'],
  ['Enter', { ...PLAIN, lineFeed: true }, '\r\n'],
  ['M-Enter', PLAIN, '\x1b\r'],
  ['S-Enter', PLAIN, '\r'],
  ['C-Enter', PLAIN, '\r'],
  ['Tab', PLAIN, '\t'],
  ['S-Tab', PLAIN, '\x1b[Z'],
  ['BTab', PLAIN, '\x1b[Z'],
  ['Space', PLAIN, ' '],
  ['Escape', PLAIN, '\x1b'],
  ['Esc', PLAIN, '\x1b'],
  ['Backspace', PLAIN, '\x7f'],
  ['BSpace', PLAIN, '\x7f'],
  ['C-Backspace', PLAIN, '\b'],
  ['M-Backspace', PLAIN, '\x1b\x7f'],
  ['Backspace', { ...PLAIN, backspaceIsBs: true }, '\b'],
  ['Up', PLAIN, '\x1b[A'],
  ['Down', PLAIN, '\x1b[B'],
  ['Right', PLAIN, '\x1b[C'],
  ['Left', PLAIN, '\x1b[D'],
  ['Home', PLAIN, '\x1b[H'],
  ['End', PLAIN, '\x1b[F'],
  ['Up', CURSOR, '\x1bOA'],
  ['Home', CURSOR, '\x1bOH'],
  ['C-Left', CURSOR, '\x1b[1;5D'],
  ['C-Left', PLAIN, '\x1b[1;5D'],
  ['C-S-Up', PLAIN, '\x1b[1;6A'],
  ['M-Up', PLAIN, '\x1b[1;3A'],
  ['Insert', PLAIN, '\x1b[2~'],
  ['Delete', PLAIN, '\x1b[3~'],
  ['PageUp', PLAIN, '\x1b[5~'],
  ['PgDn', PLAIN, '\x1b[6~'],
  ['C-Delete', PLAIN, '\x1b[3;5~'],
  ['F1', PLAIN, '\x1bOP'],
  ['F4', PLAIN, '\x1bOS'],
  ['F5', PLAIN, '\x1b[15~'],
  ['F6', PLAIN, '\x1b[17~'],
  ['F12', PLAIN, '\x1b[24~'],
  ['F20', PLAIN, '\x1b[34~'],
  ['S-F3', PLAIN, '\x1b[1;2R'],
  ['C-F5', PLAIN, '\x1b[15;5~'],
  ['KP7', PLAIN, '7'],
  ['KP7', KEYPAD, '\x1bOw'],
  ['KPEnter', KEYPAD, '\x1bOM'],
  ['KPPlus', KEYPAD, '\x1bOk'],
  ['KPEnter', PLAIN, '\r'],
  ['C-c', XTERM_1, '\x03'],
  ['C-1', XTERM_1, '\x1b[27;5;49~'],
  ['S-Enter', XTERM_1, '\x1b[27;2;13~'],
  ['C-c', XTERM_2, '\x1b[27;5;99~'],
  ['S-Enter', XTERM_2, '\x1b[27;2;13~'],
  ['a', XTERM_2, 'a'],
  ['A', XTERM_2, 'A'],
  ['Escape', KITTY, '\x1b[27u'],
  ['C-c', KITTY, '\x1b[99;5u'],
  ['C-S-c', KITTY, '\x1b[99;6u'],
  ['M-x', KITTY, '\x1b[120;3u'],
  ['M-X', KITTY, '\x1b[120;4u'],
  ['Enter', KITTY, '\r'],
  ['S-Enter', KITTY, '\x1b[13;2u'],
  ['S-Tab', KITTY, '\x1b[9;2u'],
  ['Up', KITTY, '\x1b[A'],
  ['F1', KITTY, '\x1b[P'],
  ['F3', KITTY, '\x1b[13~'],
  ['S-F3', KITTY, '\x1b[13;2~'],
  ['a', KITTY, 'a'],
  ['A', KITTY, 'A'],
  ['Backspace', KITTY, '\x7f'],
  ['a', KITTY_ALL, '\x1b[97u'],
  ['A', KITTY_ALL, '\x1b[97;2u'],
  ['Enter', KITTY_ALL, '\x1b[13u'],
  ['Space', KITTY_ALL, '\x1b[32u'],
  ['a', KITTY_TEXT, '\x1b[97;;97u'],
  ['A', KITTY_TEXT, '\x1b[97;2;65u'],
  ['C-a', KITTY_TEXT, '\x1b[97;5u'],
  ['Hyper', PLAIN, undefined],
  ['F99', PLAIN, undefined],
  ['', PLAIN, undefined],
  ['C-', PLAIN, undefined],
  ['ab', PLAIN, undefined],
  ['\x01', PLAIN, undefined],
  ['constructor', PLAIN, undefined],
];

describe('keys', () => {
  test('[IN-4] named keys are what a terminal would send', () => {
    for (const [name, modes, expected] of CASES) {
      const found = encodeKey(name, modes);
      expect(found && text(found), `${name} ${JSON.stringify(modes.kittyMain)} ${modes.modifyOtherKeys}`).toBe(
        expected,
      );
    }
  });

  test('[IN-5] arrow keys follow DECCKM, and the alternate screen has kitty flags of its own', () => {
    expect(text(encodeKey('Up', { ...CURSOR, alternate: 1049, kittyAlternate: [0, 1] })!)).toBe('\x1b[A');
    expect(text(encodeKey('Up', { ...CURSOR, alternate: 1049, kittyMain: [0, 1] })!)).toBe('\x1bOA');
  });

  test('[IN-4] a word names a key, or several with white space between', () => {
    expect(keyNames(['C-c Enter  M-x F5\nUp', '^C', ' ', 'C- ', 'Dwon', ''])).toEqual(
      ['C-c', 'Enter', 'M-x', 'F5', 'Up', '^C', ' ', 'C- ', 'Dwon', ''], // unknown names are reported by the caller that presses the keys
    );
  });

  test('any name gives bytes or nothing, and never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(PLAIN, CURSOR, KITTY, KITTY_TEXT, XTERM_2),
        (name, modes) => void encodeKey(name, modes),
      ),
    );
  });
});

describe('paste', () => {
  const bracketed = { bracketedPaste: true };
  const plain = { bracketedPaste: false };

  test('[IN-4] a paste is bracketed if the program has asked for it; else its lines end with Enter', () => {
    expect(text(paste(bytes('a\nb\r\nc'), bracketed))).toBe('\x1b[200~a\nb\r\nc\x1b[201~');
    expect(text(paste(bytes('a\nb\r\nc\r\n\nd'), plain))).toBe('a\rb\rc\r\rd');
  });

  test('[IN-5] arrows in a paste are not rewritten, whatever the mode', () => {
    expect(text(paste(bytes('\x1b[A\x1bOB'), bracketed))).toBe('\x1b[200~\x1b[A\x1bOB\x1b[201~');
  });

  test('[IN-4] no paste can end its own brackets', () => {
    for (const evil of [
      'a\x1b[201~rm',
      '\x1b[20\x1b[201~1~rm',
      '\x1b[2\x1b[20\x1b[201~1~01~rm',
      '\u009b201~rm',
      '\x1b[\u009b201~201~rm',
      '\x1b\x1b[201~[201~',
    ]) {
      const inner = text(paste(bytes(evil), bracketed)).slice(6, -6);
      expect(inner, JSON.stringify(evil)).not.toMatch(/(?:\x1b\[|\u009b)201~/);
    }
    expect(text(paste(bytes('Û201~ [201~'), bracketed))).toBe('\x1b[200~Û201~ [201~\x1b[201~');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('\x1b', '[', '2', '0', '1', '~', '\x1b[201~', '\u009b', 'x'), { maxLength: 30 }),
        (parts) => {
          expect(text(paste(bytes(parts.join('')), bracketed)).slice(6, -6)).not.toMatch(/(?:\x1b\[|\u009b)201~/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('[IN-3] bytes that are no text pass', () => {
    const data = Uint8Array.from({ length: 256 }, (_, code) => code);
    expect([...paste(data, bracketed).subarray(6, -6)]).toEqual([...data]);
  });
});
