/** The few forms of DER (X.690) that a certificate is made of. This code only writes DER and never reads it. */

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, body]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
export const octets = (...parts: readonly Uint8Array[]): Buffer => der(0x04, ...parts);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const bits = (bytes: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.of(unused), bytes);
export const TRUE = der(0x01, Buffer.of(0xff));

/** Encodes a positive integer: a first bit of 1 would be a sign. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, bytes[0]! & 0x80 ? Buffer.of(0) : Buffer.alloc(0), bytes);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const parts = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) parts.unshift(0x80 | (left & 0x7f));
    bytes.push(...parts);
  }
  return der(0x06, Buffer.from(bytes));
}

/** Encodes a time: until 2049 with two digits for the year, as RFC 5280 requires. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '');
  return at.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`));
}
