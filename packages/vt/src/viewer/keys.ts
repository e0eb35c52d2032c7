/**
 * Encodes keys by name, and pastes, as the bytes that a terminal would send for them in the modes that the program has set [IN-4,
 * IN-5].
 *
 * The encodings are xterm's; with modifyOtherKeys or kitty flags on, keys without legacy bytes get the escapes that these
 * protocols define. Of kitty's flags, 1 (disambiguate), 8 (all keys as escapes) and 16 (with their text) are supported; a name
 * can only express a press, so the other flags have no effect.
 */
import { kittyFlags, type ModeState } from '../state/modes.ts';
import { encodeUtf8 } from '../scan/utf8.ts';

/**
 * Returns the bytes of one key: `C-c`, `^C`, `Enter`, `M-x`, `S-Tab`, `C-Left`, `F5`, `KP7`, or any one character. Undefined if
 * the name is unknown.
 */
export function encodeKey(name: string, modes: ModeState): Uint8Array | undefined {
  const key = parseKey(name);
  return key && encodeUtf8(textOf(key, modes));
}

/**
 * Returns the keys in these words: one each, or several separated by white space (`C-c Enter`). The space bar is called `Space`.
 */
export function keyNames(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    if (parseKey(word) !== undefined) return [word];
    const names = word.split(/\s+/).filter((name) => name !== '');
    return names.length === 0 ? [word] : names;
  });
}

/**
 * Encodes a paste: bracketed if the program has enabled that, and then without any closing bracket inside, because the rest would
 * count as typed. Without brackets a line ends with the Enter key. No other bytes change.
 */
export function paste(bytes: Uint8Array, modes: Pick<ModeState, 'bracketedPaste'>): Uint8Array {
  if (!modes.bracketedPaste) return withReturns(bytes);
  const inner = withoutPasteEnd(bytes);
  const whole = new Uint8Array(PASTE_START.length + inner.length + PASTE_END.length);
  whole.set(PASTE_START);
  whole.set(inner, PASTE_START.length);
  whole.set(PASTE_END, PASTE_START.length + inner.length);
  return whole;
}

// Names.

