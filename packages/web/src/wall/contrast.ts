/**
 * Makes text on a miniature readable: programs choose colours for a dark terminal, and the light theme would paint dark text on
 * their dark backgrounds. The terminal itself does the same (`minimumContrastRatio`). Keeps PAGE-66.
 */

type ColourChannels = readonly [red: number, green: number, blue: number];

/** The steps from a colour towards black or white, which are enough for any pair of colours. */
const STEPS = 10;

/** Returns `ink`, or the nearest colour towards black or white that has this contrast to `paper`. */
export function readableInk(ink: string, paper: string, ratio: number): string {
  const key = `${ink} ${paper} ${ratio}`;
  let found = known.get(key);
  if (found === undefined) {
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, (found = findInk(ink, paper, ratio)));
  }
  return found;
}

/** Results are cached: screens have few pairs of colours, but pictures made of characters have many. */
const KNOWN_MAX = 4096;
const known = new Map<string, string>();

function findInk(ink: string, paper: string, ratio: number): string {
  const [from, against] = [rgbOf(ink), rgbOf(paper)];
  if (from === null || against === null || contrast(from, against) >= ratio) return ink;
  const target: ColourChannels =
    contrast([0, 0, 0], against) > contrast([255, 255, 255], against) ? [0, 0, 0] : [255, 255, 255];
  for (let step = 1; step < STEPS; step++) {
    const mixed = mix(from, target, step / STEPS);
    if (contrast(mixed, against) >= ratio) return cssOf(mixed);
  }
  return cssOf(target);
}

/** Returns the contrast by the formula of WCAG: 1 to 21. */
export function contrast(one: ColourChannels, other: ColourChannels): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: ColourChannels): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const mix = (from: ColourChannels, to: ColourChannels, share: number): ColourChannels =>
  from.map((value, index) => Math.round(value + (to[index]! - value) * share)) as unknown as ColourChannels;

const cssOf = ([red, green, blue]: ColourChannels): string => `rgb(${red} ${green} ${blue})`;

/** Reads the forms that miniatures use: `#rrggbb` and `rgb(r g b)`. */
export function rgbOf(colour: string): ColourChannels | null {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (hex !== null) return [1, 2, 3].map((part) => Number.parseInt(hex[part]!, 16)) as unknown as ColourChannels;
  const parts = /^rgb\((\d+) (\d+) (\d+)\)$/.exec(colour);
  return parts === null ? null : ([1, 2, 3].map((part) => Number(parts[part])) as unknown as ColourChannels);
}
