/** Returns the first difference between two terminals, as a sentence; undefined if all relevant state is the same. */
import {
  type Attributes,
  attributesAt,
  Bg,
  cleanColour,
  penOf,
  underlineColourOf,
  underlineOf,
} from '../engine/attributes.ts';
import type { EngineAttributes, EngineBuffer, EngineCore, EngineLine } from '../engine/engine.ts';

export interface CompareOptions {
  /** Whether to compare the lines above the screen too. */
  readonly withHistory?: boolean;
}

export function difference(expected: EngineCore, actual: EngineCore, options: CompareOptions = {}): string | undefined {
  return (
    sizes(expected, actual) ??
    buffers(
      'normal',
      [expected, expected.buffers.normal],
      [actual, actual.buffers.normal],
      options.withHistory ?? false,
    ) ??
    (isAlternate(expected)
      ? buffers('alternate', [expected, expected.buffers.alt], [actual, actual.buffers.alt], false)
      : undefined) ??
    facts('cursor', cursorOf(expected), cursorOf(actual)) ??
    facts('pen', penFacts(expected), penFacts(actual)) ??
    facts('sets', setsOf(expected), setsOf(actual)) ??
    facts('modes', modesOf(expected), modesOf(actual))
  );
}

type Side = readonly [EngineCore, EngineBuffer];
type Facts = Readonly<Record<string, unknown>>;

const isAlternate = ({ buffers: { active, alt } }: EngineCore): boolean => active === alt;

const sizes = (expected: EngineCore, actual: EngineCore): string | undefined =>
  facts(
    'size',
    { cols: expected.cols, rows: expected.rows, alternate: isAlternate(expected) },
    { cols: actual.cols, rows: actual.rows, alternate: isAlternate(actual) },
  );

function buffers(
  name: string,
  [core, buffer]: Side,
  [otherCore, other]: Side,
  withHistory: boolean,
): string | undefined {
  const length = withHistory ? Math.max(buffer.ybase, other.ybase) : 0;
  if (withHistory && buffer.ybase !== other.ybase)
    return `${name}: expected ${buffer.ybase} lines of history, found ${other.ybase}`;
  for (let row = -length; row < core.rows; row++) {
    const line = buffer.lines.get(buffer.ybase + row);
    const otherLine = other.lines.get(other.ybase + row);
    if (line === undefined || otherLine === undefined) {
      if (line !== otherLine) return `${name} line ${row}: expected ${line ? 'a' : 'no'} line`;
      continue;
    }
    const found = lines([core, line], [otherCore, otherLine]);
    if (found !== undefined)
      return `${name} line ${row} ${found}\n  expected |${shown(line)}|\n  found    |${shown(otherLine)}|`;
  }
  return facts(`${name} state`, bufferFacts(core, buffer), bufferFacts(otherCore, other));
}

