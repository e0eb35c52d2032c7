/**
 * Named keys to the bytes that a terminal sends for them: `C-c Enter M-x F5 S-Tab`.
 *
 * The plain xterm encoding, with cursor keys as in normal mode: what a session's program has asked for (application keys,
 * kitty keyboard) is known to the keeper, and the encoding will come from `vt` with it.
 */

/** Keys that are one byte or a fixed sequence. */
const PLAIN = table({
  enter: '\r',
  return: '\r',
  tab: '\t',
  escape: '\x1b',
  esc: '\x1b',
  space: ' ',
  backspace: '\x7f',
  bspace: '\x7f',
  minus: '-',
  plus: '+',
});

/** `CSI final`, and `CSI 1 ; modifier final` with a modifier. */
const CURSOR = table({ up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' });

/** `SS3 final`, and `CSI 1 ; modifier final` with a modifier. */
const FUNCTION = table({ f1: 'P', f2: 'Q', f3: 'R', f4: 'S' });

/** `CSI number ~`, and `CSI number ; modifier ~` with a modifier. */
const TILDE = table({
  insert: 2,
  ins: 2,
  delete: 3,
  del: 3,
  pageup: 5,
  pgup: 5,
  pagedown: 6,
  pgdn: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
});

const MODIFIERS = table({
  's-': 1,
  'shift-': 1,
  'm-': 2,
  'a-': 2,
  'alt-': 2,
  'meta-': 2,
  'c-': 4,
  'ctrl-': 4,
  'control-': 4,
});

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;

export const KEY_NAMES: readonly string[] = [
  'Enter Tab Escape Space Backspace Delete Insert Up Down Left Right Home End PageUp PageDown'.split(' '),
  Array.from({ length: 12 }, (_, at) => `F${at + 1}`),
].flat();

/** The bytes for a key, or null for a name that means nothing. */
export function encodeKey(name: string): string | null {
  const { modifiers, key } = splitModifiers(name);
  const lower = key.toLowerCase();
  const modifier = modifiers + 1;
  const final = CURSOR.get(lower);
  if (final !== undefined) return modifiers === 0 ? `\x1b[${final}` : `\x1b[1;${modifier}${final}`;
  const functionFinal = FUNCTION.get(lower);
  if (functionFinal !== undefined)
    return modifiers === 0 ? `\x1bO${functionFinal}` : `\x1b[1;${modifier}${functionFinal}`;
  const number = TILDE.get(lower);
  if (number !== undefined) return modifiers === 0 ? `\x1b[${number}~` : `\x1b[${number};${modifier}~`;
  if (lower === 'tab' && modifiers & SHIFT) return modifiers === SHIFT ? '\x1b[Z' : `\x1b[1;${modifier}Z`;
  if (lower === 'backspace' && modifiers & CTRL) return modifiers & ALT ? '\x1b\b' : '\b';
  const plain = PLAIN.get(lower) ?? ([...key].length === 1 ? key : undefined);
  if (plain === undefined) return null;
  return modified(plain, modifiers);
}

/** `^C` and `C-c` alike; several modifiers may stand before a key, each once or more. */
function splitModifiers(name: string): { modifiers: number; key: string } {
  let modifiers = 0;
  let key = name;
  if (/^\^.$/u.test(key)) return { modifiers: CTRL, key: key.slice(1) };
  for (;;) {
    const prefix = [...MODIFIERS.keys()].find((each) => key.length > each.length && key.toLowerCase().startsWith(each));
    if (prefix === undefined) return { modifiers, key };
    modifiers |= MODIFIERS.get(prefix)!;
    key = key.slice(prefix.length);
  }
}

function modified(text: string, modifiers: number): string | null {
  let bytes = text;
  if (modifiers & SHIFT && text.length === 1) bytes = text.toUpperCase();
  if (modifiers & CTRL) {
    const control = controlCharacter(text);
    if (control === null) return null;
    bytes = control;
  }
  return modifiers & ALT ? `\x1b${bytes}` : bytes;
}

/** Ctrl with a key: the lowest five bits of `@` to `_`, and what terminals have agreed on for the digits. */
export function controlCharacter(key: string): string | null {
  if (key === ' ') return '\0';
  if (key === '?') return '\x7f';
  if (key === '/' || key === '-') return '\x1f';
  if (key === '\r' || key === '\t' || key === '\x1b') return key;
  const code = key.toUpperCase().charCodeAt(0);
  if (key.length === 1 && code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
  const digit = '2345678'.indexOf(key);
  return key.length === 1 && digit !== -1 ? '\0\x1b\x1c\x1d\x1e\x1f\x7f'[digit]! : null;
}

function table<V>(entries: Readonly<Record<string, V>>): ReadonlyMap<string, V> {
  return new Map(Object.entries(entries));
}
