import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_BYTES_MAX, LineText, type LineTextOptions, type TextLine } from './text.ts';
import { bytes, concat, cutInto, everyCut, lengths, wild } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';
import { cutCharacterBytes, decodeUtf8, encodeUtf8, Utf8Decoder } from '../scan/utf8.ts';

function linesIn(chunks: readonly Uint8Array[], options?: LineTextOptions): TextLine[] {
  const reader = new LineText(options);
  return [...chunks.flatMap((chunk) => reader.feed(chunk)), ...reader.flush()];
}

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['one\r\ntwo\nthree', ['one', 'two', 'three']],
  ['\r\n\r\n', ['', '']],
  ['  spaces count  \n', ['  spaces count  ']],
  ['\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07\n', ['red link']],
  ['\x1b]0;title\x07text\x07\n', ['text']],
  ['10%\r50%\r100%\n', ['100%']],
  ['100 of 100\r9 of 9\n', ['9 of 9 100']],
  ['loading...\r\x1b[Kdone\n', ['done']],
  ['loading...\x1b[2K\rdone\n', ['done']],
  ['abcdef\x1b[3D\x1b[K!\n', ['abc!']],
  ['abcdef\r\x1b[1Kx\n', ['xbcdef']],
  ['abc\b\b\x1b[1Pd\n', ['ad']],
  ['abc\b\b\bxy\n', ['xyc']],
  ['abc\b\x20\b\n', ['ab ']],
  ['a\tb\tc\n', ['a       b       c']],
  ['abcdef\r\x1b[2Cx\x1b[5Gy\n', ['abxdyf']],
  ['Do\x1b[1Cyou\x1b[1Cwant\n', ['Do you want']],
  ['abcdef\r\x1b[2X\n', ['  cdef']],
  ['abcdef\r\x1b[2@\n', ['  abcdef']],
  ['one\x1b[2;1Htwo\x1b[3;5Hthree', ['one', 'two', '    three']],
  ['one\x1b[Atwo\x1b[Bthree\x1bMfour', ['one', '   two', '      three', 'four']],
  ['\x1b[H\x1b[2J\x1b[10;10Hx', ['         x']],
  ['größe 漢字 😀 e\u0301\n', ['größe 漢字 😀 e\u0301']],
  ['漢字\rab\n', ['ab字']],
  ['漢字\ra\n', ['a 字']],
  ['漢字x\b\b!\n', ['漢 !x']],
  ['e\u0301\u0302\rf\n', ['f']],
  ['x\re\u0301\n', ['e\u0301']],
  ['a\x1b[3\n1mb', ['a', 'b']],
];

