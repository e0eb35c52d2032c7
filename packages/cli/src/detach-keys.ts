/**
 * Finds the detach keys in what is typed, in each encoding that a terminal may use for them, cut anywhere.
 *
 * A single key (`Ctrl-\`) detaches, and pressed twice is sent once: so after the first the caller waits a moment (`isArmed`)
 * and then says `settle()`. A sequence (`C-p,C-q`) detaches when complete. Pastes are left alone. What could still become
 * one of the keys is held back, an Escape for instance; `settle()` lets that go too.
 */
import { controlCharacter } from './keys.ts';
import { UsageError } from './usage-error.ts';

/** How long a first Ctrl-\ waits for a second one. Longer than a double press (some 200 ms), short enough to feel at once. */
export const DOUBLE_PRESS_MS = 300;
/** How long the beginning of an escape sequence waits for its rest: a lone Escape key must not feel late. */
export const PARTIAL_MS = 20;

const ESC = 0x1b;
const SEQUENCE_BYTES_MAX = 32;
const EMPTY = Buffer.alloc(0);

export interface Typed {
  /** For the session. */
  readonly bytes: Uint8Array;
  readonly isDetach: boolean;
}

/** One key of the sequence: its byte, and the code point that the CSI encodings name. */
export interface Key {
  readonly byte: number;
  readonly codePoint: number;
  readonly isControl: boolean;
}

export class DetachKeys {
  readonly #keys: readonly Key[];
  /** Keys of the sequence that have been typed, as they came: sent on when the next one is another. */
  #matched = 0;
  #held: Buffer = EMPTY;
  /** An escape sequence that is not complete. */
  #partial: Buffer = EMPTY;
  #isPasting = false;

  /** Keys as `parseDetachKeys` gives them; none at all finds nothing. */
  constructor(keys: readonly Key[]) {
    this.#keys = keys;
  }

  /** A single detach key was pressed: detach if no second one comes. */
  get isArmed(): boolean {
    return this.#keys.length === 1 && this.#matched === 1;
  }

  /** Something is held back that a pause should release. */
  get isHolding(): boolean {
    return this.#partial.length > 0;
  }

