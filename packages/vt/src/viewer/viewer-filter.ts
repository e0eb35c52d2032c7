/**
 * Passes only the output that a viewer's terminal may show: an allow-list, one filter per viewer [ATT-8].
 *
 * A program's output can be hostile: it can make a terminal answer into the session, write to its clipboard, print, change what
 * keys send, or switch to another parser. Therefore text, drawing and the known modes pass; everything else is dropped, including
 * every query (the keeper has answered those). The log keeps all bytes; the filter affects only the view.
 *
 * Strings (titles, links) are never copied: they are read, cleaned and written again. Text is always valid UTF-8 without C1
 * controls, so that every terminal reads it in the same way as this filter. At most one unfinished sequence is held back.
 */
import { cleanBytes } from './clean-text.ts';
import { parseColour } from '../state/colours.ts';
import { type C1, EscapeScanner } from '../scan/escape-scanner.ts';
import {
  asRestored,
  INITIAL_MODES,
  isColourCode,
  isInputMode,
  kittyPops,
  type ModeState,
  ModeTracker,
  undo,
  withoutInput,
} from '../state/modes.ts';
import { latin1, oscCodeOf, oscPayloadOf, oscTextFrom, paramsOf, payloadOf, type Sequence } from '../scan/sequence.ts';
import { plainEnd } from '../scan/plain-end.ts';
import { encodeUtf8, goodBytes, lengthOf } from '../scan/utf8.ts';

export interface ViewerFilterOptions {
  /**
   * Whether the viewer's keys go to the program: then modes that make a terminal send (mouse, focus, …) pass (default: false).
   */
  readonly input?: boolean;
  /** The modes to which `restore` has brought the terminal before the first byte. */
  readonly modes?: ModeState;
  /** A tracker that follows every mode that the program sets, including modes that do not pass to this viewer. */
  readonly follow?: ModeTracker;
  /** The scanner's `pending` at the offset where the viewer starts: the sequence or character around that offset. */
  readonly pending?: Uint8Array;
  readonly c1?: C1;
  /** OSC 52: a program may put text on the viewer's clipboard (default: false). Reading the clipboard is never allowed. */
  readonly allowClipboard?: boolean;
  /** OSC 4, 10–19: a program may change the terminal's colours (default: false). `undo` resets them. */
  readonly allowColours?: boolean;
  /** Sixel and kitty images (in the stream; never from files; default: false). */
  readonly allowGraphics?: boolean;
  /** OSC 7, 133, 633: directory and shell marks (default: false). */
  readonly allowMarks?: boolean;
  /** `CSI 3 J`: a program may erase the terminal's whole scrollback, including lines from before the attach (default: false). */
  readonly allowScrollbackErase?: boolean;
  /** OSC 9;4, progress (default: true). */
  readonly allowProgress?: boolean;
  /** OSC 0, 1, 2, titles (default: true). */
  readonly allowTitle?: boolean;
  /** The bell (default: true). */
  readonly allowBell?: boolean;
}

/** The limit of a title: longer ones have caused problems in window managers. */
export const SHOWN_TITLE_CHARACTERS_MAX = 256;
/** The limit of a link: browsers accept this length. */
const LINK_BYTES_MAX = 2083;

export class ViewerFilter {
  readonly #options: ViewerFilterOptions;
  readonly #scanner: EscapeScanner;
  readonly #rewrites: EscapeScanner; // scans our own sequences for the tracker
  readonly #tracker: ModeTracker;
  readonly #out = new Output();
  readonly #isPassed: Uint8Array;
  #cutCharacter: readonly number[] = [];
  #isStreaming = false; // inside a sixel image too long to be held

