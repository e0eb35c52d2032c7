/** Generates random programs, as rich in escapes as possible; the same seed makes the same one. */
import { randomFrom, type Stream } from './fidelity.ts';

type Random = (below: number) => number;
type ProgramPart = (random: Random, size: { cols: number; rows: number }) => string;

export interface ProgramOptions {
  readonly seed: number;
  readonly pieces: number;
  readonly cols?: number;
  readonly rows?: number;
  /**
   * The number of changes of size; with them, there are no tabs (stops beyond the margin come back, where they were set) and no
   * marks (xterm mixes them up when it reflows lines).
   */
  readonly resizes?: number;
  readonly usesAlternate?: boolean;
}

export function madeUpProgram({
  seed,
  pieces,
  cols = 20,
  rows = 8,
  resizes = 0,
  usesAlternate = true,
}: ProgramOptions): Stream {
  const random = randomFrom(seed);
  const size = { cols, rows };
  const parts: string[] = [];
  const changes: { at: number; cols: number; rows: number }[] = [];
  let at = 0;
  for (let turn = 0; turn < pieces; turn++) {
    const piece = pick(random, resizes > 0 ? FOR_RESIZES : PIECES);
    const part = piece === alternate && !usesAlternate ? '' : piece(random, size);
    parts.push(resizes > 0 ? part.replaceAll(MARKS, '') : part);
    at += Buffer.byteLength(parts.at(-1)!);
    if (resizes > 0 && random(pieces) < resizes) {
      size.cols = 4 + random(40);
      size.rows = 2 + random(12);
      changes.push({ at, ...size });
    }
  }
  return { name: `program ${seed}`, cols, rows, bytes: Uint8Array.from(Buffer.from(parts.join(''))), resizes: changes };
}

const MARKS = /\p{M}|[\u200b\u200d]/gu;

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)]!;
const often = <Item>(times: number, item: Item): Item[] => Array.from({ length: times }, () => item);

const WORDS = [
  'a',
  'word ',
  'lazy dog',
  'x'.repeat(17),
  ' ',
  '    ',
  '漢字',
  '漢',
  'e\u0301',
  'n\u0303o',
  '\u0301',
  '👩\u200d💻',
  '⚠\ufe0f',
  '한국어',
  '— • “q”',
  '─│┌',
  'qqxx',
  '|~_`',
  '\u200b',
  '🇩🇪',
  '\u{20000}',
];

const row: ProgramPart = (random, { rows }) => `${1 + random(rows + 1)}`;
const col: ProgramPart = (random, { cols }) => `${1 + random(cols + 1)}`;
const few: ProgramPart = (random) => `${random(4)}`;
const csi =
  (final: string, ...params: ProgramPart[]): ProgramPart =>
  (random, size) =>
    `\x1b[${params.map((param) => param(random, size)).join(';')}${final}`;
const exactly =
  (...texts: string[]): ProgramPart =>
  (random) =>
    pick(random, texts);

const text: ProgramPart = (random) => Array.from({ length: 1 + random(6) }, () => pick(random, WORDS)).join('');
/** A line up to the margin or beyond, whose last character is sometimes wide or has a mark. */
const line: ProgramPart = (random, { cols }) =>
  'm'.repeat(Math.max(0, cols - random(4))) + pick(random, ['', '字', 'e\u0301', 'ab', '字字']);

const colour: ProgramPart = (random) => {
  const base = pick(random, [30, 40]);
  return pick(random, [
    `${base + random(8)}`,
    `${base + 60 + random(8)}`,
    `${base + 9}`,
    `${base + 8};5;${random(256)}`,
    `${base + 8};2;${random(256)};${random(256)};${random(256)}`,
    `${base + 8}:2::${random(256)}:0:9`,
    `58:5:${random(256)}`,
    `58;2;1;2;${random(256)}`,
    '59',
  ]);
};
const style: ProgramPart = (random) =>
  pick(random, [
    '',
    '0',
    '1',
    '2',
    '3',
    '4',
    '4:0',
    '4:2',
    '4:3',
    '4:4',
    '4:5',
    '5',
    '7',
    '8',
    '9',
    '21',
    '22',
    '23',
    '24',
    '25',
    '27',
    '28',
    '29',
    '53',
    '55',
  ]);
