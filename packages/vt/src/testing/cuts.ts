/** Ways to cut bytes, and bytes for which cuts matter. */
import fc from 'fast-check';

export const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'utf8'));
export const text = (data: Uint8Array): string => Buffer.from(data).toString('utf8');
export const concat = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** Yields the data whole, byte by byte, and with every cut into two. */
export function* everyCut(data: Uint8Array): Generator<readonly Uint8Array[]> {
  yield [data];
  yield [...data].map((byte) => Uint8Array.of(byte));
  for (let cut = 0; cut <= data.length; cut++) yield [data.subarray(0, cut), data.subarray(cut)];
}

/** Cuts the data into pieces of the given lengths, repeated in order. */
export function cutInto(data: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < data.length; turn++) {
    const length = lengths.length === 0 ? data.length : lengths[turn % lengths.length]!;
    parts.push(data.subarray(at, (at += length)));
  }
  return parts;
}

export const lengths = (): fc.Arbitrary<number[]> => fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 });

/** Generates bytes in which escapes, half escapes and C1 controls are frequent. */
export const wild = (maxLength = 120): fc.Arbitrary<Uint8Array> =>
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 0, max: 255 }).map((byte) => Uint8Array.of(byte)) },
        {
          weight: 8,
          arbitrary: fc.constantFrom(...PIECES).map((piece) => Uint8Array.from(Buffer.from(piece, 'latin1'))),
        },
        { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }).map(bytes) },
      ),
      { maxLength },
    )
    .map(concat);

const PIECES = [
  '\x1b',
  '\x1b[',
  '\x1b]',
  '\x1bP',
  '\x1b_',
  '\x1b^',
  '\x1bX',
  '\x1b\\',
  '\x07',
  '\x18',
  '\x1a',
  '\xc2\x9b',
  '\xc2\x9d',
  '\xc2\x90',
  '\xc2\x9c',
  '\xc2',
  '\x9b',
  '\x9d',
  '\x9c',
  '\xe2\x94',
  '\x80',
  '\x7f',
  '\r',
  '\n',
  '\b',
  '?',
  '>',
  '<',
  '=',
  ';',
  ':',
  '0',
  '1',
  '2',
  '25',
  '1049',
  '2004',
  'h',
  'l',
  'm',
  'u',
  'c',
  'n',
  'q',
  't',
  'p',
  '$',
  '!',
  ' ',
  '(',
  'B',
  '52;c;',
  '8;;http://x/',
  '0;title',
  '7501;state=idle',
  '133;D;0',
  '\x1b[?1000h',
  '\x1b[6n',
  '\x1bc',
  '\x1b[31m',
  'text',
];
