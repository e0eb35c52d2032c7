/**
 * The queries that programs send to their terminal, and the answers.
 *
 * `queriesOf` recognises them in the scanner's sequences; `answerQuery` replies as a terminal would, from facts that the caller
 * knows at that exact byte of the stream. A program that gets no answer waits (fish 10 s); one that gets two answers receives the
 * second as typed input at its prompt. Therefore the keeper answers, once, and queries never reach a viewer.
 *
 * Some queries are never answered: a program that can read the clipboard, the title or the screen through a terminal can make it
 * type anything. Keeps QRY-3: no answer has the form of a query.
 */
import { formatColour, type ColourTable } from './colours.ts';
import { isModeSet, kittyFlags, type ModeState } from './modes.ts';
import { latin1, oscCodeOf, oscPayloadOf, paramsOf, payloadOf, type Sequence } from '../scan/sequence.ts';
import { encodeUtf8 } from '../scan/utf8.ts';

export type Query = QueryPlace & QueryKind;

export interface QueryPlace {
  /** Absolute offsets; the answer describes the state at `end`. */
  readonly start: number;
  readonly end: number;
  /** A string query is answered with its own terminator. */
  readonly endsWithBell: boolean;
}

export type QueryKind =
  | { readonly type: 'device-attributes'; readonly level: 1 | 2 | 3 }
  | { readonly type: 'status'; readonly code: number; readonly isPrivate: boolean }
  | { readonly type: 'cursor-position'; readonly isPrivate: boolean }
  | { readonly type: 'mode'; readonly mode: number; readonly isPrivate: boolean }
  | { readonly type: 'colour'; readonly code: number; readonly index: number }
  | { readonly type: 'colour-scheme' }
  | { readonly type: 'version' }
  | { readonly type: 'capability'; readonly names: readonly string[] }
  | { readonly type: 'setting'; readonly setting: string }
  | { readonly type: 'kitty-keyboard' }
  | { readonly type: 'modify-keys'; readonly resource: number }
  | { readonly type: 'window'; readonly operation: number }
  | { readonly type: 'terminal-parameters'; readonly request: number }
  | { readonly type: 'kitty-graphics'; readonly id: string }
  | { readonly type: 'graphics-attribute'; readonly item: number }
  | { readonly type: 'program-status' }
  /** A known query that is not answered; `what` names its subject. */
  | { readonly type: 'unanswered'; readonly what: UnansweredQuery };

export type UnansweredQuery =
  | 'clipboard' // OSC 52 ; c ; ?
  | 'screen-checksum' // DECRQCRA
  | 'presentation' // DECRQPSR, DECRQTSR, DECRQDE, DECRQUPSS, XTREPORTSGR, XTREPORTCOLORS
  | 'locator' // DECRQLP
  | 'notification-support' // OSC 99 p=?
  | 'x-resource' // XTGETXRES
  | 'iterm' // OSC 1337 Capabilities, ReportCellSize, ReportVariable
  | 'pointer-shape' // OSC 22 ; ?
  | 'colour-stack'; // OSC 21, OSC 5

/** The state of the terminal at the query's end. */
export interface TerminalFacts {
  /** 1-based. Relative to the margins when origin mode is on, as a terminal would report it. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly modes: ModeState;
  readonly size: { readonly rows: number; readonly columns: number };
  /** The size of one cell; unknown in a session that never had a viewer. */
  readonly cellPixels?: { readonly width: number; readonly height: number } | undefined;
  readonly colours: Pick<ColourTable, 'get' | 'isDark'>;
  readonly version: string;
  /** Margins, 1-based, for DECRQSS. Default: the whole screen. */
  readonly margins?:
    | { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number }
    | undefined;
  /** SGR parameters in force, for DECRQSS. Default `0`. */
  readonly sgr?: string | undefined;
  /** Capabilities beyond text and colours (default: none). */
  readonly features?:
    | { readonly kittyGraphics?: boolean; readonly sixel?: boolean; readonly clipboardWrite?: boolean }
    | undefined;
  /**
   * Overrides the answer to DECRQM before the modes are read: 0 unknown, 1 set, 2 reset, 3 permanently set, 4 permanently reset.
   */
  readonly modeStatus?: ((mode: number, isPrivate: boolean) => 0 | 1 | 2 | 3 | 4 | undefined) | undefined;
}