interface NamedKey {
  /**
   * The kind of `value`: a character; `cursor` with a letter, `function` with a letter (F1–F4), `tilde` with a number, `keypad`
   * with a character.
   */
  readonly kind: 'character' | 'cursor' | 'function' | 'tilde' | 'keypad';
  readonly value: string;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

function parseKey(name: string): NamedKey | undefined {
  let rest = name;
  let [shift, alt, ctrl] = [false, false, false];
  if (/^\^.$/su.test(rest)) {
    ctrl = true;
    rest = rest.slice(1);
  }
  for (let match = MODIFIER.exec(rest); match !== null; match = MODIFIER.exec(rest)) {
    const letter = match[1]![0]!.toUpperCase();
    if (letter === 'S') shift = true;
    else if (letter === 'C') ctrl = true;
    else alt = true;
    rest = match[2]!;
  }
  const word = rest.toLowerCase();
  if (Object.hasOwn(NAMED, word)) {
    const [kind, value] = NAMED[word]!;
    return { kind, value, shift: shift || word === 'btab', alt, ctrl };
  }
  return [...rest].length === 1 && rest >= ' ' ? { kind: 'character', value: rest, shift, alt, ctrl } : undefined;
}

const MODIFIER = /^(C|M|A|S|Ctrl|Control|Meta|Alt|Shift)[-+](.+)$/isu;

const NAMED: Readonly<Record<string, readonly [NamedKey['kind'], string]>> = {
  enter: ['character', '\r'],
  return: ['character', '\r'],
  cr: ['character', '\r'],
  tab: ['character', '\t'],
  btab: ['character', '\t'],
  space: ['character', ' '],
  minus: ['character', '-'],
  plus: ['character', '+'],
  backspace: ['character', '\x7f'],
  bspace: ['character', '\x7f'],
  bs: ['character', '\x7f'],
  escape: ['character', '\x1b'],
  esc: ['character', '\x1b'],
  up: ['cursor', 'A'],
  down: ['cursor', 'B'],
  right: ['cursor', 'C'],
  left: ['cursor', 'D'],
  end: ['cursor', 'F'],
  home: ['cursor', 'H'],
  insert: ['tilde', '2'],
  ins: ['tilde', '2'],
  ic: ['tilde', '2'],
  delete: ['tilde', '3'],
  del: ['tilde', '3'],
  dc: ['tilde', '3'],
  pageup: ['tilde', '5'],
  pgup: ['tilde', '5'],
  ppage: ['tilde', '5'],
  pagedown: ['tilde', '6'],
  pgdn: ['tilde', '6'],
  npage: ['tilde', '6'],
  f1: ['function', 'P'],
  f2: ['function', 'Q'],
  f3: ['function', 'R'],
  f4: ['function', 'S'],
  // F5 to F20; xterm leaves holes where the VT220 had gaps between its keys.
  ...Object.fromEntries(
    [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34].map((code, at) => [
      `f${at + 5}`,
      ['tilde', String(code)],
    ]),
  ),
  ...Object.fromEntries([...'0123456789'].map((digit) => [`kp${digit}`, ['keypad', digit]])),
  kpenter: ['keypad', '\r'],
  kpplus: ['keypad', '+'],
  kpminus: ['keypad', '-'],
  kpmultiply: ['keypad', '*'],
  kpdivide: ['keypad', '/'],
  kpdecimal: ['keypad', '.'],
  kpequal: ['keypad', '='],
};

// Encodings.

function textOf(key: NamedKey, modes: ModeState): string {
  const flags = kittyFlags(modes);
  const isKitty = (flags & (KITTY_DISAMBIGUATE | KITTY_ALL)) !== 0;
  const modifiers = 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0);
  const isPlain = modifiers === 1;
  switch (key.kind) {
    case 'cursor':
      if (!isPlain) return `\x1b[1;${modifiers}${key.value}`;
      return modes.applicationCursor && !isKitty ? `\x1bO${key.value}` : `\x1b[${key.value}`;
    case 'function':
      // F3: `CSI 1;2 R` would be a cursor report.
      if (isKitty && key.value === 'R') return isPlain ? '\x1b[13~' : `\x1b[13;${modifiers}~`;
      if (!isPlain) return `\x1b[1;${modifiers}${key.value}`;
      return isKitty ? `\x1b[${key.value}` : `\x1bO${key.value}`;
    case 'tilde':
      return isPlain ? `\x1b[${key.value}~` : `\x1b[${key.value};${modifiers}~`;
    case 'keypad':
      return modes.applicationKeypad && isPlain
        ? `\x1bO${KEYPAD[key.value]}`
        : characterText({ ...key, kind: 'character' }, modifiers, modes, 0);
    case 'character':
      return characterText(key, modifiers, modes, flags);
  }
}

function characterText(key: NamedKey, modifiers: number, modes: ModeState, flags: number): string {
  const { value, shift, alt, ctrl } = key;
  const isSpecial = value === '\r' || value === '\t' || value === '\x7f';
  if ((flags & (KITTY_DISAMBIGUATE | KITTY_ALL)) !== 0) {
    const isEscaped = (flags & KITTY_ALL) !== 0 || value === '\x1b' || (isSpecial ? modifiers > 1 : ctrl || alt);
    if (isEscaped) return kittyText(value, modifiers, flags);
  }
  const plain = legacyText(key, modes);
  const isTold = ctrl || alt || (shift && isSpecial);
  if (isTold && (modes.modifyOtherKeys >= 2 || (modes.modifyOtherKeys === 1 && plain === undefined))) {
    return `\x1b[27;${modifiers};${value.codePointAt(0)}~`;
  }
  return plain ?? (alt ? `\x1b${value}` : value);
}

