/**
 * Splits the input from a viewer's terminal into keys and pastes for the program, the detach key, and the terminal's replies,
 * which must never reach the program (the keeper has answered it) [ATT-6, QRY-1].
 *
 * An unfinished escape is held back, since a reply may be cut anywhere; but Escape is also a key, and only the time without
 * further input shows that it was pressed. There is no clock here: while `held` is not `nothing`, the caller waits as long as the
 * constants below say and then calls `flush`.
 *
 * A viewer that shows only a window of the session's screen sets `isWindowed`: then the first detach key followed by an arrow
 * starts panning, which takes all keys until Esc, and mouse reports come separately, because their cells are not the session's.
 */
import { type MouseReport, mouseReportOf } from './mouse-report.ts';
import { type PanKey, panKeyOf } from './pan-keys.ts';

export type TypedPiece =
  /** Bytes for the program, as typed. */
  | { readonly type: 'keys'; readonly bytes: Uint8Array }
  /** An answer of the terminal to a query, for example about its colours. */
  | { readonly type: 'reply'; readonly bytes: Uint8Array }
  /** Focus in or out: the focus of all viewers is combined before the program is notified. */
  | { readonly type: 'focus'; readonly isFocused: boolean }
  /** In window mode: the direction in which the window moves. */
  | { readonly type: 'pan'; readonly key: PanKey }
  /** In window mode: a mouse event, in the cells of the viewer's terminal. */
  | { readonly type: 'mouse'; readonly report: MouseReport }
  /** The detach key; no piece follows it. */
  | { readonly type: 'detach' };

/**
 * The hold time of an escape: terminals write an escape in one piece, so the other half is in the next read, or it was the Escape
 * key.
 */
export const ESCAPE_HOLD_MS = 25;
/** The time after the detach key in which a second one makes it a key for the program. */
export const DETACH_HOLD_MS = 300;
/**
 * The time in window mode, where an arrow may follow: the user's hand moves to the arrows, and a line shows which keys can be
 * pressed.
 */
export const PAN_HOLD_MS = 1200;

export interface DetachKey {
  /** The number in kitty and modifyOtherKeys: the character without Ctrl and Shift. */
  readonly code: number;
  readonly ctrl: boolean;
  /** The byte that the key sends without such protocols. */
  readonly byte: number;
}

/** Ctrl-\. */
export const DEFAULT_DETACH_KEYS: readonly DetachKey[] = [{ code: 0x5c, ctrl: true, byte: 0x1c }];

/**
 * Reads `ctrl-\`, `C-a,d`, `^P,^Q`; `none` for no detach key. Undefined if it is invalid, or the first key has no Ctrl, so that it
 * could hardly be typed any more.
 */
export function parseDetachKeys(text: string): readonly DetachKey[] | undefined {
  if (text === 'none' || text === '') return [];
  const keys = text.split(/,(?=.)/s).map((word): DetachKey | undefined => {
    const match = /^(?:(ctrl-|c-|\^)([@a-z[\\\]^_])|([\x21-\x7e]))$/i.exec(word);
    if (match === null) return undefined;
    const character = (match[2] ?? match[3]!).toLowerCase();
    const code = character.charCodeAt(0);
    if (match[1] === undefined) return { code, ctrl: false, byte: match[3]!.charCodeAt(0) };
    return { code, ctrl: true, byte: character.toUpperCase().charCodeAt(0) & 31 };
  });
  return keys.includes(undefined) || !keys[0]!.ctrl ? undefined : (keys as DetachKey[]);
}

export class TypedInput {
  readonly #detachKeys: readonly DetachKey[];
  #escape: number[] = []; // an unfinished escape
  #isPaste = false;
  #isSkipping = false; // inside a reply too long to be held
  #matched = 0; // detach keys seen in a row
  #matchedBytes: number[] = [];
  #pieces: TypedPiece[] = [];
  #keys: number[] = [];
  #isDetached = false;
  readonly #rest: number[] = []; // typed after the detach key
  #isPanning = false;
  #isWindowed = false;
  #skipBytes = 0; // of a mouse report in a form that was not requested

  constructor(detachKeys: readonly DetachKey[] = DEFAULT_DETACH_KEYS) {
    this.#detachKeys = detachKeys;
  }

  get isWindowed(): boolean {
    return this.#isWindowed;
  }

  set isWindowed(isWindowed: boolean) {
    this.#isWindowed = isWindowed;
    if (!isWindowed) this.#isPanning = false;
  }