  constructor(options: ViewerFilterOptions = {}) {
    const modes = options.modes ?? INITIAL_MODES;
    this.#options = options;
    this.#tracker = new ModeTracker(options.input === true ? asRestored(modes) : withoutInput(asRestored(modes)));
    this.#rewrites = new EscapeScanner({ onSequence: (sequence) => this.#tracker.apply(sequence) });
    this.#isPassed = Uint8Array.from({ length: 256 }, (_, byte) => (isTextByte(byte, options) ? 1 : 0));
    this.#scanner = new EscapeScanner(
      {
        onText: (source, from, to) => this.#text(source, from, to),
        onControl: (code) => {
          this.#breakCharacter();
          if (this.#isPassed[code] === 1) this.#out.add(Uint8Array.of(code), 0, 1);
        },
        onSequence: (sequence) => {
          this.#breakCharacter();
          this.#sequence(sequence);
        },
        onBroken: () => this.#breakCharacter(), // otherwise the sequence C2, half an escape, 9B would become CSI
        onOverlong: (sequence) => this.#overlong(sequence),
        onOverlongPart: (source, from, to) => this.#isStreaming && this.#sixelData(source, from, to),
        onOverlongEnd: () => this.#endStream(),
      },
      { c1: options.c1 ?? 'utf8', controls: [] }, // #text handles the controls in text
    );
    if (options.pending !== undefined) this.feed(options.pending);
  }

  /**
   * Returns the part of these bytes that may be shown. If no byte had to be changed, the result is the chunk itself or a part of
   * it: it is valid for as long as the chunk is.
   */
  feed(chunk: Uint8Array): Uint8Array {
    this.#out.begin(chunk);
    this.#scanner.feed(chunk);
    return this.#out.end();
  }

  /** The modes that were set on this terminal; their `undo` resets all of it. */
  get modes(): ModeState {
    return this.#tracker.state;
  }

  /** True inside an image too long to be held: everything else is passed whole, so that other output may come in between. */
  get isInSequence(): boolean {
    return this.#isStreaming;
  }

  /** Whether nothing is held back, so that plain bytes and drawing sequences would pass unchanged, and change no state here. */
  get isAtRest(): boolean {
    return this.#scanner.isBetween && this.#cutCharacter.length === 0 && !this.#isStreaming;
  }

  /** Returns a table by byte: 1 for a byte that passes unchanged. */
  get isPlain(): Uint8Array {
    return this.#isPassed.map((isPassed, byte) => (byte < 0x80 ? isPassed : 0));
  }

  /** Returns the bytes for a terminal that is left: they end open sequences and undo modes. */
  close(): Uint8Array {
    const end = undo(this.#tracker.state);
    return this.#isStreaming ? Uint8Array.of(ESC, 0x5c, ...end) : end;
  }

  // Text.

  #text(source: Uint8Array, from: number, to: number): void {
    let at = this.#cutCharacter.length > 0 ? this.#continueCharacter(source, from, to) : from;
    let rangeFrom = at;
    while (at < to) {
      at = plainEnd(source, at, to, this.#isPassed);
      if (at === to) break;
      const length = lengthOf(source[at]!);
      const good = length > 1 ? goodBytes(source, at, to) : 0;
      if (length > 1 && good === length) {
        at += length;
        continue;
      }
      if (at > rangeFrom) this.#out.add(source, rangeFrom, at);
      if (good > 0 && at + good === to) {
        this.#cutCharacter = [...source.subarray(at, to)];
        return;
      }
      if (source[at]! >= 0x80) this.#out.add(REPLACEMENT, 0, REPLACEMENT.length);
      at += Math.max(1, good);
      rangeFrom = at;
    }
    if (to > rangeFrom) this.#out.add(source, rangeFrom, to);
  }

  #continueCharacter(source: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && this.#cutCharacter.length > 0) {
      const longer = [...this.#cutCharacter, source[at]!];
      if (goodBytes(Uint8Array.from(longer), 0, longer.length) < longer.length) {
        this.#breakCharacter();
        break;
      }
      at++;
      this.#cutCharacter = longer;
      if (longer.length === lengthOf(longer[0]!)) {
        this.#out.add(Uint8Array.from(longer), 0, longer.length);
        this.#cutCharacter = [];
      }
    }
    return at;
  }

