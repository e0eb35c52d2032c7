/**
 * The text in what a session wrote: escape sequences and control characters left out, cut anywhere.
 *
 * Bytes in, bytes out, in order: tabs, newlines and carriage returns stay (but `\r\n` becomes `\n`), so do all characters
 * but the C1 controls, which some terminals obey even as UTF-8. It shows what was written, not what the screen looked like.
 */

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
/** In UTF-8 the C1 controls are this byte and one of 0x80 to 0x9f. */
const C2 = 0xc2;

/** A string sequence (title, image, …) that is longer than this was none: what follows is shown again. */
const STRING_BYTES_MAX = 4 * 1024 * 1024;

const State = {
  ground: 0,
  escape: 1,
  intermediate: 2,
  csi: 3,
  osc: 4,
  string: 5,
  stringEscape: 6,
  return: 7,
  c2: 8,
} as const;

export class PlainText {
  #state: number = State.ground;
  #stringBytes = 0;

  /** The text of the next chunk. A carriage return or half a character at its end is kept for the next call. */
  push(chunk: Uint8Array): Uint8Array {
    const out = new Uint8Array(chunk.length + 1);
    let length = 0;
    let state = this.#state;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      switch (state) {
        case State.return:
          if (byte !== LF) out[length++] = CR;
          [state, at] = [State.ground, at - 1]; // what follows it stands by itself
          break;
        case State.ground:
          if (byte >= 0x20 && byte !== 0x7f && byte !== C2) out[length++] = byte;
          else if (byte === LF || byte === TAB) out[length++] = byte;
          else if (byte === ESC) state = State.escape;
          else if (byte === CR) state = State.return;
          else if (byte === C2) state = State.c2;
          break;
        case State.c2:
          state = State.ground;
          if (byte >= 0x80 && byte <= 0x9f) break;
          out[length++] = C2;
          at--; // not a control: what it is, ground decides
          break;
        case State.escape:
          if (byte === 0x5b) state = State.csi;
          else if (byte === 0x5d) [state, this.#stringBytes] = [State.osc, 0];
          else if (byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f)
            [state, this.#stringBytes] = [State.string, 0];
          else if (byte >= 0x20 && byte <= 0x2f) state = State.intermediate;
          else if (byte !== ESC) [state, at] = afterSequence(byte, at);
          break;
        case State.intermediate:
          if (byte === ESC) state = State.escape;
          else if (byte < 0x20 || byte > 0x2f) [state, at] = afterSequence(byte, at);
          break;
        case State.csi:
          if (byte === ESC) state = State.escape;
          else if (byte < 0x20 || byte > 0x3f) [state, at] = afterSequence(byte, at);
          break;
        case State.osc:
        case State.string:
          if (byte === ESC) state = State.stringEscape;
          else if (byte === CAN || byte === SUB || (byte === BEL && state === State.osc)) state = State.ground;
          else if (++this.#stringBytes > STRING_BYTES_MAX) state = State.ground;
          break;
        case State.stringEscape:
          if (byte === 0x5c) state = State.ground;
          else [state, at] = [State.escape, at - 1]; // the string was cut short by a new sequence
          break;
      }
    }
    this.#state = state;
    return out.subarray(0, length);
  }

  clone(): PlainText {
    const copy = new PlainText();
    copy.#state = this.#state;
    copy.#stringBytes = this.#stringBytes;
    return copy;
  }

  /** What was kept for a next chunk that does not come. */
  end(): Uint8Array {
    const rest = this.#state === State.return ? [CR] : this.#state === State.c2 ? [C2] : [];
    this.#state = State.ground;
    return new Uint8Array(rest);
  }
}

/** A final byte ends the sequence; anything else (a newline, a character) is no part of it and counts in ground. */
function afterSequence(byte: number, at: number): [state: number, at: number] {
  const isFinal = byte >= 0x30 && byte <= 0x7e;
  return [State.ground, isFinal ? at : at - 1];
}