  /** The item that `flush` would decide; an unfinished escape comes first. */
  get held(): 'nothing' | 'escape' | 'detach' {
    if (this.#escape.length > 0) return 'escape';
    return this.#matched > 0 ? 'detach' : 'nothing';
  }

  /** Whether the next bytes of `isPlain` would be keys, and change nothing here. */
  get isAtRest(): boolean {
    const isOpen = this.#isWindowed || this.#isDetached || this.#skipBytes > 0;
    return !isOpen && this.held === 'nothing';
  }

  /** Returns a table by byte: 1 for a key that is neither a detach key nor the start of a longer one. */
  get isPlain(): Uint8Array {
    const plain = new Uint8Array(256).fill(1);
    for (const byte of [ESC, ...this.#detachKeys.map(({ byte }) => byte)]) plain[byte] = 0;
    return plain;
  }

  feed(chunk: Uint8Array): readonly TypedPiece[] {
    let at = 0;
    while (at < chunk.length && !this.#isDetached) this.#byte(chunk[at++]!);
    if (this.#isDetached) this.#rest.push(...chunk.subarray(at));
    return this.#take();
  }

  /** Returns the bytes that were typed after the detach key, for the next reader of the terminal. */
  takeRest(): Uint8Array {
    return Uint8Array.from(this.#rest.splice(0));
  }

  /** Ends the hold time: a held escape was the Escape key; a held detach key detaches. */
  flush(): readonly TypedPiece[] {
    if (this.#isDetached) return [];
    if (this.#escape.length > 0) this.#releaseEscape();
    else if (this.#matched > 0 && this.#detachKeys.length === 1) this.#detach();
    else this.#releaseMatched();
    return this.#take();
  }

  #byte(byte: number): void {
    if (this.#skipBytes > 0) {
      this.#skipBytes--;
      return;
    }
    if (this.#escape.length === 0) {
      if (byte === ESC) this.#escape.push(byte);
      else this.#token([byte]);
      return;
    }
    if (this.#isSkipping) return this.#skip(byte);
    this.#escape.push(byte);
    const verdict = this.#isPaste ? pasteVerdict(this.#escape) : verdictOf(this.#escape);
    switch (verdict) {
      case 'more':
        if (this.#escape.length >= REPLY_BYTES_MAX) {
          this.#isSkipping = true;
          this.#escape = [ESC, byte];
        }
        return;
      case 'whole': {
        const token = this.#escape;
        this.#escape = [];
        return this.#token(token);
      }
      case 'reply': {
        const bytes = Uint8Array.from(this.#escape);
        this.#escape = [];
        this.#endKeys();
        this.#pieces.push({ type: 'reply', bytes });
        return;
      }
      case 'not': {
        // The held bytes were not an escape: they were typed, and this byte starts a new token.
        this.#escape.pop();
        this.#releaseEscape();
        if (!this.#isDetached) this.#byte(byte);
      }
    }
  }

  /** Skips a reply to a query that was never sent, up to its end. */
  #skip(byte: number): void {
    const last = this.#escape.at(-1)!;
    this.#escape = [ESC, byte];
    if (byte !== 0x07 && !(last === ESC && byte === 0x5c)) return;
    this.#escape = [];
    this.#isSkipping = false;
  }

  #releaseEscape(): void {
    const held = this.#escape;
    const wasSkipping = this.#isSkipping;
    this.#escape = [];
    this.#isSkipping = false;
    if (wasSkipping) return;
    // ESC and one more byte is a key with Alt; a longer escape was cut, and is passed on as it was typed.
    this.#token(held);
  }

  /** Handles one key (or a byte of a longer one), and checks whether it is a detach key. */
  #token(token: number[]): void {
    if (this.#isPaste) {
      if (isText(token, '\x1b[201~')) this.#isPaste = false;
      this.#keys.push(...token);
      return;
    }
    if (this.#isWindowed && this.#isForWindow(token)) return;
    const expected = this.#detachKeys[this.#matched % Math.max(1, this.#detachKeys.length)];
    const match = expected === undefined ? 'other' : matchOf(token, expected);
    if (match === 'press') return this.#pressed(token);
    if (match === 'release') return; // release of a detach key: the press was not passed on either
    if (this.#matched > 0 && match !== 'neutral') {
      if (this.#detachKeys.length === 1) {
        this.#rest.push(...token);
        return this.#detach();
      }
      this.#releaseMatched();
      if (matchOf(token, this.#detachKeys[0]!) === 'press') return this.#pressed(token);
    }
    if (isText(token, '\x1b[I') || isText(token, '\x1b[O')) {
      this.#endKeys();
      this.#pieces.push({ type: 'focus', isFocused: token[2] === 0x49 });
      return;
    }
    if (isText(token, '\x1b[200~')) this.#isPaste = true;
    this.#keys.push(...token);
  }

  /** Returns true if the token was for the window, not for the program. */
  #isForWindow(token: number[]): boolean {
    const report = mouseReportOf(token);
    if (report !== undefined) {
      this.#endKeys();
      if (report === 'three-bytes-follow') this.#skipBytes = 3;
      else if (report !== 'unreadable') this.#pieces.push({ type: 'mouse', report });
      return true;
    }
    if (isText(token, '\x1b[I') || isText(token, '\x1b[O')) return false;
    const key = panKeyOf(token);
    return this.#isPanning ? this.#panFurther(token, key) : this.#beginPanning(token, key);
  }

  #beginPanning(token: number[], key: PanKey | undefined): boolean {
    const expected = this.#detachKeys[this.#matched];
    const isDetachKey = expected !== undefined && matchOf(token, expected) === 'press';
    if (this.#matched === 0 || isDetachKey || key === undefined || key === 'leave') return false;
    this.#matched = 0;
    this.#matchedBytes = [];
    this.#isPanning = true;
    this.#pan(key);
    return true;
  }

  /** Continues panning: other keys do nothing; a paste is meant for the program. */
  #panFurther(token: number[], key: PanKey | undefined): boolean {
    const isPaste = isText(token, '\x1b[200~');
    const [first] = this.#detachKeys;
    if (key === 'leave' || isPaste || (first !== undefined && matchOf(token, first) === 'press')) {
      this.#isPanning = false;
      this.#pan('leave');
    } else if (key !== undefined) {
      this.#pan(key);
    }
    return !isPaste;
  }

  #pan(key: PanKey): void {
    this.#endKeys();
    this.#pieces.push({ type: 'pan', key });
  }

  #pressed(token: number[]): void {
    const isSingle = this.#detachKeys.length === 1;
    if (isSingle && this.#matched === 1) {
      this.#matched = 0; // pressed twice, so the program gets it once
      this.#matchedBytes = [];
      this.#keys.push(...token);
      return;
    }
    this.#matched++;
    this.#matchedBytes.push(...token);
    if (!isSingle && this.#matched === this.#detachKeys.length) this.#detach();
  }

  #releaseMatched(): void {
    this.#keys.push(...this.#matchedBytes);
    this.#matched = 0;
    this.#matchedBytes = [];
  }

  #detach(): void {
    this.#endKeys();
    this.#matched = 0;
    this.#matchedBytes = [];
    this.#isDetached = true;
    this.#pieces.push({ type: 'detach' });
  }

  #endKeys(): void {
    if (this.#keys.length === 0) return;
    this.#pieces.push({ type: 'keys', bytes: Uint8Array.from(this.#keys) });
    this.#keys = [];
  }

  #take(): readonly TypedPiece[] {
    this.#endKeys();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

/** The longest reply that is read; an OSC 52 reply may be longer, but is never requested. */
export const REPLY_BYTES_MAX = 4096;
const KEY_BYTES_MAX = 64;
const ESC = 0x1b;

type Verdict = 'more' | 'whole' | 'reply' | 'not';

/** Classifies an escape at its last byte. */
function verdictOf(escape: readonly number[]): Verdict {
  const last = escape.at(-1)!;
  if (escape.length === 2) {
    if (last === ESC) return 'not'; // Escape, and another escape
    return OPENERS.includes(last) ? 'more' : 'whole';
  }
  switch (escape[1]) {
    case 0x5b: // [
      if (escape.length === 3 && last === 0x5b) return 'more'; // the Linux console's F1: CSI [ A
      if (last >= 0x20 && last < 0x40 && escape.length < KEY_BYTES_MAX) return 'more';
      if (last < 0x20 || last > 0x7e) return 'not';
      return isCsiReply(String.fromCharCode(...escape.slice(2))) ? 'reply' : 'whole';
    case 0x4f: // O: SS3, or Alt-O
      if (last >= 0x30 && last < 0x3a && escape.length < 6) return 'more';
      return last >= 0x20 && last < 0x7f ? 'whole' : 'not';
    default:
      return stringVerdict(escape, last);
  }
}

/** Classifies an OSC, DCS or APC: these are never typed, but their first two bytes are, as Alt-], Alt-P and Alt-_. */
function stringVerdict(escape: readonly number[], last: number): Verdict {
  if (escape.length === 3) {
    const letter = String.fromCharCode(last);
    const isPlausible =
      escape[1] === 0x5d ? /[\dlLI]/.test(letter) : escape[1] === 0x50 ? /[\d>!]/.test(letter) : letter === 'G';
    return isPlausible ? 'more' : 'not';
  }
  if (last === 0x07 && escape[1] === 0x5d) return 'reply';
  if (escape.at(-2) === ESC) return last === 0x5c ? 'reply' : 'not';
  return last >= 0x20 || last === ESC ? 'more' : 'not';
}

const OPENERS: readonly number[] = [0x5b, 0x4f, 0x5d, 0x50, 0x5f];

/**
 * Returns whether the body of a CSI is a reply, which no key sends. Reports that a mode enables (mouse, colour scheme, size) are
 * not replies.
 */
function isCsiReply(body: string): boolean {
  const shape = /^([<=>?]?)([\d;:]*)([ -/]*)(.)$/s.exec(body);
  if (shape === null) return false;
  const [, prefix = '', params = '', intermediate = '', final = ''] = shape;
  switch (intermediate + final) {
    case 'c': // DA1, DA2, DA3
      return prefix !== '';
    case 'n': // DSR; ?997 is the colour scheme that mode 2031 reports
      return prefix === '?' ? !params.startsWith('997;') : prefix === '' && params !== '';
    case 'R': // CPR; but CSI 1;2 R is Shift-F3
      return prefix === '?' || (prefix === '' && /^\d+;\d+$/.test(params) && !/^1;(?:[2-9]|1[0-6])$/.test(params));
    case '$y': // DECRPM
    case '*{': // DECMSR
    case '#y':
      return true;
    case 'u': // kitty flags
    case 'S': // XTSMGRAPHICS
      return prefix === '?';
    case 'm': // XTQMODKEYS
      return prefix === '>';
    case 't': // window reports; 48 is the size that mode 2048 reports
      return prefix === '' && !params.startsWith('48;');
    case 'x': // DECREPTPARM
      return prefix === '' && /^[23];/.test(params);
    default:
      return false;
  }
}

/** Classifies an escape inside a paste: only the end of the paste counts. */
function pasteVerdict(escape: readonly number[]): Verdict {
  const isOnTheWay = escape.every((code, at) => code === '\x1b[201~'.charCodeAt(at));
  if (!isOnTheWay) return 'not';
  return escape.length === 6 ? 'whole' : 'more';
}

const isText = (token: readonly number[], text: string): boolean =>
  token.length === text.length && token.every((code, at) => code === text.charCodeAt(at));

/**
 * Compares a token with a key: as its byte, `CSI code;mods u` (kitty, with event types and alternates), `CSI 27;mods;code ~`
 * (modifyOtherKeys). Releases, bare modifier keys, the mouse and the focus do not mean that another key was typed.
 */
function matchOf(token: readonly number[], key: DetachKey): 'press' | 'release' | 'neutral' | 'other' {
  if (token.length === 1) return token[0] === key.byte ? 'press' : 'other';
  const text = String.fromCharCode(...token);
  if (/^\x1b\[(?:<|[IO]$)/.test(text)) return 'neutral';
  const other = /^\x1b\[27;(\d+);(\d+)~$/.exec(text);
  if (other !== null) return Number(other[2]) === key.code && isCtrlOnly(other[1]!, key.ctrl) ? 'press' : 'other';
  const kitty = /^\x1b\[(\d+)[\d:]*(?:;(\d*)(?::(\d+))?)?[\d;:]*([u~A-S])$/.exec(text);
  if (kitty === null) return 'other';
  const [, code, modifiers = '', event = '1', final] = kitty;
  const isThis = final === 'u' && Number(code) === key.code && isCtrlOnly(modifiers === '' ? '1' : modifiers, key.ctrl);
  if (isThis) return event === '1' ? 'press' : 'release';
  const isModifierKey = final === 'u' && Number(code) >= 57441 && Number(code) <= 57454;
  return event === '3' || isModifierKey ? 'neutral' : 'other';
}

/** Returns whether Ctrl is the only modifier. Modifiers are sent as 1 + bits; Caps Lock (64) and Num Lock (128) do not count. */
const isCtrlOnly = (modifiers: string, ctrl: boolean): boolean => ((Number(modifiers) - 1) & ~0xc0) === (ctrl ? 4 : 0);
