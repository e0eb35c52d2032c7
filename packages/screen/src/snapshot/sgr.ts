/** Finds the shortest SGR from one set of attributes to another. Links are handled elsewhere. */
import {
  type Attributes,
  Bg,
  COLOUR_16,
  COLOUR_256,
  COLOUR_BITS,
  COLOUR_MODE,
  Fg,
  PLAIN,
} from '../engine/attributes.ts';

/** Returns the sequence; empty if both are the same. */
export function sgr(from: Attributes, to: Attributes): string {
  if (isPlain(to)) return isPlain(from) ? '' : '\x1b[m';
  const change = changes(from, to);
  if (change.length === 0) return '';
  const anew = changes(PLAIN, to);
  const changed = change.join(';');
  const whole = `0;${anew.join(';')}`;
  const isAnew = whole.length < changed.length || (from.underlineColour !== 0 && to.underlineColour === 0);
  return `\x1b[${isAnew ? whole : changed}m`;
}

/**
 * Returns the sequence for a pen in a state that only DECRC produces: it must not mention underlines, because xterm would then
 * normalize the state. The colours and the other flags are set as usual.
 */
export const sgrWithoutUnderline = (from: Attributes, to: Attributes): string => {
  const change = changes({ ...from, underline: 0, underlineColour: 0 }, { ...to, underline: 0, underlineColour: 0 });
  return change.length === 0 ? '' : `\x1b[${change.join(';')}m`;
};

function changes(from: Attributes, to: Attributes): string[] {
  const codes: string[] = [];
  const isLess = (word: 'fg' | 'bg', bit: number): boolean => (from[word] & bit) !== 0 && (to[word] & bit) === 0;
  const isMore = (word: 'fg' | 'bg', bit: number): boolean => (from[word] & bit) === 0 && (to[word] & bit) !== 0;
  // 22 resets bold and dim together.
  const isNeitherFirst = isLess('fg', Fg.bold) || isLess('bg', Bg.dim);
  if (isNeitherFirst) codes.push('22');
  if (isMore('fg', Fg.bold) || (isNeitherFirst && (to.fg & Fg.bold) !== 0)) codes.push('1');
  if (isMore('bg', Bg.dim) || (isNeitherFirst && (to.bg & Bg.dim) !== 0)) codes.push('2');
  for (const [word, bit, on, off] of FLAGS) {
    if (isMore(word, bit)) codes.push(on);
    else if (isLess(word, bit)) codes.push(off);
  }
  if (from.underline !== to.underline) codes.push(UNDERLINES[to.underline]!);
  if (from.underlineColour !== to.underlineColour) codes.push(underlineColour(to.underlineColour));
  if ((from.fg & COLOUR_BITS) !== (to.fg & COLOUR_BITS)) codes.push(colour(to.fg, 30));
  if ((from.bg & COLOUR_BITS) !== (to.bg & COLOUR_BITS)) codes.push(colour(to.bg, 40));
  return codes;
}

function colour(word: number, base: 30 | 40): string {
  const mode = word & COLOUR_MODE;
  if (mode === 0) return `${base + 9}`;
  if (mode === COLOUR_16) return `${(word & 15) < 8 ? base + (word & 7) : base + 60 + (word & 7)}`;
  if (mode === COLOUR_256) return `${base + 8};5;${word & 0xff}`;
  return `${base + 8};2;${(word >>> 16) & 0xff};${(word >>> 8) & 0xff};${word & 0xff}`;
}

/**
 * Formats the colour with colons, which terminals that support underline colours understand; others then skip one parameter, not
 * five.
 */
function underlineColour(word: number): string {
  const mode = word & COLOUR_MODE;
  // xterm.js 6 turns 59 into white, so `sgr` never writes 59 if there is no colour; and white is written as 59, for other
  // terminals.
  if (mode === 0 || word === WHITE) return '59';
  if (mode === COLOUR_16 || mode === COLOUR_256) return `58:5:${word & 0xff}`;
  return `58:2::${(word >>> 16) & 0xff}:${(word >>> 8) & 0xff}:${word & 0xff}`;
}

const isPlain = ({ fg, bg, underline, underlineColour: colourWord }: Attributes): boolean =>
  fg === 0 && bg === 0 && underline === 0 && colourWord === 0;

const WHITE = 0x3ff_ffff;
const UNDERLINES = ['24', '4', '21', '4:3', '4:4', '4:5'];
const FLAGS: readonly (readonly [word: 'fg' | 'bg', bit: number, on: string, off: string])[] = [
  ['bg', Bg.italic, '3', '23'],
  ['fg', Fg.blink, '5', '25'],
  ['fg', Fg.inverse, '7', '27'],
  ['fg', Fg.invisible, '8', '28'],
  ['fg', Fg.strike, '9', '29'],
  ['bg', Bg.overline, '53', '55'],
];
