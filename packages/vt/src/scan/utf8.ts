/**
 * Decodes UTF-8 that arrives in pieces.
 *
 * A character that a read has cut continues with the next read: valid bytes give the same text at any cut, without replacement
 * characters. Invalid bytes become U+FFFD, one for each maximal broken part (as in the WHATWG rules), so that two decoders agree
 * on how many cells it takes.
 */

/** Decodes a stream. `flush` at its end reports an incomplete character. */
export class Utf8Decoder {
  #point = 0; // bits of the unfinished character
  #missing = 0; // continuation bytes it still needs
  #low = 0x80; // the range of the next continuation byte (narrower after E0, ED, F0, F4)
  #high = 0xbf;

  /** Returns the text of `bytes[from..to)`, with the character that the last call left open. */
  decode(bytes: Uint8Array, from = 0, to: number = bytes.length): string {
    let text = '';
    let at = from;
    while (at < to && this.#missing > 0) text += this.#step(bytes[at++]!);
    let units = 0;
    while (at < to) {
      const lead = bytes[at]!;
      if (lead < 0x80) {
        UNITS[units++] = lead;
        at++;
      } else {
        const length = lengthOf(lead);
        if (length === 0 || goodBytes(bytes, at, to) < length) {
          // An invalid character, or one that the end has cut, is read byte by byte.
          text += unitsText(units);
          units = 0;
          text += this.#step(bytes[at++]!);
          while (at < to && this.#missing > 0) text += this.#step(bytes[at++]!);
        } else {
          units = putPoint(pointAt(bytes, at, length), units);
          at += length;
        }
      }
      if (units >= UNITS_MAX) {
        text += unitsText(units);
        units = 0;
      }
    }
    return text + unitsText(units);
  }

  /** True if the last call ended inside a character. */
  get isCut(): boolean {
    return this.#missing > 0;
  }

  /** Ends the stream: returns U+FFFD if it stopped inside a character, else ''. */
  flush(): string {
    if (this.#missing === 0) return '';
    this.#missing = 0;
    return REPLACEMENT;
  }

  #step(byte: number): string {
    if (this.#missing === 0) return this.#begin(byte);
    if (byte < this.#low || byte > this.#high) {
      this.#missing = 0;
      return REPLACEMENT + this.#begin(byte);
    }
    this.#point = (this.#point << 6) | (byte & 0x3f);
    this.#low = 0x80;
    this.#high = 0xbf;
    return --this.#missing === 0 ? String.fromCodePoint(this.#point) : '';
  }

  #begin(byte: number): string {
    if (byte < 0x80) return String.fromCharCode(byte);
    const length = lengthOf(byte);
    if (length === 0) return REPLACEMENT;
    this.#missing = length - 1;
    this.#point = byte & (0x7f >> length);
    this.#low = lowestSecond(byte);
    this.#high = highestSecond(byte);
    return '';
  }
}

/** Decodes all of `bytes[from..to)`; for payloads that are complete. */
export function decodeUtf8(bytes: Uint8Array, from = 0, to: number = bytes.length): string {
  const decoder = new Utf8Decoder();
  return decoder.decode(bytes, from, to) + decoder.flush();
}

/** Returns the bytes of a text. A lone surrogate becomes U+FFFD, as everywhere. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const character of text) {
    let point = character.codePointAt(0)!;
    if (point >= 0xd800 && point <= 0xdfff) point = 0xfffd;
    if (point < 0x80) {
      bytes[length++] = point;
      continue;
    }
    if (point < 0x800) {
      bytes[length++] = 0xc0 | (point >> 6);
    } else {
      if (point < 0x10000) {
        bytes[length++] = 0xe0 | (point >> 12);
      } else {
        bytes[length++] = 0xf0 | (point >> 18);
        bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
      }
      bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (point & 0x3f);
  }
  return bytes.slice(0, length);
}

/** Returns how many bytes from `at` on (before `to`) belong to one character that is well-formed so far. */
export function goodBytes(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to) return 0;
  const lead = bytes[at]!;
  const length = lengthOf(lead);
  if (length === 0) return 0;
  if (length === 1 || at + 1 >= to) return 1;
  if (bytes[at + 1]! < lowestSecond(lead) || bytes[at + 1]! > highestSecond(lead)) return 1;
  let good = 2;
  while (good < length && at + good < to && (bytes[at + good]! & 0xc0) === 0x80) good++;
  return good;
}

/** Returns the length of the unfinished character at the end of `bytes[from..to)`: 0 to 3. */
export function cutCharacterBytes(bytes: Uint8Array, from: number, to: number): number {
  for (let at = to - 1; at >= from && at >= to - 3; at--) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) === 0x80) continue;
    return to - at < lengthOf(byte) && goodBytes(bytes, at, to) === to - at ? to - at : 0;
  }
  return 0;
}

/** Returns the length of the character that starts with `lead`; 0 if no character starts with it. */
export function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

const REPLACEMENT = '\ufffd';

const lowestSecond = (lead: number): number => (lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80);
const highestSecond = (lead: number): number => (lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf);

/** The number of UTF-16 units that are converted at once: few enough to be the arguments of one call, in every engine. */
const UNITS_MAX = 4096;
const UNITS = new Uint16Array(UNITS_MAX + 1);

function putPoint(point: number, units: number): number {
  if (point < 0x10000) {
    UNITS[units] = point;
    return units + 1;
  }
  UNITS[units] = 0xd7c0 + (point >> 10);
  UNITS[units + 1] = 0xdc00 | (point & 0x3ff);
  return units + 2;
}

function unitsText(units: number): string {
  return units === 0 ? '' : String.fromCharCode.apply(undefined, UNITS.subarray(0, units) as unknown as number[]);
}

function pointAt(bytes: Uint8Array, at: number, length: number): number {
  let point = bytes[at]! & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) point = (point << 6) | (bytes[next]! & 0x3f);
  return point;
}