/** Returns the queries in one sequence: mostly none, rarely more than one (`OSC 10 ; ? ; ?`). */
export function queriesOf(sequence: Sequence): readonly Query[] {
  switch (sequence.kind) {
    case 'csi':
      return csiQuery(sequence);
    case 'osc':
      return oscQueries(sequence);
    case 'dcs':
      return dcsQuery(sequence);
    case 'apc':
      return apcQuery(sequence);
    case 'escape':
      return sequence.final === 0x5a && sequence.intermediate === 0
        ? [at(sequence, { type: 'device-attributes', level: 1 })]
        : NONE;
    default:
      return NONE;
  }
}

/** Returns the bytes for the program, or undefined if it gets no answer. */
export function answerQuery(query: Query, facts: TerminalFacts): Uint8Array | undefined {
  const text = answerText(query, facts);
  if (text === undefined) return undefined;
  return encodeUtf8(query.endsWithBell ? text.replaceAll('\x1b\\', '\x07') : text);
}

function answerText(query: Query, facts: TerminalFacts): string | undefined {
  switch (query.type) {
    case 'device-attributes':
      return deviceAttributes(query.level, facts);
    case 'status':
      return STATUS_ANSWERS[`${query.isPrivate ? '?' : ''}${query.code}`];
    case 'cursor-position': {
      const { row, column } = facts.cursor;
      return query.isPrivate ? `\x1b[?${row};${column};1R` : `\x1b[${row};${column}R`;
    }
    case 'mode':
      return `\x1b[${query.isPrivate ? '?' : ''}${query.mode};${modeStatus(query.mode, query.isPrivate, facts)}$y`;
    case 'colour': {
      const colour = facts.colours.get(query.code, query.index);
      if (colour === undefined) return undefined;
      return `\x1b]${query.code};${query.code === 4 ? `${query.index};` : ''}${formatColour(colour)}\x1b\\`;
    }
    case 'colour-scheme':
      return `\x1b[?997;${facts.colours.isDark ? 1 : 2}n`;
    case 'version':
      return `\x1bP>|spool(${facts.version})\x1b\\`;
    case 'capability':
      return query.names.map(capability).join('');
    case 'setting': {
      const value = setting(query.setting, facts);
      return value === undefined ? '\x1bP0$r\x1b\\' : `\x1bP1$r${value}\x1b\\`;
    }
    case 'kitty-keyboard':
      return `\x1b[?${kittyFlags(facts.modes)}u`;
    case 'modify-keys':
      return query.resource === 4 ? `\x1b[>4;${facts.modes.modifyOtherKeys}m` : undefined;
    case 'window':
      return windowReport(query.operation, facts);
    case 'terminal-parameters':
      return `\x1b[${query.request + 2};1;1;128;128;1;0x`;
    case 'kitty-graphics':
      return facts.features?.kittyGraphics === true ? `\x1b_Gi=${query.id};OK\x1b\\` : undefined;
    case 'graphics-attribute':
      return `\x1b[?${query.item};3;0S`; // 3: failure, these graphics are not supported
    case 'program-status':
      // The query alone would be a valid answer too, but it would be a query again: a raw `cat` would ask forever. key=value pairs
      // may follow the `?`; the programs that ask ignore unknown ones.
      return '\x1b]7501;?:term=spool\x1b\\';
    case 'unanswered':
      return undefined;
  }
}

// Recognition.

