/**
 * Returns the number of bytes at the end that are an incomplete character.
 *
 * xterm 6 must not be given half a character: it keeps the bytes of an incomplete one, but mistakes a continuation byte of 0x80 for
 * "no byte", and so misreads every dash, quote and bullet (E2 80 xx) that is cut before its last byte. The decision is made by
 * length alone, as in xterm, so that invalid bytes are held back too and give the same result.
 */
export function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return back < lengthOf(byte) ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if ((lead & 0xe0) === 0xc0) return 2;
  if ((lead & 0xf0) === 0xe0) return 3;
  return (lead & 0xf8) === 0xf0 ? 4 : 1;
}