  /** Ends a character that does not continue. */
  #breakCharacter(): void {
    if (this.#cutCharacter.length === 0) return;
    this.#cutCharacter = [];
    this.#out.add(REPLACEMENT, 0, REPLACEMENT.length);
  }

  // Sequences.

  #sequence(sequence: Sequence): void {
    if (sequence.kind !== 'csi' || !isDrawing(sequence)) this.#options.follow?.apply(sequence);
    switch (sequence.kind) {
      case 'csi':
        return this.#csi(sequence);
      case 'escape':
        return this.#escape(sequence);
      case 'osc':
        return this.#osc(sequence);
      case 'dcs':
        if (this.#options.allowGraphics === true && isSixel(sequence)) this.#sixel(sequence);
        return;
      case 'apc':
        if (this.#options.allowGraphics === true) this.#rewrite(kittyImage(sequence));
        return;
      default:
        return;
    }
  }

  #pass(sequence: Sequence): void {
    this.#out.add(sequence.source, sequence.from, sequence.to);
    this.#tracker.apply(sequence);
  }

  #rewrite(text: string | undefined): void {
    if (text === undefined) return;
    const bytes = encodeUtf8(text);
    this.#out.add(bytes, 0, bytes.length);
    this.#rewrites.feed(bytes);
  }

  #csi(sequence: Sequence): void {
    if (isDrawing(sequence)) return this.#out.add(sequence.source, sequence.from, sequence.to);
    switch (CSI_RULES.get((sequence.prefix << 16) | (sequence.intermediate << 8) | sequence.final)) {
      case 'pass':
        return hasHugeParam(sequence) ? this.#rewrite(clamped(sequence)) : this.#pass(sequence);
      case 'mode':
        return this.#modes(sequence);
      case 'input':
        if (this.#options.input === true) this.#pass(sequence);
        return;
      case 'kitty-pop':
        if (this.#options.input === true) this.#popKitty(sequence);
        return;
      case 'modify-keys': // only the resource modifyOtherKeys
        if (this.#options.input === true && hasParams(sequence, /^4(?:;[0-3]?)?$/)) this.#pass(sequence);
        return;
      case 'erase':
        if (hasParams(sequence, this.#options.allowScrollbackErase === true ? /^[0-3]?$/ : /^[0-2]?$/))
          this.#pass(sequence);
        return;
      case 'scroll-down': // more parameters would mean xterm's highlight tracking
        if (hasParams(sequence, /^\d{0,5}$/)) this.#pass(sequence);
        return;
      case 'cursor-style':
        if (hasParams(sequence, /^[0-6]?$/)) this.#pass(sequence);
        return;
      case 'save':
        return this.#tracker.apply(sequence);
      case 'restore':
        return this.#restoreModes(sequence);
      case 'window':
        return this.#titleStack(sequence);
      default:
        return;
    }
  }

  /** Passes the allowed ones of several modes in one sequence. A long list is rewritten: terminals have different limits. */
  #modes(sequence: Sequence): void {
    const modes = paramsOf(sequence);
    const allowed = modes.filter((mode) => this.#isModeAllowed(mode, sequence.prefix));
    if (allowed.length === 0) return;
    const isAll =
      allowed.length === modes.length && modes.length <= MODES_COPIED_MAX && hasParams(sequence, /^[\d;]*$/);
    if (isAll) return this.#pass(sequence);
    const prefix = sequence.prefix === 0 ? '' : '?';
    this.#rewrite(`\x1b[${prefix}${allowed.join(';')}${String.fromCharCode(sequence.final)}`);
  }

  #isModeAllowed(mode: number, prefix: number): boolean {
    if (prefix === 0) return SHOWN_ANSI_MODES.includes(mode);
    return SHOWN_MODES.includes(mode) || (this.#options.input === true && isInputMode(mode));
  }

  /**
   * Lets a program pop only its own entries: those below on the terminal's stack are the user's. Claude Code starts with a pop.
   */
  #popKitty(sequence: Sequence): void {
    const { alternate, kittyMain, kittyAlternate } = this.#tracker.state;
    const stack = alternate === 0 ? kittyMain : kittyAlternate;
    const [asked = -1] = paramsOf(sequence);
    if ((asked < 0 ? 1 : asked) < stack.length) return this.#pass(sequence);
    for (const text of kittyPops(stack)) this.#rewrite(text);
  }

  /** Handles XTRESTORE by writing out the modes, since XTSAVE does not pass to the terminal. */
  #restoreModes(sequence: Sequence): void {
    for (const mode of paramsOf(sequence)) {
      const isOn = this.#tracker.saved(mode);
      if (isOn !== undefined && this.#isModeAllowed(mode, 0x3f)) this.#rewrite(`\x1b[?${mode}${isOn ? 'h' : 'l'}`);
    }
  }

  /** Drops all window operations; but when a title is popped, the title that was pushed before is shown again. */
  #titleStack(sequence: Sequence): void {
    const before = this.#tracker.state.title;
    this.#tracker.apply(sequence);
    const { title } = this.#tracker.state;
    if (title !== before && title !== '' && this.#options.allowTitle !== false) this.#rewrite(`\x1b]2;${title}\x07`);
  }

  #escape(sequence: Sequence): void {
    const { intermediate, final } = sequence;
    const letter = String.fromCharCode(final);
    if (intermediate === 0) {
      if (letter === 'c') return this.#reset(sequence);
      const isInput = letter === '=' || letter === '>';
      if (isInput ? this.#options.input === true : PASSED_ESCAPES.includes(letter)) this.#pass(sequence);
      return;
    }
    const isCharset = CHARSET_SLOTS.includes(intermediate) && /[0-9A-Z<=>`]/.test(letter);
    if (isCharset || (intermediate === 0x23 && '34568'.includes(letter))) this.#pass(sequence);
  }

  /**
   * Applies RIS to the picture: modes are undone one by one, the screen is cleared, the user's scrollback and settings are kept.
   */
  #reset(sequence: Sequence): void {
    const bytes = undo(this.#tracker.state);
    this.#out.add(bytes, 0, bytes.length);
    this.#out.add(CLEARED, 0, CLEARED.length);
    this.#tracker.apply(sequence);
  }

  #osc(sequence: Sequence): void {
    const code = oscCodeOf(sequence);
    const { allowTitle, allowProgress, allowMarks, allowClipboard, allowColours } = this.#options;
    switch (code) {
      case 0:
      case 1:
      case 2:
        if (allowTitle !== false) this.#rewrite(cleanOsc(sequence, code, SHOWN_TITLE_CHARACTERS_MAX));
        return;
      case 8:
        return this.#rewrite(osc(sequence, 8, link(oscPayloadOf(sequence, LINK_PAYLOAD_BYTES_MAX + 1))));
      case 9: {
        const text = oscPayloadOf(sequence, 16);
        if (allowProgress !== false && /^4;[0-4](?:;\d{0,3})?$/.test(text)) this.#rewrite(osc(sequence, 9, text));
        return;
      }
      case 7:
      case 133:
      case 633:
        if (allowMarks === true) this.#rewrite(cleanOsc(sequence, code, MARK_CHARACTERS_MAX));
        return;
      case 52: {
        const text = allowClipboard === true ? payloadOf(sequence, sequence.dataTo - sequence.dataFrom) : '';
        if (/^52;[cpqs0-7]{0,8};[A-Za-z0-9+/]*={0,2}$/.test(text)) this.#rewrite(osc(sequence, 52, text.slice(3)));
        return;
      }
      default: {
        const text = allowColours === true ? oscPayloadOf(sequence, COLOURS_CHARACTERS_MAX) : '?';
        if (areColours(code, text)) this.#rewrite(osc(sequence, code, text));
        return;
      }
    }
  }

  // Images.

  #sixel(sequence: Sequence): void {
    this.#out.add(sequence.source, sequence.from, sequence.dataFrom);
    this.#sixelData(sequence.source, sequence.dataFrom, sequence.dataTo);
    this.#out.add(ST, 0, 2);
  }

  #sixelData(source: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const start = at;
      at = plainEnd(source, at, to, IS_PRINTABLE);
      if (at > start) this.#out.add(source, start, at);
    }
  }

  #overlong(sequence: Sequence): void {
    this.#breakCharacter();
    if (this.#options.allowGraphics !== true || !isSixel(sequence)) return;
    this.#isStreaming = true;
    this.#out.add(sequence.source, sequence.from, sequence.dataFrom);
    this.#sixelData(sequence.source, sequence.dataFrom, sequence.dataTo);
  }

  #endStream(): void {
    if (!this.#isStreaming) return;
    this.#isStreaming = false;
    this.#out.add(ST, 0, 2);
  }
}

/** Collects the passed parts of one chunk: neighbouring ranges are joined, and a single range is not copied. */
class Output {
  #chunk: Uint8Array = NOTHING;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #from = 0; // the open range of the chunk
  #to = 0;

  begin(chunk: Uint8Array): void {
    this.#chunk = chunk;
  }

  add(source: Uint8Array, from: number, to: number): void {
    if (source !== this.#chunk) {
      this.#closeRange();
      this.#part(new Uint8Array(source.subarray(from, to))); // the scanner overwrites its own bytes later
    } else if (from === this.#to && this.#to > this.#from) {
      this.#to = to;
    } else {
      this.#closeRange();
      this.#from = from;
      this.#to = to;
    }
  }

  end(): Uint8Array {
    if (this.#parts.length === 0 && this.#to - this.#from === this.#chunk.length) {
      const chunk = this.#chunk;
      this.#from = this.#to = 0;
      this.#chunk = NOTHING;
      return chunk;
    }
    this.#closeRange();
    const parts = this.#parts;
    let whole = parts[0] ?? NOTHING;
    if (parts.length > 1) {
      whole = new Uint8Array(this.#bytes);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
    }
    this.#parts = [];
    this.#bytes = 0;
    this.#chunk = NOTHING;
    return whole;
  }

  #closeRange(): void {
    if (this.#to > this.#from) this.#part(this.#chunk.subarray(this.#from, this.#to));
    this.#from = this.#to = 0;
  }

  #part(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
  }
}

type CsiRule =
  | 'pass'
  | 'mode'
  | 'input'
  | 'kitty-pop'
  | 'modify-keys'
  | 'erase'
  | 'scroll-down'
  | 'cursor-style'
  | 'save'
  | 'restore'
  | 'window';

/** Rules by prefix, intermediate and final byte. Sequences that are not listed are dropped. */
const CSI_LISTS: Readonly<Record<CsiRule, string>> = {
  // move, erase, insert, delete, scroll, tabs, margins, SGR, repeat; columns; DECSTR; protection; selective erase;
  // XTPUSHSGR; rectangles
  pass:
    '@ A B C D E F G H I K L M P S X Z ` a b d e f g j k m r s u W ' +
    "␠@ ␠A '} '~ !p \"q ?K ?W #{ #} #p #q $r $t $v $x $z ${ *x",
  mode: 'h l ?h ?l',
  input: '>u =u',
  'kitty-pop': '<u',
  'modify-keys': '>m >n',
  erase: 'J ?J',
  'scroll-down': 'T',
  'cursor-style': '␠q',
  save: '?s',
  restore: '?r',
  window: 't',
};

const CSI_RULES: ReadonlyMap<number, CsiRule> = new Map(
  Object.entries(CSI_LISTS).flatMap(([rule, list]) =>
    list.split(' ').map((signature) => {
      const codes = [...signature.replace('␠', ' ')].map((letter) => letter.charCodeAt(0));
      const final = codes.at(-1)!;
      const [mark = 0] = codes.slice(0, -1);
      const isPrefix = mark >= 0x3c && mark < 0x40;
      return [isPrefix ? (mark << 16) | final : (mark << 8) | final, rule as CsiRule] as const;
    }),
  ),
);

/** DECSC, DECRC, IND, NEL, HTS, RI, SS2, SS3, back and forward index, locking shifts. */
const PASSED_ESCAPES = '78DEHMNO69no|}~';
/** ( ) * + - . / */
const CHARSET_SLOTS: readonly number[] = [0x28, 0x29, 0x2a, 0x2b, 0x2d, 0x2e, 0x2f];

/** Insert and line feed mode. Not 2 (locks the keyboard) and 12 (local echo). */
const SHOWN_ANSI_MODES: readonly number[] = [4, 20];
/**
 * Modes that only affect the display. Not 2 (VT52), 3 and 40 (132 columns), 4 (slow scroll), 38 (Tektronix), 46 (logging to a
 * file), …
 */
const SHOWN_MODES: readonly number[] = [5, 6, 7, 12, 25, 45, 47, 69, 1047, 1048, 1049, 2026];

const ESC = 0x1b;
const BEL = 0x07;
/** BEL BS HT LF VT FF CR SO SI. Not ENQ (answerback), NUL, DEL, and flow control. */
const PASSED_CONTROLS: readonly number[] = [0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f];

const IS_PRINTABLE = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x20 && byte < 0x7f ? 1 : 0));

const NOTHING = new Uint8Array(0);
const ST = Uint8Array.of(ESC, 0x5c);
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);
/** DECSTR, SGR, G0 and G1, margins, tab stops, home, erase. */
const CLEARED = encodeUtf8('\x1b[!p\x1b[m\x1b(B\x1b)B\x1b[r\x1b[?5W\x1b[H\x1b[2J');

const LINK_PAYLOAD_BYTES_MAX = LINK_BYTES_MAX + 512;
const MARK_CHARACTERS_MAX = 4096;
const COLOURS_CHARACTERS_MAX = 8192;
const MODES_COPIED_MAX = 8;
const PARAM_DIGITS_MAX = 5;
const PARAM_MAX = 65_535;

/**
 * Returns whether a byte passes: printable, or a control that passes; in a stream of bytes also all above 0x9f. Other high bytes
 * must be UTF-8.
 */
function isTextByte(byte: number, options: ViewerFilterOptions): boolean {
  if (byte < 0x20) return PASSED_CONTROLS.includes(byte) && (byte !== BEL || options.allowBell !== false);
  return byte < 0x7f || (options.c1 === 'bytes' && byte >= 0xa0);
}

/**
 * Returns whether a CSI only draws, as nineteen of twenty do: SGR, cursor movements, erasing in a line; and so short that no
 * number in it can be huge.
 */
function isDrawing({ final, prefix, intermediate, paramsFrom, paramsTo }: Sequence): boolean {
  if (prefix !== 0 || intermediate !== 0) return false;
  return paramsTo - paramsFrom < DRAWING_BYTES[final]!;
}

/** The maximum length of a drawing CSI, by final byte (0: no such sequence). Large SGR numbers cause no loop, so SGR may be longer. */
export const DRAWING_BYTES = new Uint8Array(128);
for (const final of 'ABCDGHKXd') DRAWING_BYTES[final.charCodeAt(0)] = PARAM_DIGITS_MAX + 1;
DRAWING_BYTES['m'.charCodeAt(0)] = 64;

const osc = (sequence: Sequence, code: number, text: string): string =>
  `\x1b]${code}${text === '' && code > 100 ? '' : ';'}${text}${sequence.endsWithBell ? '\x07' : '\x1b\\'}`;

const cleanOsc = (sequence: Sequence, code: number, charactersMax: number): string =>
  osc(sequence, code, cleanBytes(sequence.source, oscTextFrom(sequence), sequence.dataTo, charactersMax));

/** Compares the text of the parameters with a pattern, so that only forms pass that every terminal reads in the same way. */
const hasParams = (sequence: Sequence, shape: RegExp): boolean =>
  shape.test(latin1(sequence.source, sequence.paramsFrom, sequence.paramsTo));

/** Returns whether a number is so large that a careless terminal would loop a thousand million times. */
function hasHugeParam(sequence: Sequence): boolean {
  if (sequence.paramsTo - sequence.paramsFrom <= PARAM_DIGITS_MAX) return false;
  for (let at = sequence.paramsFrom, digits = 0; at < sequence.paramsTo; at++) {
    digits = sequence.source[at]! < 0x3a ? digits + 1 : 0;
    if (digits > PARAM_DIGITS_MAX) return true;
  }
  return false;
}

function clamped(sequence: Sequence): string {
  const text = latin1(sequence.source, sequence.from, sequence.to);
  return text.replace(/\d{6,}/g, (digits) => String(Math.min(Number(digits), PARAM_MAX)));
}

/** Returns an address that a viewer's terminal may get; undefined for any that is not on the web. */
export const shownLink = (address: string): string | undefined =>
  address.length <= LINK_BYTES_MAX && /^https?:\/\/[\x21-\x7e]+$/i.test(address) ? address : undefined;

/**
 * Rewrites a link: `id=…` and an address on the web. Any other address closes the link: otherwise the text would belong to the
 * link before.
 */
function link(text: string): string {
  const match = /^([\x20-\x3a\x3c-\x7e]*);(.+)$/s.exec(text);
  if (match === null || text.length > LINK_PAYLOAD_BYTES_MAX || shownLink(match[2]!) === undefined) return ';';
  const id = match[1]!.split(':').find((pair) => /^id=[\x21-\x7e]{1,128}$/.test(pair));
  return `${id ?? ''};${match[2]}`;
}

/**
 * Returns whether the text sets or resets colours: `OSC 4 ; index ; colour …`, `OSC 10 ; colour …`, `OSC 104 ; index …`, `OSC
 * 110`. A query does not.
 */
function areColours(code: number, text: string): boolean {
  const isColour = (word: string): boolean => parseColour(word) !== undefined || /^[a-z][a-z0-9 ]{0,31}$/i.test(word);
  const isIndex = (word: string): boolean => /^\d{1,3}$/.test(word);
  const words = text.split(';');
  if (code === 4)
    return words.length % 2 === 0 && words.every((word, at) => (at % 2 === 0 ? isIndex(word) : isColour(word)));
  if (code === 104) return text === '' || words.every(isIndex);
  if (code >= 110 && code <= 119) return text === '';
  return code !== 5 && isColourCode(code) && words.every(isColour);
}

const isSixel = (sequence: Sequence): boolean =>
  sequence.kind === 'dcs' && sequence.final === 0x71 && sequence.prefix === 0 && sequence.intermediate === 0;

/** Returns a kitty image: sent in the stream (not read from a file), not a query, and with answers switched off. */
function kittyImage(sequence: Sequence): string | undefined {
  const [, keys, data = ''] =
    /^G([^;]*)(?:;(.*))?$/s.exec(payloadOf(sequence, sequence.dataTo - sequence.dataFrom)) ?? [];
  if (keys === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined;
  const pairs = keys.split(',').filter((pair) => pair !== '' && !pair.startsWith('q='));
  if (!pairs.every((pair) => /^[A-Za-z]=[A-Za-z0-9-]{1,12}$/.test(pair))) return undefined;
  if (pairs.some((pair) => pair === 'a=q' || (pair.startsWith('t=') && pair !== 't=d'))) return undefined;
  return `\x1b_G${['q=2', ...pairs].join(',')}${data === '' ? '' : `;${data}`}\x1b\\`;
}
