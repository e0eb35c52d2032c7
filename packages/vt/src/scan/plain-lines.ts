/**
 * Checks whether bytes consist only of lines of printable ASCII. It reads four bytes at a time: a GiB of ordinary lines takes
 * half a second; byte by byte it takes two seconds, with a regular expression for each rule four.
 */

/**
 * `crlf`: each line ends with a carriage return and a line feed. `lf`: some lines end with a line feed alone. `no`: the bytes are
 * not plain.
 */
export type LineEnds = 'crlf' | 'lf' | 'no';

/** Checks `bytes`; `before` is the byte before them. The last line may be cut anywhere. */
export function plainLineEnds(bytes: Uint8Array, before: number): LineEnds {
  const { buffer, byteOffset, length } = bytes;
  let isReturn = before === CR;
  let ends: LineEnds = 'crlf';
  const isPlain = (from: number, to: number): boolean => {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === LF) {
        if (!isReturn) ends = 'lf';
        isReturn = false;
      } else if (isReturn || (byte !== CR && (byte < 0x20 || byte > 0x7e))) return false;
      else isReturn = byte === CR;
    }
    return true;
  };
  const first = -byteOffset & 3; // the index of the first aligned byte
  if (length < 2 * WORD_BYTES) return isPlain(0, length) ? ends : 'no';
  if (!isPlain(0, first)) return 'no';
  const words = new Int32Array(buffer, byteOffset + first, Math.floor((length - first) / WORD_BYTES));
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    // A bit of the mask is set if any of the four bytes is not printable.
    if (((word | (word - 0x20202020) | (word + 0x01010101)) & HIGH_BITS) === 0) {
      if (isReturn) return 'no';
    } else if (!isPlain(first + WORD_BYTES * index, first + WORD_BYTES * (index + 1))) return 'no';
  }
  return isPlain(first + WORD_BYTES * words.length, length) ? ends : 'no';
}

const LF = 0x0a;
const CR = 0x0d;
const WORD_BYTES = 4;
const HIGH_BITS = 0x80808080 | 0;
