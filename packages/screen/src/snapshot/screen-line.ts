/** A line as it is visible: runs of text with the same attributes. */
import {
  type Attributes,
  attributesAt,
  Bg,
  COLOUR_16,
  COLOUR_256,
  COLOUR_MODE,
  Fg,
  isSameLook,
} from '../engine/attributes.ts';
import type { EngineCore, EngineLine } from '../engine/engine.ts';

export interface ScreenLine {
  /** Whether the line continues the one above: together they are one line of text. */
  readonly isWrapped: boolean;
  /** The runs, without blanks at the end. */
  readonly runs: readonly StyledRun[];
}

export interface StyledRun {
  readonly text: string;
  /** The number of cells that it takes. */
  readonly cells: number;
  readonly style: Style;
  readonly attributes: Attributes;
}

/** The attributes that differ from plain text. Colours: 0 to 255 of the palette, or `#rrggbb`. */
export interface Style {
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: 'single' | 'double' | 'curly' | 'dotted' | 'dashed';
  readonly underlineColour?: Colour;
  readonly blink?: true;
  readonly inverse?: true;
  readonly invisible?: true;
  readonly strike?: true;
  readonly overline?: true;
  readonly foreground?: Colour;
  readonly background?: Colour;
  readonly link?: string;
}

export type Colour = number | `#${string}`;

export function screenLine(core: EngineCore, line: EngineLine): ScreenLine {
  const end = lastShown(line, core.cols) + 1;
  const runs: StyledRun[] = [];
  let text = '';
  let from = 0;
  for (let col = 0; col < end;) {
    const width = Math.max(line.getWidth(col), 1);
    text += line.getString(col) || ' ';
    col += width;
    const attributes = attributesAt(line, from);
    if (col < end && isSameLook(attributes, attributesAt(line, col))) continue;
    runs.push({ text, cells: col - from, style: styleOf(core, attributes), attributes });
    text = '';
    from = col;
  }
  return { isWrapped: line.isWrapped, runs };
}

/**
 * Returns the last cell with text, or with attributes that are visible without text. Lines of the alternate screen may continue
 * beyond its edge.
 */
function lastShown(line: EngineLine, cols: number): number {
  let col = Math.min(line.length, cols) - 1;
  while (col >= 0 && line.getString(col) === '' && isUnseen(attributesAt(line, col))) col--;
  return col;
}

const isUnseen = ({ fg, bg, underline }: Attributes): boolean =>
  (bg & COLOUR_MODE) === 0 && (fg & SEEN_ON_BLANKS) === 0 && underline === 0;
const SEEN_ON_BLANKS = Fg.inverse | Fg.strike;

function styleOf(core: EngineCore, { fg, bg, underline, underlineColour, link }: Attributes): Style {
  const uri = core._oscLinkService._dataByLinkId.get(link)?.data.uri;
  const foreground = colourOf(fg);
  const background = colourOf(bg);
  const underlined = underline === 0 ? undefined : UNDERLINES[underline];
  const underlinedIn = colourOf(underlineColour);
  return {
    ...((fg & Fg.bold) !== 0 && { bold: true }),
    ...((bg & Bg.dim) !== 0 && { dim: true }),
    ...((bg & Bg.italic) !== 0 && { italic: true }),
    ...(underlined && { underline: underlined }),
    ...(underlined && underlinedIn !== undefined && { underlineColour: underlinedIn }),
    ...((fg & Fg.blink) !== 0 && { blink: true }),
    ...((fg & Fg.inverse) !== 0 && { inverse: true }),
    ...((fg & Fg.invisible) !== 0 && { invisible: true }),
    ...((fg & Fg.strike) !== 0 && { strike: true }),
    ...((bg & Bg.overline) !== 0 && { overline: true }),
    ...(foreground !== undefined && { foreground }),
    ...(background !== undefined && { background }),
    ...(uri !== undefined && { link: uri }),
  };
}

function colourOf(word: number): Colour | undefined {
  const mode = word & COLOUR_MODE;
  if (mode === 0) return undefined;
  if (mode === COLOUR_16 || mode === COLOUR_256) return word & 0xff;
  return `#${(word & 0xff_ffff).toString(16).padStart(6, '0')}`;
}

const UNDERLINES: readonly Style['underline'][] = [undefined, 'single', 'double', 'curly', 'dotted', 'dashed'];