describe('LineText', () => {
  test('[OUT-2] what a person saw, at every cut', () => {
    for (const [input, expected] of CASES)
      for (const chunks of everyCut(bytes(input)))
        expect(
          linesIn(chunks).map((line) => line.text),
          JSON.stringify(input),
        ).toEqual(expected);
  });

  test('lines know where they are in the log', () => {
    for (const chunks of everyCut(bytes('one\r\ntwo\nthree')))
      expect(linesIn(chunks, { offset: 100 })).toEqual([
        { text: 'one', start: 100, end: 105 },
        { text: 'two', start: 105, end: 109 },
        { text: 'three', start: 109, end: 114 },
      ]);
  });

  test('the line that is not ended can be seen', () => {
    const reader = new LineText();
    reader.feed(bytes('one\n50%\r75'));
    expect([reader.current, reader.flush()[0]!.text, reader.flush()]).toEqual(['75%', '75%', []]);
  });

  test('what was shown on the alternate screen can be left out', () => {
    const input = bytes('$ vim\r\n\x1b[?1049h\x1b[Hfull\r\nscreen\x1b[?1049l$ \x1b[?25h');
    for (const chunks of everyCut(input))
      expect(linesIn(chunks, { skipAlternate: true }).map((line) => line.text)).toEqual(['$ vim', '$ ']);
    expect(linesIn([input]).map((line) => line.text)).toEqual(['$ vim', 'full', 'screen', '$ ']);
  });

  test('a line without end comes in pieces, and every way to grow is bounded', () => {
    for (const size of [1000, 4096, 1e6]) {
      const lines = linesIn(cutInto(bytes('x'.repeat(100_000)), [size]));
      expect(lines.map((line) => line.text.length)).toEqual([
        ...Array<number>(6).fill(LINE_BYTES_MAX),
        100_000 - 6 * LINE_BYTES_MAX,
      ]);
    }
    const wide = linesIn([bytes('\x1b[999999999Cx\x1b[999999999G\x1b[999999999@y\x1b[999999999X\n')]);
    expect(wide[0]!.text.length).toBeLessThan(40_000);
    const marks = linesIn([bytes(`x\ra${'\u0301'.repeat(5000)}\n`)]);
    expect(marks[0]!.text.length).toBeLessThan(100);
  });

  test('[OUT-2] any bytes in any pieces give the same lines, in valid text', () => {
    fc.assert(
      fc.property(wild(), lengths(), (input, pieces) => {
        const lines = linesIn([input]);
        expect(linesIn(cutInto(input, pieces))).toEqual(lines);
        for (const line of lines) expect(line.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
      }),
      { numRuns: 2000 },
    );
  });

  test('[OUT-2] long runs of plain lines are split as they are byte by byte, beside anything else', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'abc -=.'), maxLength: 60 });
    const odd = fc.constantFrom(
      '\r',
      'over\r',
      '\t',
      '\x1b[31m',
      '\x1b[',
      'é',
      '\xc3',
      '\x1b[?1049h',
      '\x1b[?1049l',
      '\x7f',
    );
    const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r\r\n');
    const run = fc
      .tuple(plain, end, fc.integer({ min: 1, max: 120 }))
      .map(([text, last, n]) => (text + last).repeat(n));
    const parts = fc.array(fc.oneof({ weight: 4, arbitrary: run }, odd), { maxLength: 12 });
    fc.assert(
      fc.property(parts, fc.boolean(), (all, skipAlternate) => {
        const data = Uint8Array.from(all.join(''), (character) => character.charCodeAt(0));
        const options = { offset: 100, skipAlternate };
        expect(linesIn([data], options)).toEqual(linesIn(cutInto(data, [500]), options));
      }),
    );
    const long = bytes(`one\n${'x'.repeat(LINE_BYTES_MAX + 10)}\r\ntwo\n`);
    expect(linesIn([long])).toEqual(linesIn(cutInto(long, [500])));
  });

  test('[OUT-2] recorded programs have no broken characters in their text', () => {
    for (const { chunks, bytes: whole } of recordings()) {
      const lines = linesIn(chunks);
      expect(linesIn([whole])).toEqual(lines);
      expect(lines.some((line) => line.text.includes('\ufffd'))).toBe(false);
    }
  });
});

describe('UTF-8', () => {
  test('[OUT-2] valid bytes in, the same text out, at any cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), lengths(), (text, pieces) => {
        const data = Uint8Array.from(Buffer.from(text));
        expect(encodeUtf8(text)).toEqual(data);
        const decoder = new Utf8Decoder();
        expect(
          cutInto(data, pieces)
            .map((part) => decoder.decode(part))
            .join('') + decoder.flush(),
        ).toBe(data.length === 0 ? '' : Buffer.from(data).toString());
      }),
    );
  });

  test('[OUT-2] what is not UTF-8 is replaced as everybody else replaces it', () => {
    fc.assert(
      fc.property(wild(), fc.uint8Array({ maxLength: 40 }), lengths(), (one, other, pieces) => {
        const data = concat([other, one]);
        const decoder = new Utf8Decoder();
        const text =
          cutInto(data, pieces)
            .map((part) => decoder.decode(part))
            .join('') + decoder.flush();
        expect(text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(data));
        expect(decodeUtf8(data)).toBe(text);
        const cut = cutCharacterBytes(data, 0, data.length);
        const streaming = new TextDecoder('utf-8', { ignoreBOM: true });
        expect(streaming.decode(data.subarray(0, data.length - cut), { stream: true }) + streaming.decode()).toBe(
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(data, { stream: true }),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