function csiQuery(sequence: Sequence): readonly Query[] {
  const { final, prefix, intermediate } = sequence;
  switch (final) {
    case 0x63: // c
      if (intermediate !== 0 || (paramsOf(sequence)[0] ?? 0) > 0) return NONE;
      if (prefix === 0) return [at(sequence, { type: 'device-attributes', level: 1 })];
      if (prefix === 0x3e) return [at(sequence, { type: 'device-attributes', level: 2 })];
      return prefix === 0x3d ? [at(sequence, { type: 'device-attributes', level: 3 })] : NONE;
    case 0x6e: // n
      return intermediate === 0 && (prefix === 0 || prefix === 0x3f) ? statusQuery(sequence, prefix === 0x3f) : NONE;
    case 0x70: // p
      if (intermediate !== 0x24 || (prefix !== 0 && prefix !== 0x3f)) return NONE;
      return [
        at(sequence, { type: 'mode', mode: Math.max(0, paramsOf(sequence)[0] ?? 0), isPrivate: prefix === 0x3f }),
      ];
    case 0x71: // q
      return prefix === 0x3e && intermediate === 0 && (paramsOf(sequence)[0] ?? 0) <= 0
        ? [at(sequence, { type: 'version' })]
        : NONE;
    case 0x74: // t
      return prefix === 0 && intermediate === 0 ? windowQuery(sequence) : NONE;
    case 0x75: // u
      if (prefix === 0x3f && intermediate === 0) {
        // A sequence with a parameter is the answer, returned by an echo.
        return sequence.paramsTo === sequence.paramsFrom ? [at(sequence, { type: 'kitty-keyboard' })] : NONE;
      }
      return intermediate === 0x24 || intermediate === 0x26 ? unanswered(sequence, 'presentation') : NONE;
    case 0x6d: // m
      return prefix === 0x3f && intermediate === 0
        ? [at(sequence, { type: 'modify-keys', resource: paramsOf(sequence)[0] ?? -1 })]
        : NONE;
    case 0x78: {
      // x
      const request = Math.max(0, paramsOf(sequence)[0] ?? 0);
      return prefix === 0 && intermediate === 0 && request <= 1
        ? [at(sequence, { type: 'terminal-parameters', request })]
        : NONE;
    }
    case 0x79: // y
      return intermediate === 0x2a ? unanswered(sequence, 'screen-checksum') : NONE;
    case 0x53: // S
      return prefix === 0x3f && intermediate === 0 ? graphicsQuery(sequence) : NONE;
    case 0x77: // w
      return intermediate === 0x24 ? unanswered(sequence, 'presentation') : NONE;
    case 0x76: // v
      return intermediate === 0x22 ? unanswered(sequence, 'presentation') : NONE;
    case 0x7c: // |
      if (intermediate === 0x27) return unanswered(sequence, 'locator');
      return intermediate === 0x23 ? unanswered(sequence, 'presentation') : NONE;
    case 0x52: // R
      return intermediate === 0x23 ? unanswered(sequence, 'presentation') : NONE;
    case 0: {
      // Gemini's form of the query for modifyOtherKeys; terminals drop it, as the `?` is out of place.
      const isGemini = latin1(sequence.source, sequence.from + 2, sequence.to) === '>4;?m';
      return isGemini ? [at(sequence, { type: 'modify-keys', resource: 4 })] : NONE;
    }
    default:
      return NONE;
  }
}

function statusQuery(sequence: Sequence, isPrivate: boolean): readonly Query[] {
  const code = paramsOf(sequence)[0] ?? -1;
  if (code === 6) return [at(sequence, { type: 'cursor-position', isPrivate })];
  if (code === 996 && isPrivate) return [at(sequence, { type: 'colour-scheme' })];
  return STATUS_ANSWERS[`${isPrivate ? '?' : ''}${code}`] !== undefined
    ? [at(sequence, { type: 'status', code, isPrivate })]
    : NONE;
}

/**
 * Handles XTSMGRAPHICS: 1 reads a value, 4 its maximum. Setting or resetting a value is not a question, and looks like our
 * answer.
 */
function graphicsQuery(sequence: Sequence): readonly Query[] {
  const [item = -1, action = -1] = paramsOf(sequence);
  return action === 1 || action === 4 ? [at(sequence, { type: 'graphics-attribute', item: Math.max(0, item) })] : NONE;
}

