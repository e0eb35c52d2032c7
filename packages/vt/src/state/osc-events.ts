/**
 * Reports of a program about itself: prompts and commands (OSC 133, 633), its directory, its title, its progress, notifications,
 * and its status (OSC 7501).
 *
 * All reports are untrusted: text is cleaned and cut, numbers are clamped, and a report with a wrong format is ignored. Each
 * event has its offsets, so that it can be found again in the log.
 */
import { cleanText } from '../viewer/clean-text.ts';
import { TITLE_CHARACTERS_MAX } from './modes.ts';
import { oscCodeOf, oscTextFrom, type Sequence } from '../scan/sequence.ts';
import { decodeUtf8 } from '../scan/utf8.ts';
import { percentDecoded, workingDirectoryOf } from './working-directory.ts';

export type OscEvent = FactPlace & FactKind;

/** Absolute offsets of the bytes of the report. */
export interface FactPlace {
  readonly start: number;
  readonly end: number;
}

export type FactKind =
  | { readonly type: 'prompt-start' }
  | { readonly type: 'prompt-end' }
  /** The start of a command, with its text if the shell reports it here. */
  | { readonly type: 'command-start'; readonly command?: string }
  /** The text of a command (633;E), reported before the command starts. */
  | { readonly type: 'command-text'; readonly command: string }
  | { readonly type: 'command-end'; readonly exitCode?: number }
  | { readonly type: 'cwd-changed'; readonly path: string; readonly host: string }
  | { readonly type: 'title-changed'; readonly title: string }
  | { readonly type: 'icon-name-changed'; readonly iconName: string }
  | { readonly type: 'progress-changed'; readonly progress: Progress }
  | { readonly type: 'notified'; readonly title: string; readonly body: string }
  | { readonly type: 'status-reported'; readonly status: ProgramStatus }
  | { readonly type: 'bell-rung' };

/** The progress that OSC 9;4 reports. */
export type Progress =
  | { readonly state: 'none' | 'indeterminate' }
  | { readonly state: 'normal' | 'error' | 'paused'; readonly percent: number };

/** One whole report of OSC 7501: it replaces the last one with the same id. */
export interface ProgramStatus {
  readonly state: 'idle' | 'working' | 'done' | 'blocked' | 'error' | 'clear';
  /** The reason for a block: `permission`, `question`, `auth`, or an unknown word. */
  readonly kind?: string;
  readonly percent?: number;
  readonly app?: string;
  /** A path of up to 8 names, '' for the program itself; `clear` drops all ids below it. */
  readonly id: string;
  readonly title?: string;
  readonly message?: string;
}

const FACT_TEXT_CHARACTERS_MAX = 1024;
const COMMAND_CHARACTERS_MAX = 8192;
/** The limit of a whole OSC 7501 report. */
const STATUS_BYTES_MAX = 4096;

/** Reads events from the scanner's sequences. It keeps only the parts of unfinished OSC 99 notifications. */
export class FactReader {
  readonly #notifications = new Map<string, { title: string; body: string }>();

  /** Handles a C0 control: only the bell is an event. The scanner should report 0x07 only: that keeps it fast. */
  control(code: number, offset: number): OscEvent | undefined {
    return code === 0x07 ? { type: 'bell-rung', start: offset, end: offset + 1 } : undefined;
  }

  sequence(sequence: Sequence): OscEvent | undefined {
    if (sequence.kind !== 'osc') return undefined;
    const kind = this.#osc(sequence);
    return kind && { ...kind, start: sequence.start, end: sequence.end };
  }