function lines(
  [core, line]: readonly [EngineCore, EngineLine],
  [otherCore, other]: readonly [EngineCore, EngineLine],
): string | undefined {
  if (line.isWrapped !== other.isWrapped) return `is ${line.isWrapped ? '' : 'not '}wrapped, expected so`;
  for (let col = 0; col < core.cols; col++) {
    if (isSameCell(line, other, col)) continue;
    const text = line.getString(col);
    const otherText = other.getString(col);
    if (text !== otherText)
      return `column ${col}: expected ${JSON.stringify(text)}, found ${JSON.stringify(otherText)}`;
    if (line.getWidth(col) !== other.getWidth(col))
      return `column ${col}: expected width ${line.getWidth(col)}, found ${other.getWidth(col)}`;
    if (isPlainCell(line, col) && isPlainCell(other, col)) continue;
    const found = facts(
      `column ${col}`,
      lookFacts(core, attributesAt(line, col)),
      lookFacts(otherCore, attributesAt(other, col)),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether two cells have the same words, and no state beside the words. */
function isSameCell({ _data: data }: EngineLine, { _data: other }: EngineLine, col: number): boolean {
  const at = 3 * col;
  const isWords = data[at] === other[at] && data[at + 1] === other[at + 1] && data[at + 2] === other[at + 2];
  return isWords && (data[at]! & IS_COMBINED) === 0 && (data[at + 2]! & Bg.extended) === 0;
}

const IS_COMBINED = 0x20_0000;

const isPlainCell = (line: EngineLine, col: number): boolean => line.getFg(col) === 0 && line.getBg(col) === 0;

const shown = (line: EngineLine): string => {
  let text = '';
  for (let col = 0; col < line.length; col++) text += line.getString(col) || (line.getWidth(col) === 0 ? '' : '·');
  return text.replace(/·+$/, '');
};

function bufferFacts(core: EngineCore, buffer: EngineBuffer): Facts {
  const tabs: number[] = [];
  for (let col = 0; col < core.cols; col++) if (buffer.tabs[col]) tabs.push(col);
  return {
    margins: [buffer.scrollTop, buffer.scrollBottom],
    tabs,
    saved: [
      Math.min(buffer.savedX, core.cols),
      Math.min(Math.max(0, buffer.savedY - buffer.ybase), core.rows - 1),
      ...words(buffer.savedCurAttrData),
    ],
    savedSet: buffer.savedCharset,
    ...(buffer !== core.buffers.active && { row: buffer.y }),
  };
}

const cursorOf = ({ buffers: { active } }: EngineCore): Facts => ({ x: active.x, y: active.y });

function penFacts(core: EngineCore): Facts {
  const pen = core._inputHandler._curAttrData;
  return {
    ...lookFacts(core, penOf(pen)),
    words: words(pen),
    underlineToCome: underlineOf(pen.extended),
    underlineColourToCome: underlineColourOf(pen.extended),
    linkToCome: linkOf(core, pen.extended._urlId),
  };
}

const words = ({ fg, bg }: EngineAttributes): number[] =>
  [fg, bg].map((word) => ((word & 0xfc00_0000) | cleanColour(word)) >>> 0);

const lookFacts = (core: EngineCore, { link, ...look }: Attributes): Facts => ({ ...look, link: linkOf(core, link) });

function linkOf(core: EngineCore, link: number): string {
  const data = core._oscLinkService._dataByLinkId.get(link)?.data;
  if (link !== 0 && data === undefined) return FORGOTTEN;
  return data === undefined ? '' : `${data.id ?? ''} ${data.uri}`;
}

function setsOf({ _charsetService: { glevel, charset, _charsets } }: EngineCore): Facts {
  return { glevel, charset, g0: _charsets[0], g1: _charsets[1], g2: _charsets[2], g3: _charsets[3] };
}

function modesOf(core: EngineCore): Facts {
  const { modes, decPrivateModes, isCursorHidden } = core.coreService;
  const { activeProtocol, activeEncoding } = (core as unknown as { coreMouseService: Record<string, unknown> })
    .coreMouseService;
  // A frame that is open in the stream is closed in a snapshot; otherwise the snapshot would not be visible.
  return {
    ...modes,
    ...decPrivateModes,
    synchronizedOutput: undefined,
    isCursorHidden,
    convertEol: core.optionsService.rawOptions.convertEol,
    activeProtocol,
    activeEncoding,
  };
}

function facts(what: string, expected: Facts, actual: Facts): string | undefined {
  for (const key of Object.keys(expected)) {
    if (isSame(expected[key], actual[key])) continue;
    return `${what}: ${key} expected ${tell(expected[key])}, found ${tell(actual[key])}`;
  }
  return undefined;
}

/**
 * The address of a dropped link: xterm drops it when the line where it was opened is cleared, although other lines show it. Any
 * address is accepted.
 */
const FORGOTTEN = 'forgotten';

const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  one === FORGOTTEN ||
  other === FORGOTTEN ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, at) => item === other[at]));

const tell = (value: unknown): string => {
  if (typeof value === 'number') return value > 0xffff ? `0x${value.toString(16)}` : `${value}`;
  return JSON.stringify(value)?.slice(0, 200) ?? 'undefined';
};