function windowQuery(sequence: Sequence): readonly Query[] {
  const operation = paramsOf(sequence)[0] ?? -1;
  return WINDOW_REPORTS.includes(operation) ? [at(sequence, { type: 'window', operation })] : NONE;
}

function oscQueries(sequence: Sequence): readonly Query[] {
  const code = oscCodeOf(sequence);
  const { source, dataTo } = sequence;
  const isQuestion = source[dataTo - 1] === 0x3f;
  switch (code) {
    case 4:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
      return colourQueries(sequence, code);
    case 5:
    case 21:
      return isQuestion ? unanswered(sequence, 'colour-stack') : NONE;
    case 22:
      return oscPayloadOf(sequence, 1) === '?' ? unanswered(sequence, 'pointer-shape') : NONE;
    case 52:
      return isQuestion ? unanswered(sequence, 'clipboard') : NONE;
    case 99:
      return /^[^;]*\bp=\?/.test(oscPayloadOf(sequence, CONTROL_CHARACTERS_MAX))
        ? unanswered(sequence, 'notification-support')
        : NONE;
    case 1337:
      return /^(?:Capabilities$|ReportCellSize|ReportVariable=)/.test(oscPayloadOf(sequence, 32))
        ? unanswered(sequence, 'iterm')
        : NONE;
    case 7501:
      return oscPayloadOf(sequence, 2) === '?' ? [at(sequence, { type: 'program-status' })] : NONE;
    default:
      return NONE;
  }
}

function colourQueries(sequence: Sequence, code: number): readonly Query[] {
  const words = oscPayloadOf(sequence, COLOUR_CHARACTERS_MAX).split(';');
  if (code !== 4) {
    return words.flatMap((word, plus) =>
      word === '?' && code + plus <= 19 ? [at(sequence, { type: 'colour', code: code + plus, index: 0 })] : [],
    );
  }
  return words.flatMap((word, place) => {
    const index = words[place - 1] ?? '';
    return place % 2 === 1 && word === '?' && /^\d{1,3}$/.test(index)
      ? [at(sequence, { type: 'colour', code, index: Number(index) })]
      : [];
  });
}

function dcsQuery(sequence: Sequence): readonly Query[] {
  if (sequence.final === 0x51 && sequence.intermediate === 0x2b) return unanswered(sequence, 'x-resource');
  if (sequence.final !== 0x71) return NONE;
  if (sequence.intermediate === 0x24)
    return [at(sequence, { type: 'setting', setting: payloadOf(sequence, SETTING_CHARACTERS_MAX) })];
  if (sequence.intermediate !== 0x2b) return NONE;
  const names = payloadOf(sequence, CONTROL_CHARACTERS_MAX).split(';');
  return [at(sequence, { type: 'capability', names: names.filter((name) => /^(?:[0-9a-f]{2}){1,64}$/i.test(name)) })];
}

function apcQuery(sequence: Sequence): readonly Query[] {
  const control = /^G([^;]*)/.exec(payloadOf(sequence, CONTROL_CHARACTERS_MAX))?.[1]?.split(',') ?? [];
  if (!control.includes('a=q')) return NONE;
  const id = control.find((key) => /^i=\d{1,10}$/.test(key))?.slice(2);
  return id === undefined ? NONE : [at(sequence, { type: 'kitty-graphics', id })];
}

const unanswered = (sequence: Sequence, what: UnansweredQuery): readonly Query[] => [
  at(sequence, { type: 'unanswered', what }),
];

function at(sequence: Sequence, kind: QueryKind): Query {
  const { start, end, endsWithBell } = sequence;
  return { ...kind, start, end, endsWithBell: sequence.kind !== 'csi' && sequence.kind !== 'escape' && endsWithBell };
}

// Answers.

