/**
 * Reads the output of a program as lines of text with colours, as a terminal would show them: escapes other than colours have no
 * effect, and an overwritten line is in its last state. A colour is one of sixteen names, so that every theme can make it readable.
 */
import { visible, type VisibleText } from '@spool/protocol/visible-text';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
type BaseColour = (typeof COLOURS)[number];
type OutputColour = BaseColour | `bright-${BaseColour}`;

interface OutputStyle {
  readonly colour?: OutputColour | undefined;
  readonly isBold?: boolean | undefined;
  readonly isDim?: boolean | undefined;
  readonly isItalic?: boolean | undefined;
  readonly isUnderlined?: boolean | undefined;
}

export interface OutputSpan extends OutputStyle {
  readonly text: VisibleText;
}

/** The colours (1), another escape, or a control character that a terminal does not show. */
const ESCAPE =
  /\u001b\[([\d;:]*)m|\u001b(?:\[[\d;:?<=>!"'$ ]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[()][\s\S]|[\s\S])?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** The length of a line beyond which the rest is left out; a copy has all of it. */
const LINE_CHARACTERS_MAX = 20_000;

/** Returns the lines; colours continue from line to line. */
export function outputLines(text: string): readonly (readonly OutputSpan[])[] {
  const lines = text.split(/\r?\n/);
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  let style: OutputStyle = {};
  return lines.map((line) => {
    // A carriage return starts the line again.
    const shown = line.slice(line.lastIndexOf('\r', line.length - 2) + 1);
    const read = spansOf(shown.slice(0, LINE_CHARACTERS_MAX), style);
    style = read.style;
    const rest = shown.length - LINE_CHARACTERS_MAX;
    return rest > 0 ? [...read.spans, { text: visible(`… ${rest} more characters`), isDim: true }] : read.spans;
  });
}

function spansOf(line: string, before: OutputStyle): { readonly spans: OutputSpan[]; readonly style: OutputStyle } {
  const spans: OutputSpan[] = [];
  let style = before;
  let at = 0;
  const push = (text: string): void => {
    if (text !== '') spans.push({ ...style, text: visible(text.replaceAll('\t', '    ')) });
  };
  for (const found of line.matchAll(ESCAPE)) {
    push(line.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[1] !== undefined) style = styled(style, found[1]);
  }
  push(line.slice(at));
  return { spans, style };
}

/** Applies the numbers of one escape. Backgrounds are left out: the page has its own. */
function styled(before: OutputStyle, numbers: string): OutputStyle {
  const codes = numbers.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const { colour, used } = extendedColour(codes, at);
      if (code === 38) style = { ...style, colour };
      at += used;
    } else style = next(style, code);
  }
  return style;
}

function next(style: OutputStyle, code: number): OutputStyle {
  if (code === 0) return {};
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 3) return { ...style, isItalic: true };
  if (code === 4) return { ...style, isUnderlined: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 23) return { ...style, isItalic: false };
  if (code === 24) return { ...style, isUnderlined: false };
  if (code === 39) return { ...style, colour: undefined };
  return { ...style, colour: namedColour(code) ?? style.colour };
}

function namedColour(code: number): OutputColour | undefined {
  if (code >= 30 && code <= 37) return COLOURS[code - 30];
  return code >= 90 && code <= 97 ? `bright-${COLOURS[code - 90]!}` : undefined;
}

/** Returns the nearest name of `38;5;N` or `38;2;R;G;B`, and the number of codes that it takes. */
function extendedColour(
  codes: readonly number[],
  at: number,
): { readonly colour: OutputColour | undefined; readonly used: number } {
  if (codes[at + 1] === 2) return { colour: nearest(codes[at + 2]!, codes[at + 3]!, codes[at + 4]!), used: 4 };
  if (codes[at + 1] !== 5) return { colour: undefined, used: 1 };
  const index = codes[at + 2] ?? 0;
  if (index < 8) return { colour: COLOURS[index], used: 2 };
  if (index < 16) return { colour: `bright-${COLOURS[index - 8]!}`, used: 2 };
  if (index >= 232) return { colour: nearest((index - 232) * 10, (index - 232) * 10, (index - 232) * 10), used: 2 };
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return { colour: nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)), used: 2 };
}

function nearest(red = 0, green = 0, blue = 0): OutputColour {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) return most < 90 ? 'black' : most < 190 ? 'bright-black' : 'white';
  const middle = (most + least) / 2;
  const bits = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return COLOURS[bits]!;
}
