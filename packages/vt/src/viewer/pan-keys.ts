/** The keys that move a window over a larger screen, in every form in which terminals send them. Keeps SIZE-40. */
export type PanKey = 'left' | 'right' | 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end' | 'leave';

/** Returns undefined for any other key, and for the release of a key. */
export function panKeyOf(token: readonly number[]): PanKey | undefined {
  const text = String.fromCharCode(...token);
  if (token.length === 1) return BYTES[text];
  const match = /^\x1b(?:\[|O)(?:(\d+)[\d:]*)?(?:;\d*(?::(\d))?)?(?:;[\d:]*)?([A-Z~u])$/.exec(text);
  if (match === null) return undefined;
  const [, code = '', event = '1', final] = match;
  if (event === '3') return undefined;
  if (final === 'u') return CODES[code] ?? BYTES[String.fromCharCode(Number(code))];
  const keys: Readonly<Record<string, PanKey>> = CURSOR_KEYS;
  return keys[final === '~' ? `${code}~` : final!];
}

const BYTES: Readonly<Record<string, PanKey>> = {
  h: 'left',
  j: 'down',
  k: 'up',
  l: 'right',
  '\x1b': 'leave',
  '\x03': 'leave',
  '\r': 'leave',
  q: 'leave',
};
/** Keys by the character after ESC [ or ESC O, without modifiers. */
export const CURSOR_KEYS = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
} as const;
/** Codes of the kitty keyboard: the arrows and other keys of the number pad. */
const CODES: Readonly<Record<string, PanKey>> = {
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'page-up',
  57422: 'page-down',
  57423: 'home',
  57424: 'end',
};