  feed(chunk: Uint8Array): Typed {
    const input = Buffer.concat([this.#partial, chunk]);
    this.#partial = EMPTY;
    const out: Uint8Array[] = [];
    let at = 0;
    while (at < input.length) {
      const next = this.#nextOfInterest(input, at);
      if (next > at) this.#pass(input.subarray(at, next), out);
      if (this.isArmed && next > at) return { bytes: Buffer.concat(out), isDetach: true };
      if (next === input.length) break;
      const length = input[next] === ESC ? sequenceLength(input, next) : 1;
      if (length === 0) {
        this.#partial = Buffer.from(input.subarray(next));
        break;
      }
      at = next + length;
      if (this.#take(Buffer.from(input.subarray(next, at)), out)) return { bytes: Buffer.concat(out), isDetach: true };
    }
    return { bytes: Buffer.concat(out), isDetach: false };
  }

  /** Nothing came for a while. */
  settle(): Typed {
    if (this.isArmed) return { bytes: EMPTY, isDetach: true };
    const bytes = this.#partial;
    this.#partial = EMPTY;
    if (bytes.length === 0) return { bytes, isDetach: false };
    const held = this.#release();
    return { bytes: Buffer.concat([held, bytes]), isDetach: false };
  }

  #nextOfInterest(input: Buffer, from: number): number {
    if (this.#keys.length === 0) return input.length;
    let next = input.indexOf(ESC, from);
    if (next === -1) next = input.length;
    if (this.#isPasting) return next;
    for (const key of this.#keys) {
      const found = input.subarray(from, next).indexOf(key.byte);
      if (found !== -1) next = from + found;
    }
    return next;
  }

  /** Plain bytes. After a first detach key, anything else that is typed means: detach. */
  #pass(bytes: Uint8Array, out: Uint8Array[]): void {
    if (this.isArmed) return;
    out.push(this.#release(), bytes);
  }

  /** One byte or one whole escape sequence; true when it completes a detach. */
  #take(token: Buffer, out: Uint8Array[]): boolean {
    const text = token.toString('latin1');
    if (text === '\x1b[200~') this.#isPasting = true;
    if (text === '\x1b[201~') this.#isPasting = false;
    const stroke = this.#isPasting ? null : strokeOf(token);
    if (stroke?.isRelease && this.#keys.some((key) => fits(key, stroke))) return false;
    if (fits(this.#keys[this.#matched], stroke)) {
      this.#matched++;
      this.#held = Buffer.concat([this.#held, token]);
      return this.#keys.length > 1 && this.#matched === this.#keys.length;
    }
    if (this.isArmed) {
      if (!fits(this.#keys[0], stroke)) return true;
      this.#release();
      out.push(token); // the second press: the session gets it once
      return false;
    }
    const held = this.#release();
    out.push(held);
    if (held.length > 0) return this.#take(token, out); // it may begin the sequence anew
    out.push(token);
    return false;
  }

  #release(): Buffer {
    const held = this.#held;
    this.#held = EMPTY;
    this.#matched = 0;
    return held;
  }
}

/** `C-q`, `ctrl-q`, `^q`, `C-p,C-q`, `C-a,d`, `none`; null for what is not understood. */
export function parseDetachKeys(text: string): readonly Key[] | null {
  if (text === 'none' || text === '') return [];
  const keys: Key[] = [];
  for (const word of text.split(',')) {
    const control = /^(?:c-|ctrl-|\^)(.)$/i.exec(word.trim());
    const plain = word.trim();
    if (control) {
      const byte = controlCharacter(control[1]!.toLowerCase());
      if (byte === null) return null;
      keys.push({ byte: byte.charCodeAt(0), codePoint: control[1]!.toLowerCase().charCodeAt(0), isControl: true });
    } else if (keys.length > 0 && /^[\x21-\x7e]$/.test(plain)) {
      keys.push({ byte: plain.charCodeAt(0), codePoint: plain.charCodeAt(0), isControl: false });
    } else {
      return null; // a plain letter alone could never be typed again
    }
  }
  return keys;
}

export const DEFAULT_DETACH_KEYS = parseDetachKeys('C-\\')!;

/** What was given after `--detach-keys`; Ctrl-\ when nothing was. */
export function detachKeysOf(text: string | undefined, verb: string): readonly Key[] {
  const keys = text === undefined ? DEFAULT_DETACH_KEYS : parseDetachKeys(text);
  if (keys === null)
    throw new UsageError(`--detach-keys ${JSON.stringify(text)} is not understood; write C-q, or C-p,C-q`, verb);
  return keys;
}

/**
 * Bytes of the escape sequence at `from`, 0 when it is not complete. Only what may still be one of ours is waited for;
 * an Escape that begins anything else is one byte by itself.
 */
function sequenceLength(input: Buffer, from: number): number {
  const afterEscape = input.toString('latin1', from + 1, from + SEQUENCE_BYTES_MAX);
  const whole = /^\[[\d:;]*[u~]/.exec(afterEscape);
  if (whole) return 1 + whole[0].length;
  const isOpen = 1 + afterEscape.length < SEQUENCE_BYTES_MAX && /^(\[[\d:;]*)?$/.test(afterEscape);
  return isOpen ? 0 : 1;
}

interface Stroke {
  /** A key that came as a plain byte. */
  readonly byte?: number;
  /** A key that came in an escape sequence. */
  readonly codePoint?: number;
  readonly isControl?: boolean;
  readonly isRelease?: boolean;
}

/** What a byte, a `CSI code ; modifiers : event u` (kitty) or a `CSI 27 ; modifiers ; code ~` (xterm) stands for. */
function strokeOf(token: Buffer): Stroke | null {
  if (token.length === 1) return { byte: token[0]! };
  const afterEscape = token.toString('latin1', 1);
  const kitty = /^\[(\d+)(?::[\d:]*)?;(\d+)(?::(\d+))?(?:;[\d:]*)?u$/.exec(afterEscape);
  if (kitty) return encoded(kitty[1]!, kitty[2]!, kitty[3]);
  const xterm = /^\[27;(\d+);(\d+)~$/.exec(afterEscape);
  return xterm ? encoded(xterm[2]!, xterm[1]!, undefined) : null;
}

function encoded(codePoint: string, modifiers: string, event: string | undefined): Stroke | null {
  const held = (Number(modifiers) - 1) & 0b0011_1111; // without Caps Lock and Num Lock
  if (held !== 0 && held !== 4) return null;
  return { codePoint: Number(codePoint), isControl: held === 4, isRelease: event === '3' };
}

function fits(key: Key | undefined, stroke: Stroke | null): boolean {
  if (key === undefined || stroke === null) return false;
  if (stroke.byte !== undefined) return stroke.byte === key.byte;
  return stroke.codePoint === key.codePoint && stroke.isControl === key.isControl;
}