/** Returns undefined for a combination without its own bytes: it sends the same bytes as the key alone. */
function legacyText(key: NamedKey, modes: ModeState): string | undefined {
  const { value, shift, alt, ctrl } = key;
  const prefix = alt ? '\x1b' : '';
  if (value === '\t') return ctrl ? undefined : prefix + (shift ? '\x1b[Z' : '\t');
  if (value === '\r') return ctrl || shift ? undefined : prefix + (modes.lineFeed ? '\r\n' : '\r');
  if (value === '\x7f') return prefix + (ctrl !== modes.backspaceIsBs ? '\b' : '\x7f');
  if (value === '\x1b') return prefix + value;
  if (!ctrl) return prefix + (shift ? value.toUpperCase() : value);
  const code = controlCode(value);
  return code === undefined ? undefined : prefix + String.fromCharCode(code);
}

/** Returns the code of a character with Ctrl: `C-a` is 1, `C-Space` 0, `C-/` 31, and digits as on a VT220. */
function controlCode(value: string): number | undefined {
  const upper = value.toUpperCase();
  if (upper.length === 1 && upper >= '@' && upper <= '_') return upper.charCodeAt(0) & 31;
  return { ' ': 0, '2': 0, '3': 27, '4': 28, '5': 29, '6': 30, '7': 31, '8': 127, '?': 127, '/': 31, '~': 30, '`': 0 }[
    value
  ];
}

function kittyText(value: string, modifiers: number, flags: number): string {
  const lower = value.toLowerCase();
  const isUpper = lower !== value && [...lower].length === 1;
  const all = isUpper ? ((modifiers - 1) | 1) + 1 : modifiers;
  const code = (isUpper ? lower : value).codePointAt(0)!;
  const hasText =
    (flags & KITTY_TEXT) !== 0 && (flags & KITTY_ALL) !== 0 && value >= ' ' && value !== '\x7f' && (all - 1) >> 1 === 0;
  const text = hasText ? `;${(all === 2 ? value.toUpperCase() : value).codePointAt(0)}` : '';
  return `\x1b[${code}${all > 1 || text !== '' ? `;${all > 1 ? all : ''}` : ''}${text}u`;
}

/** The characters after SS3 in application keypad mode. */
const KEYPAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'0123456789'].map((digit, at) => [digit, 'pqrstuvwxy'[at]!])),
  '\r': 'M',
  '+': 'k',
  '-': 'm',
  '*': 'j',
  '/': 'o',
  '.': 'n',
  '=': 'X',
};

const KITTY_DISAMBIGUATE = 1;
const KITTY_ALL = 8;
const KITTY_TEXT = 16;

// Pastes.

const PASTE_START = encodeUtf8('\x1b[200~');
const PASTE_END = encodeUtf8('\x1b[201~');
/** Includes the end with CSI as the character U+009B. (The byte 9B alone is part of valid characters.) */
const PASTE_ENDS = [PASTE_END, Uint8Array.of(0xc2, 0x9b, ...PASTE_END.subarray(2))];

/** Removes the ends of a paste. Removing one may create another, so each byte is checked with the remaining bytes before it. */
function withoutPasteEnd(bytes: Uint8Array): Uint8Array {
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  for (const byte of bytes) {
    kept[length++] = byte;
    if (byte !== PASTE_END.at(-1)) continue;
    const end = PASTE_ENDS.find(
      (mark) => mark.length <= length && mark.every((code, at) => kept[length - mark.length + at] === code),
    );
    if (end !== undefined) length -= end.length;
  }
  return kept.subarray(0, length);
}

/** Replaces LF and CR LF by CR, which is what Enter sends. */
function withReturns(bytes: Uint8Array): Uint8Array {
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x0a && bytes[at - 1] === 0x0d) continue;
    kept[length++] = bytes[at] === 0x0a ? 0x0d : bytes[at]!;
  }
  return kept.subarray(0, length);
}