  #osc(sequence: Sequence): FactKind | undefined {
    const code = oscCodeOf(sequence);
    if (!FACT_CODES.has(code)) return undefined;
    const from = oscTextFrom(sequence);
    const text = decodeUtf8(sequence.source, from, Math.min(sequence.dataTo, from + TEXT_BYTES_MAX));
    switch (code) {
      case 0:
      case 2:
        return { type: 'title-changed', title: cleanText(text, TITLE_CHARACTERS_MAX) };
      case 1:
        return { type: 'icon-name-changed', iconName: cleanText(text, TITLE_CHARACTERS_MAX) };
      case 7:
        return directory(text);
      case 9:
        return osc9(text);
      case 99:
        return this.#osc99(text);
      case 133:
        return shellMark(text, (word) => percentDecoded(word));
      case 633:
        return shellMark(text, vscodeUnescaped);
      case 777: {
        const [, title = '', body = ''] = /^notify;([^;]*)(?:;(.*))?$/s.exec(text) ?? [undefined, undefined];
        return text.startsWith('notify;') ? notification(title, body) : undefined;
      }
      case 1337:
        return text.startsWith('CurrentDir=') ? directory(text.slice('CurrentDir='.length)) : undefined;
      case 7501: {
        const status = sequence.end - sequence.start <= STATUS_BYTES_MAX ? programStatus(text) : undefined;
        return status && { type: 'status-reported', status };
      }
      default:
        return undefined;
    }
  }

  /** Handles `i=id:d=0:p=title ; text`: more parts follow one with d=0; e=1 is base64. */
  #osc99(text: string): FactKind | undefined {
    const [, keys = '', payload = ''] = /^([^;]*);?(.*)$/s.exec(text) ?? [];
    const values = pairsOf(keys, ':');
    const part = values.get('p') ?? 'title';
    if (part !== 'title' && part !== 'body') return undefined; // icons, buttons, closing, questions
    const id = values.get('i') ?? '';
    const told = this.#notifications.get(id) ?? { title: '', body: '' };
    const piece = values.get('e') === '1' ? (base64Text(payload) ?? '') : payload;
    told[part] = (told[part] + piece).slice(0, FACT_TEXT_CHARACTERS_MAX);
    this.#notifications.delete(id);
    if (values.get('d') === '0') {
      if (this.#notifications.size >= NOTIFICATIONS_MAX)
        this.#notifications.delete(this.#notifications.keys().next().value!);
      this.#notifications.set(id, told);
      return undefined;
    }
    return told.title === '' && told.body === '' ? undefined : notification(told.title, told.body);
  }
}

function notification(title: string, body: string): FactKind {
  return {
    type: 'notified',
    title: cleanText(title, FACT_TEXT_CHARACTERS_MAX),
    body: cleanText(body, FACT_TEXT_CHARACTERS_MAX),
  };
}

function directory(text: string): FactKind | undefined {
  const found = workingDirectoryOf(text);
  return found && { type: 'cwd-changed', ...found };
}

/**
 * Handles iTerm2's notification, ConEmu's progress (9;4) and directory (9;9); ConEmu's other commands (a number first) are
 * ignored.
 */
function osc9(text: string): FactKind | undefined {
  const command = /^(\d{1,2})(?:;(.*))?$/s.exec(text);
  if (command === null) return text === '' ? undefined : notification('', text);
  if (command[1] === '4') return progress(command[2] ?? '');
  if (command[1] === '9') return directory((command[2] ?? '').replace(/^"(.*)"$/s, '$1'));
  return undefined;
}

function progress(text: string): FactKind | undefined {
  const match = /^([0-4])(?:;(\d{0,3}))?;?$/.exec(text);
  if (match === null) return undefined;
  const state = PROGRESS_STATES[Number(match[1])]!;
  if (state === 'none' || state === 'indeterminate') return { type: 'progress-changed', progress: { state } };
  return { type: 'progress-changed', progress: { state, percent: Math.min(100, Number(match[2] ?? 0)) } };
}

/** Handles OSC 133 (FinalTerm) and 633 (VS Code), which share their letters. */
function shellMark(text: string, unescaped: (word: string) => string): FactKind | undefined {
  const [letter, ...words] = text.split(';');
  switch (letter) {
    case 'A':
    case 'N':
      return { type: 'prompt-start' };
    case 'B':
      return { type: 'prompt-end' };
    case 'C': {
      const [, key, value] =
        words.map((word) => /^(cmdline|cmdline_url)=(.*)$/s.exec(word)).find((found) => found !== null) ?? [];
      if (value === undefined) return { type: 'command-start' };
      return { type: 'command-start', command: commandText(key === 'cmdline' ? value : percentDecoded(value)) };
    }
    case 'D': {
      const exitCode = /^-?\d{1,10}$/.test(words[0] ?? '') ? Number(words[0]) : undefined;
      return exitCode === undefined ? { type: 'command-end' } : { type: 'command-end', exitCode };
    }
    case 'E':
      return { type: 'command-text', command: commandText(unescaped(words[0] ?? '')) };
    case 'P': {
      const cwd = /^Cwd=(.*)$/s.exec(words[0] ?? '')?.[1];
      return cwd === undefined ? undefined : directory(unescaped(cwd));
    }
    default:
      return undefined;
  }
}

