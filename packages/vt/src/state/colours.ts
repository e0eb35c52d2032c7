/**
 * The colours that a terminal would report: those that the program has set, else those that the attached terminal reported, else
 * COLORFGBG, else white on black and xterm's palette [QRY-2].
 */
import { oscCodeOf, oscPayloadOf, type Sequence } from '../scan/sequence.ts';

/** Three parts, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** OSC 10 to 19 by number; the palette (OSC 4) by index. */
export interface BaseColours {
  readonly foreground: Rgb;
  readonly background: Rgb;
  readonly cursor?: Rgb | undefined;
  readonly palette?: ReadonlyMap<number, Rgb> | undefined;
}

export const DEFAULT_COLOURS: BaseColours = { foreground: [229, 229, 229], background: [0, 0, 0] };

export class ColourTable {
  #base: BaseColours;
  readonly #set = new Map<string, Rgb>(); // at most 256 palette entries and ten others

  constructor(base: BaseColours = DEFAULT_COLOURS) {
    this.#base = base;
  }

  /** Replaces the base colours: a terminal was attached and reported its own. */
  rebase(base: BaseColours): void {
    this.#base = base;
  }

  /** Returns the answer to `OSC code ; ?` or `OSC 4 ; index ; ?`. Undefined if the colour does not exist. */
  get(code: number, index = 0): Rgb | undefined {
    return this.#set.get(keyOf(code, index)) ?? this.#baseOf(code, index);
  }

  get isDark(): boolean {
    return isDark(this.get(11)!);
  }

  /** Follows OSC 4, 10–19 (set) and 104, 110–119 (reset). Queries and unknown colours have no effect. */
  apply(sequence: Sequence): void {
    if (sequence.kind !== 'osc') return;
    const code = oscCodeOf(sequence);
    const isReset = code >= 104 && code <= 119;
    if (!(code === 4 || (code >= 10 && code <= 19) || isReset)) return;
    const words = oscPayloadOf(sequence, TEXT_CHARACTERS_MAX).split(';');
    if (code === 104) this.#resetPalette(words);
    else if (isReset) this.#set.delete(keyOf(code - 100, 0));
    else if (code === 4)
      for (let at = 0; at + 1 < words.length; at += 2) this.#put(4, indexOf(words[at]!), words[at + 1]!);
    else words.forEach((word, at) => this.#put(code + at, 0, word)); // one OSC 10 may also set 11, 12, …
  }

  #put(code: number, index: number, word: string): void {
    const colour = parseColour(word);
    if (colour !== undefined && index >= 0 && code <= 19) this.#set.set(keyOf(code, index), colour);
  }

  #resetPalette(words: readonly string[]): void {
    const all = words.length === 1 && words[0] === '';
    for (const key of [...this.#set.keys()])
      if (key.startsWith('4;') && (all || words.some((word) => key === keyOf(4, indexOf(word))))) this.#set.delete(key);
  }

  #baseOf(code: number, index: number): Rgb | undefined {
    const { foreground, background, cursor, palette } = this.#base;
    if (code === 4) return index < 0 || index > 255 ? undefined : (palette?.get(index) ?? xtermColour(index));
    if (code === 12) return cursor ?? foreground;
    // 13, 15, 19 are foregrounds (pointer, Tektronix, highlight); 14, 16, 17 backgrounds; 18 the Tektronix cursor.
    if ([10, 13, 15, 18].includes(code)) return foreground;
    if ([11, 14, 16].includes(code)) return background;
    if (code === 17) return foreground; // highlight is reverse video
    return code === 19 ? background : undefined;
  }
}

/** Formats a colour as terminals report it, with 16 bits for each part: `rgb:ffff/8080/00`. */
export const formatColour = (colour: Rgb): string =>
  `rgb:${colour.map((part) => part.toString(16).padStart(2, '0').repeat(2)).join('/')}`;

/**
 * Reads `rgb:r/g/b` (1 to 4 digits each), `rgba:…`, `#rgb`, `#rrggbb`, `#rrrgggbbb`, `#rrrrggggbbbb`. Names of colours are not
 * supported.
 */
export function parseColour(text: string): Rgb | undefined {
  const slashed = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i.exec(text);
  if (slashed !== null) return [scaled(slashed[1]!), scaled(slashed[2]!), scaled(slashed[3]!)];
  const digits = /^#((?:[0-9a-f]{3}){1,4})$/i.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const width = digits.length / 3;
  // `#` gives the high bits: #f00 is f000/0000/0000, not ffff/0000/0000, as in X11.
  const part = (at: number): number =>
    Number.parseInt(
      digits
        .slice(at * width, (at + 1) * width)
        .padEnd(2, '0')
        .slice(0, 2),
      16,
    );
  return [part(0), part(1), part(2)];
}

/** Reads COLORFGBG (`15;0`, `0;default;15`): foreground first, background last, both indices of the 16 colours. */
export function coloursOfFgBg(text: string): BaseColours | undefined {
  const match = /^(\d{1,2});(?:[^;]*;)?(\d{1,2})$/.exec(text);
  if (match === null) return undefined;
  const [foreground, background] = [Number(match[1]), Number(match[2])];
  return foreground > 15 || background > 15
    ? undefined
    : { foreground: xtermColour(foreground), background: xtermColour(background) };
}

/** Weights each part by the eye's sensitivity to it. */
export const isDark = ([red, green, blue]: Rgb): boolean => 299 * red + 587 * green + 114 * blue < 128_000;

/** Returns one of xterm's 256 colours: sixteen, a cube of 6 × 6 × 6, and a ramp of greys. */
export function xtermColour(index: number): Rgb {
  if (index < 16) return SIXTEEN[index]!;
  if (index >= 232) return [8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232)];
  const step = (value: number): number => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)];
}

const SIXTEEN: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

/** The limit of one OSC: 256 entries of `255;rgb:ffff/ffff/ffff;` fit. */
const TEXT_CHARACTERS_MAX = 8192;

const keyOf = (code: number, index: number): string => `${code};${index}`;
const indexOf = (word: string): number => (/^\d{1,3}$/.test(word) && Number(word) < 256 ? Number(word) : -1);
const scaled = (digits: string): number => Math.round((Number.parseInt(digits, 16) * 255) / (16 ** digits.length - 1));