function deviceAttributes(level: 1 | 2 | 3, facts: TerminalFacts): string {
  if (level === 3) return '\x1bP!|00000000\x1b\\';
  if (level === 2) return `\x1b[>1;${numericVersion(facts.version)};0c`;
  const { sixel, clipboardWrite } = facts.features ?? {};
  // A VT220 (62) with colours (22); sixel is 4, and 52 says that the clipboard can be written.
  return `\x1b[?62${sixel === true ? ';4' : ''};22${clipboardWrite === true ? ';52' : ''}c`;
}

/** Returns 10203 for 1.2.3. */
function numericVersion(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major * 10_000 + minor * 100 + patch;
}

function modeStatus(mode: number, isPrivate: boolean, facts: TerminalFacts): number {
  const said = facts.modeStatus?.(mode, isPrivate);
  if (said !== undefined) return said;
  const isOn = isModeSet(facts.modes, mode, !isPrivate);
  return isOn === undefined ? 0 : isOn ? 1 : 2;
}

/** The capabilities that programs ask for; each is answered separately, as kitty does and all clients accept. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  TN: 'xterm-256color',
  name: 'xterm-256color',
  Co: '256',
  colors: '256',
  RGB: '8/8/8',
};

function capability(hexName: string): string {
  const name = hexName.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
  const value = Object.hasOwn(CAPABILITIES, name) ? CAPABILITIES[name]! : undefined;
  if (value === undefined) return `\x1bP0+r${hexName}\x1b\\`;
  const hexValue = [...value].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return `\x1bP1+r${hexName}=${hexValue}\x1b\\`;
}

function setting(name: string, facts: TerminalFacts): string | undefined {
  const { rows, columns } = facts.size;
  const { top, bottom, left, right } = facts.margins ?? { top: 1, bottom: rows, left: 1, right: columns };
  switch (name) {
    case 'm':
      return `${facts.sgr ?? '0'}m`;
    case 'r':
      return `${top};${bottom}r`;
    case 's':
      return `${left};${right}s`;
    case ' q':
      return `${facts.modes.cursorStyle} q`;
    case '"p':
      return '62;1"p';
    case '"q':
      return '0"q';
    case 't':
      return `${rows}t`;
    case '$|':
      return `${columns}$|`;
    case '*|':
      return `${rows}*|`;
    default:
      return undefined;
  }
}

function windowReport(operation: number, facts: TerminalFacts): string | undefined {
  const { rows, columns } = facts.size;
  const cell = facts.cellPixels;
  switch (operation) {
    case 11:
      return '\x1b[1t';
    case 13:
      return '\x1b[3;0;0t';
    case 14:
      return cell && `\x1b[4;${rows * cell.height};${columns * cell.width}t`;
    case 15:
      return cell && `\x1b[5;${rows * cell.height};${columns * cell.width}t`;
    case 16:
      return cell && `\x1b[6;${cell.height};${cell.width}t`;
    case 18:
      return `\x1b[8;${rows};${columns}t`;
    case 19:
      return `\x1b[9;${rows};${columns}t`;
    case 20:
      return '\x1b]L\x1b\\'; // the title is not reported: a program could have put a command there
    case 21:
      return '\x1b]l\x1b\\';
    default:
      return undefined;
  }
}

const WINDOW_REPORTS: readonly number[] = [11, 13, 14, 15, 16, 18, 19, 20, 21];

/**
 * Answers to DSR by number: the terminal is ready; no printer; function keys locked; a plain keyboard; no locator; no macros;
 * data intact; no sessions.
 */
const STATUS_ANSWERS: Readonly<Record<string, string>> = {
  '5': '\x1b[0n',
  '?15': '\x1b[?13n',
  '?25': '\x1b[?21n',
  '?26': '\x1b[?27;1;0;0n',
  '?53': '\x1b[?50n',
  '?55': '\x1b[?50n',
  '?56': '\x1b[?57;0n',
  '?62': '\x1b[0*{',
  '?75': '\x1b[?70n',
  '?85': '\x1b[?83n',
};

const CONTROL_CHARACTERS_MAX = 512;
const SETTING_CHARACTERS_MAX = 16;
const COLOUR_CHARACTERS_MAX = 8192;
const NONE: readonly Query[] = [];