/** Cleans each line of a command by itself: a command may have several lines. */
const commandText = (text: string): string =>
  text
    .slice(0, COMMAND_CHARACTERS_MAX)
    .split('\n')
    .map((line) => cleanText(line, COMMAND_CHARACTERS_MAX))
    .join('\n');

/** Unescapes `\\` (a backslash) and `\x3b` (the character of that code). */
const vscodeUnescaped = (text: string): string =>
  text.replace(/\\(?:\\|x([0-9a-f]{2}))/gi, (_, code: string | undefined) =>
    code === undefined ? '\\' : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Reads `key=value:key=value`. A report that breaks the rules is dropped as a whole; unknown keys are skipped. */
function programStatus(text: string): ProgramStatus | undefined {
  const values = pairsOf(text, ':');
  const state = values.get('state');
  const id = values.get('id') ?? '';
  const percent = values.get('progress');
  const title = values.get('title');
  const message = values.get('msg');
  if (!isStatusState(state)) return undefined;
  if (
    id.length > STATUS_ID_BYTES_MAX ||
    id.split('/').length > STATUS_ID_LEVELS_MAX ||
    cleanText(id, STATUS_ID_BYTES_MAX) !== id
  )
    return undefined;
  if (percent !== undefined && !(/^\d{1,3}$/.test(percent) && Number(percent) <= 100)) return undefined;
  const shownTitle = title === undefined ? undefined : base64Text(title);
  const shownMessage = message === undefined ? undefined : base64Text(message);
  if ((title !== undefined && shownTitle === undefined) || (message !== undefined && shownMessage === undefined))
    return undefined;
  return {
    state,
    id,
    ...optional('kind', values.get('kind'), WORD_CHARACTERS_MAX),
    ...(percent === undefined ? {} : { percent: Number(percent) }),
    ...optional('app', values.get('app'), WORD_CHARACTERS_MAX),
    ...optional('title', shownTitle, FACT_TEXT_CHARACTERS_MAX),
    ...optional('message', shownMessage, FACT_TEXT_CHARACTERS_MAX),
  };
}

const optional = <Key extends string>(
  key: Key,
  text: string | undefined,
  charactersMax: number,
): { [K in Key]?: string } =>
  (text === undefined ? {} : { [key]: cleanText(text, charactersMax) }) as { [K in Key]?: string };

function pairsOf(text: string, separator: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of text.split(separator).slice(0, PAIRS_MAX)) {
    const equals = pair.indexOf('=');
    if (equals > 0) pairs.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return pairs;
}

/** Decodes base64 (either alphabet, padded or not) of UTF-8. */
function base64Text(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return undefined;
  const digits = text.replaceAll('=', '').replaceAll('-', '+').replaceAll('_', '/');
  if (digits.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  for (let at = 0, bits = 0, held = 0, length = 0; at < digits.length; at++) {
    held = ((held << 6) | BASE64.indexOf(digits[at]!)) & 0xffff;
    bits += 6;
    if (bits >= 8) bytes[length++] = (held >> (bits -= 8)) & 0xff;
  }
  return decodeUtf8(bytes);
}

const isStatusState = (state: string | undefined): state is ProgramStatus['state'] =>
  state !== undefined && ['idle', 'working', 'done', 'blocked', 'error', 'clear'].includes(state);

const FACT_CODES: ReadonlySet<number> = new Set([0, 1, 2, 7, 9, 99, 133, 633, 777, 1337, 7501]);
const PROGRESS_STATES = ['none', 'normal', 'error', 'indeterminate', 'paused'] as const;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const TEXT_BYTES_MAX = 16 * 1024;
const NOTIFICATIONS_MAX = 8;
const PAIRS_MAX = 32;
const STATUS_ID_LEVELS_MAX = 8;
const STATUS_ID_BYTES_MAX = 128;
const WORD_CHARACTERS_MAX = 64;