const sgr: ProgramPart = (random, size) =>
  `\x1b[${Array.from({ length: 1 + random(3) }, () => pick(random, [colour, style])(random, size)).join(';')}m`;

const link: ProgramPart = (random) =>
  pick(random, [
    '\x1b]8;;http://a/\x1b\\',
    '\x1b]8;id=7;http://b/?x=1;2\x07',
    '\x1b]8;;\x1b\\',
    '\x1b]8;;\x07',
    '\x1b]8;;http://long/' + 'p'.repeat(30) + '\x07',
  ]);
const tabs: ProgramPart = (random, size) =>
  pick(random, ['\x1bH', '\x1b[g', '\x1b[3g', '\t', '\t', '\x1b[I', '\x1b[Z', `\x1b[${col(random, size)}G\x1bH`]);
const alternate = exactly('\x1b[?1049h', '\x1b[?1049l', '\x1b[?47h', '\x1b[?47l', '\x1b[?1047h', '\x1b[?1047l');
/** Erases, but not at the very end of a line: there xterm clears a flag of a wrong line, which is not tested here. */
const eraseAbove: ProgramPart = (random) => pick(random, ['\r\x1b[1J', '\b\b\x1b[1J']);

const PIECES: readonly ProgramPart[] = [
  ...often(22, text),
  ...often(6, line),
  ...often(10, sgr),
  ...often(4, exactly('\r\n', '\n', '\r', '\b', '\x1bD', '\x1bE', '\x1bM')),
  ...often(4, csi('H', row, col)),
  csi('A', few),
  csi('B', few),
  csi('C', few),
  csi('D', few),
  csi('E', few),
  csi('F', few),
  csi('G', col),
  csi('d', row),
  csi('a', few),
  csi('e', few),
  ...often(2, csi('K', exactly('', '0', '1', '2'))),
  csi('J', exactly('', '0', '2')),
  eraseAbove,
  csi('X', few),
  csi('P', few),
  csi('@', few),
  csi('L', few),
  csi('M', few),
  csi('S', few),
  csi('T', few),
  csi(' @', few),
  csi(' A', few),
  csi("'}", few),
  csi("'~", few),
  csi('b', few),
  csi('r', row, row),
  exactly('\x1b[r'),
  ...often(2, tabs),
  ...often(3, link),
  ...often(3, exactly('\x1b7', '\x1b8', '\x1b[s', '\x1b[u')),
  alternate,
  exactly('\x1b[?1048h', '\x1b[?1048l'),
  exactly('\x1b[?6h', '\x1b[?6l'),
  exactly('\x1b[?7l', '\x1b[?7h', '\x1b[?7h'),
  exactly('\x1b[4h', '\x1b[4l', '\x1b[4l'),
  exactly('\x1b[20h', '\x1b[20l'),
  exactly('\x1b[?45h', '\x1b[?45l'),
  ...often(2, exactly('\x1b(0', '\x1b(B', '\x1b)0', '\x0e', '\x0f', '\x1b*A', '\x1b+0', '\x1bn', '\x1bo', '\x1b(K')),
  exactly('\x1b[?2026h', '\x1b[?2026l'),
  exactly('\x1b[?25l', '\x1b[?25h'),
  exactly('\x1b[3 q', '\x1b[ q', '\x1b[6 q'),
  exactly('\x1b]0;title 字\x07', '\x1b]2;other\x1b\\'),
  exactly(
    '\x1b[?1h',
    '\x1b[?1l',
    '\x1b=',
    '\x1b>',
    '\x1b[?2004h',
    '\x1b[?2004l',
    '\x1b[?1000h',
    '\x1b[?1002h',
    '\x1b[?1003l',
    '\x1b[?1006h',
    '\x1b[?1006l',
    '\x1b[?1004h',
    '\x1b[>1u',
    '\x1b[<u',
    '\x1b[=5;1u',
  ),
  exactly('\x1b[c', '\x1b[6n', '\x1bP$qm\x1b\\', '\x1b_Gapc\x1b\\', '\x1b[1"q', '\x1b[0"q', '\x1b[?K', '\x1b#8'),
];

const FOR_RESIZES = PIECES.filter((piece) => piece !== tabs);
