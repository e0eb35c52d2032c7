/** Reads the attributes of a cell, as xterm keeps them: two words of bits, and a third value for underlines and links. */
import type { EngineAttributes, EngineLine } from './engine.ts';

/** The words are normalized: equal attributes have equal fields. */
export interface Attributes {
  /** Colour and flags of `Fg`; without the underline, which is in `underline`. */
  readonly fg: number;
  /** Colour and flags of `Bg`. */
  readonly bg: number;
  /** 0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed. */
  readonly underline: number;
  /** The colour of the underline as a colour word; 0 for the colour of the text. */
  readonly underlineColour: number;
  /** xterm's number of the hyperlink, 0 for none. */
  readonly link: number;
}

export const Fg = {
  inverse: 0x400_0000,
  bold: 0x800_0000,
  underline: 0x1000_0000,
  blink: 0x2000_0000,
  invisible: 0x4000_0000,
  strike: 0x8000_0000,
} as const;
export const Bg = {
  italic: 0x400_0000,
  dim: 0x800_0000,
  extended: 0x1000_0000,
  protected: 0x2000_0000,
  overline: 0x4000_0000,
} as const;

export const COLOUR_MODE = 0x300_0000;
export const COLOUR_16 = 0x100_0000;
export const COLOUR_256 = 0x200_0000;
const COLOUR_RGB = 0x300_0000;
export const COLOUR_BITS = 0x3ff_ffff;
const RGB = 0xff_ffff;
const UNDERLINE_SHIFT = 26;

export const PLAIN: Attributes = Object.freeze({ fg: 0, bg: 0, underline: 0, underlineColour: 0, link: 0 });

export function attributesAt(line: EngineLine, column: number): Attributes {
  const fg = line.getFg(column);
  const bg = line.getBg(column);
  if (fg === 0 && bg === 0) return PLAIN;
  return attributesOf(fg, bg, (bg & Bg.extended) === 0 ? undefined : line._extendedAttrs[column]);
}

/** Returns the attributes of the pen, which the next printed character gets. */
export const penOf = ({ fg, bg, extended }: EngineAttributes): Attributes =>
  attributesOf(fg, bg, (bg & Bg.extended) === 0 ? undefined : extended);

export function attributesOf(
  fg: number,
  bg: number,
  extended: { _ext: number; _urlId: number } | undefined,
): Attributes {
  const link = extended?._urlId ?? 0;
  const underline = (fg & Fg.underline) === 0 ? 0 : extended === undefined ? 1 : underlineOf(extended) || 1;
  // Links are underlined too; without either, an underline colour has no effect.
  const isUnderlined = underline !== 0 || link !== 0;
  return {
    fg: cleanWord(fg & ~Fg.underline),
    bg: cleanWord(bg & ~Bg.extended),
    underline,
    underlineColour: extended !== undefined && isUnderlined ? underlineColourOf(extended) : 0,
    link,
  };
}

export const underlineOf = (extended: { _ext: number }): number => (extended._ext >>> UNDERLINE_SHIFT) & 7;
export const underlineColourOf = (extended: { _ext: number }): number => cleanColour(extended._ext & COLOUR_BITS);

/** Cleans a colour word: xterm keeps the green and red of a former true colour when a palette colour follows it. */
export function cleanColour(word: number): number {
  const mode = word & COLOUR_MODE;
  return mode === 0 ? 0 : mode === COLOUR_RGB ? mode | (word & RGB) : mode | (word & 0xff);
}

const cleanWord = (word: number): number => ((word & ~COLOUR_BITS) | cleanColour(word)) >>> 0;

export const isSameLook = (one: Attributes, other: Attributes): boolean =>
  one === other ||
  (one.fg === other.fg &&
    one.bg === other.bg &&
    one.underline === other.underline &&
    one.underlineColour === other.underlineColour &&
    one.link === other.link);

/** Returns whether the attributes consist only of a background: the result of erasing. */
export const isErased = (look: Attributes): boolean =>
  look.fg === 0 &&
  (look.bg & ~COLOUR_BITS) === 0 &&
  look.underline === 0 &&
  look.underlineColour === 0 &&
  look.link === 0;
