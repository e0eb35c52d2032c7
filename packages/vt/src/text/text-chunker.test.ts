import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EscapeScanner, STRING_BYTES_MAX } from '../scan/escape-scanner.ts';
import { bytes, cutInto, everyCut, lengths, wild } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';
import { type ChunkingMode, type TextChunk, TextChunker, type TextChunkOptions } from './text-chunker.ts';

const CHUNKINGS: readonly ChunkingMode[] = ['raw', 'line', 'semantic'];

/** Returns all chunks; with `isFlushed`, as if a long pause followed each feed. */
function chunksOf(parts: readonly Uint8Array[], options: TextChunkOptions = {}, isFlushed = false): TextChunk[] {
  const chunker = new TextChunker(options);
  const fed = parts.flatMap((part) => {
    const chunks = chunker.feed(part);
    return isFlushed ? [...chunks, ...chunker.flush()] : chunks;
  });
  return [...fed, ...chunker.end()];
}

const joined = (chunks: readonly TextChunk[]): string => chunks.map(({ data }) => data).join('');
const datas = (chunks: readonly TextChunk[]): string[] => chunks.map(({ data }) => data);
const decoded = (data: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(data);

const MIXED = bytes('\ufeffgrün \x1b[31m日本\x1b[0m\r\n\t👩‍👩‍👧 \x1b]0;名前\x07  \n\n\u009b1mC1 \x1bP1;2qdata\x1b\\ende ');

describe('kept', () => {
  test('[OUT-2] 10,000 cuts at random: the chunks joined are the decoding of all bytes, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.oneof(wild(), fc.string({ unit: 'binary' }).map(bytes)),
        lengths(),
        fc.constantFrom(...CHUNKINGS),
        fc.integer({ min: 16, max: 80 }),
        fc.boolean(),
        (input, pieces, chunking, maxBytes, isFlushed) => {
          const chunks = chunksOf(cutInto(input, pieces), { chunking, maxBytes, offset: 1000 }, isFlushed);
          expect(joined(chunks)).toBe(decoded(input));
          let end = 1000;
          for (const chunk of chunks) {
            expect(chunk.offset).toBe(end);
            expect(decoded(input.subarray(chunk.offset - 1000, chunk.end - 1000))).toBe(chunk.data);
            ({ end } = chunk);
          }
          expect(end).toBe(1000 + input.length);
        },
      ),
      { numRuns: 10_000 },
    );
  });

  test('[OUT-2] recorded programs: the same chunks however the reads fell, and none ends inside a character or an escape', () => {
    for (const { chunks: reads, bytes: whole } of recordings()) {
      for (const chunking of CHUNKINGS) {
        const chunks = chunksOf([whole], { chunking });
        expect(chunksOf(reads, { chunking })).toEqual(chunks);
        expect(joined(chunks)).toBe(decoded(whole));
        const flushed = chunksOf(reads, { chunking }, true);
        expect(joined(flushed)).toBe(decoded(whole));
        expect(
          insideSequences(
            whole,
            flushed.map(({ end }) => end),
          ),
        ).toEqual([]);
      }
    }
  });

  test('at every cut, what a pause lets out ends neither in a character nor in an escape sequence', () => {
    for (const parts of everyCut(MIXED)) {
      const chunks = chunksOf(parts, {}, true);
      expect(joined(chunks)).toBe(decoded(MIXED));
      expect(
        insideSequences(
          MIXED,
          chunks.map(({ end }) => end),
        ),
      ).toEqual([]);
    }
  });

  test('[OUT-3] whitespace is given out as it came', () => {
    const chunker = new TextChunker();
    expect(chunker.feed(bytes('  \t'))).toEqual([]);
    expect([chunker.isEmpty, chunker.flush(), chunker.isEmpty]).toEqual([
      false,
      [{ data: '  \t', offset: 0, end: 3 }],
      true,
    ]);
  });

  test('a broken character is U+FFFD as soon as it is known to be broken, and at the end', () => {
    const chunker = new TextChunker();
    chunker.feed(Uint8Array.of(0x61, 0xe2, 0x94));
    expect([datas(chunker.flush()), chunker.isEmpty]).toEqual([['a'], true]);
    chunker.feed(bytes('b'));
    expect(datas(chunker.flush())).toEqual(['\ufffdb']);
    chunker.feed(Uint8Array.of(0xe2));
    expect([datas(chunker.flush()), datas(chunker.end())]).toEqual([[], ['\ufffd']]);
  });

  test('a chunk has its size at most, cut at a character; an escape sequence goes whole into the next', () => {
    const options = { maxBytes: 16 };
    expect(datas(chunksOf([bytes('ééééééééé')], options))).toEqual(['éééééééé', 'é']);
    expect(datas(chunksOf([bytes('xééééééééé')], options))).toEqual(['xééééééé', 'éé']);
    expect(datas(chunksOf([bytes('0123456789abc\x1b[31mred')], options))).toEqual(['0123456789abc', '\x1b[31mred']);
    const long = `\x1b]0;${'t'.repeat(30)}\x07`;
    expect(datas(chunksOf([bytes(`a${long}b`)], options))).toEqual(['a', long, 'b']);
  });

  test('a sequence without end is held back to its limit, and then comes in pieces', () => {
    for (const [opener, limit] of [
      ['\x1b]0;', STRING_BYTES_MAX],
      ['\x1b[', 512],
    ] as const) {
      const chunker = new TextChunker();
      const input = bytes(opener + '1'.repeat(3 * STRING_BYTES_MAX));
      const chunks: TextChunk[] = [];
      for (const part of cutInto(input, [1000])) chunks.push(...chunker.feed(part), ...chunker.flush());
      expect(chunks[0]!.data.length).toBeGreaterThanOrEqual(limit);
      expect(chunks[0]!.data.length).toBeLessThanOrEqual(limit + 1000);
      expect(chunks.at(-1)!.end).toBe(input.length);
      expect(joined(chunks)).toBe(decoded(input));
      // The sequence ends after all, and the text after it is read normally again.
      const after = [...chunker.feed(bytes('\x07m')), ...chunker.feed(bytes('done\x1b[')), ...chunker.flush()];
      expect(joined(after)).toBe('\x07mdone');
    }
  });

  test('an ESC that breaks such a sequence off belongs to the one that it begins', () => {
    const chunker = new TextChunker();
    const head = `\x1b]0;${'t'.repeat(STRING_BYTES_MAX)}`;
    const chunks = [...chunker.feed(bytes(`${head}\x1b`)), ...chunker.flush()];
    expect(joined(chunks)).toBe(head);
    chunker.feed(bytes('[31mred'));
    expect(datas(chunker.flush())).toEqual(['\x1b[31mred']);
  });

  test('a sequence that is cancelled waits for nothing', () => {
    const chunker = new TextChunker();
    chunker.feed(bytes('a\x1b[3\x18'));
    expect(datas(chunker.flush())).toEqual(['a\x1b[3\x18']);
  });
});

describe('stripped', () => {
  test.each([
    ['colours and titles', 'a\x1b[31mb\x1b]0;t\x07c\x1bP1qx\x1b\\d\u009b1me', 'abcde'],
    ['line ends, tabs, spaces', ' one\r\n\ttwo \n50%\r51%\r\n', ' one\n\ttwo \n50%\r51%\n'],
    ['a carriage return and a newline that are not one', 'a\r\x1b[K\nb\r\0\n', 'a\r\nb\r\n'],
    ['controls', 'a\bb\x07c\0d\x7fe\x0e', 'abcde'],
    ['a cancelled sequence, and one without end', 'a\x1b[3\x18b\x1b]0;t\x1ac\x1b[3', 'abc'],
    [
      '[OUT-8] words that were placed by moves',
      '\x1b[2;3HQuick\x1b[2;9Hsafety\x1b[1Ccheck:\x1b[3;3HIs\x1b[6Gthis',
      'Quick safety check:\nIs this',
    ],
    [
      '[OUT-8] columns, and a move before a line end',
      'a\x1b[4Cb\x1b[2C\r\nc\x1b[Bd\x1b[A\n\x1b[2Ce',
      'a    b\nc\nd\n  e',
    ],
    ['characters of all lengths', 'é\x1b[m日\x1b[m👩', 'é日👩'],
  ])('%s', (_what, input, expected) => {
    for (const parts of everyCut(bytes(input))) {
      expect(joined(chunksOf(parts, { ansi: 'strip' }))).toBe(expected);
      expect(joined(chunksOf(parts, { ansi: 'strip' }, true))).toBe(expected);
    }
  });

  test('[OUT-2] any bytes in any pieces give the text between the escapes, and true offsets', () => {
    fc.assert(
      fc.property(
        wild(),
        lengths(),
        fc.constantFrom(...CHUNKINGS),
        fc.boolean(),
        (input, pieces, chunking, isFlushed) => {
          const parts = cutInto(input, pieces);
          const chunks = chunksOf(parts, { chunking, ansi: 'strip', maxBytes: 40 }, isFlushed);
          expect(joined(chunks)).toBe(joined(chunksOf([input], { ansi: 'strip' })));
          expect(joined(chunks).replaceAll(/[ \n]/g, '')).toBe(textBetween(input).replaceAll(/[ \n]/g, ''));
          chunks.reduce((end, chunk) => {
            expect(chunk.offset).toBeGreaterThanOrEqual(end);
            expect(chunk.end).toBeGreaterThan(chunk.offset);
            return chunk.end;
          }, 0);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a character does not go on after an escape', () => {
    const input = Uint8Array.of(0xe2, 0x94, 0x1b, 0x5b, 0x6d, 0x80);
    for (const parts of everyCut(input)) expect(joined(chunksOf(parts, { ansi: 'strip' }))).toBe('\ufffd\ufffd');
  });
});

describe('[OUT-6] chunking', () => {
  test('line: a chunk for each line, with its end; an unfinished one at a pause', () => {
    for (const parts of everyCut(bytes('one\r\n\n\x1b[1mtwo\x1b[m\nthree\x1b]0;a\nb\x07')))
      expect(datas(chunksOf(parts, { chunking: 'line' }))).toEqual([
        'one\r\n',
        '\n',
        '\x1b[1mtwo\x1b[m\n',
        'three\x1b]0;a\nb\x07',
      ]);
    const chunker = new TextChunker({ chunking: 'line', maxBytes: 16 });
    expect(datas(chunker.feed(bytes('$ ')))).toEqual([]);
    expect(datas(chunker.flush())).toEqual(['$ ']);
    expect(datas(chunker.feed(bytes(`ls\n${'x'.repeat(20)}\n`)))).toEqual(['ls\n', 'x'.repeat(16), 'xxxx\n']);
  });

  test('semantic: prompts, command lines and output end at their marks', () => {
    for (const [code, end] of [
      ['133', '\x07'],
      ['633', '\x1b\\'],
    ]) {
      const mark = (letter: string): string => `\x1b]${code};${letter}${end}`;
      const expected = [
        `${mark('A')}~ $ ${mark('B')}`,
        `ls\r\n${mark('C')}`,
        `a b\r\n${mark('D;0')}`,
        `${mark('A')}~ $ ${mark('B')}`,
      ];
      for (const parts of everyCut(bytes(expected.join(''))))
        expect(datas(chunksOf(parts, { chunking: 'semantic' }))).toEqual(expected);
    }
  });

  test('semantic: paragraphs end after a blank line, and more blank lines belong to the next', () => {
    const expected = ['\r\none\r\ntwo\r\n \x1b[m\r\n', '\n\nthree\n\n', 'four'];
    for (const parts of everyCut(bytes(expected.join(''))))
      expect(datas(chunksOf(parts, { chunking: 'semantic' }))).toEqual(expected);
  });

  test('semantic: what an agent does next begins a chunk', () => {
    const expected = [
      '\n● Starting\n',
      '● Working on it\n• a bullet\n• Random thoughts\n',
      '\x1b[32m●\x1b[m Bash(ls -l)\r\n  ⎿  total 4\r\n',
      '⏺ Read(a.ts)\n',
      '  • Ran npm test\n    └ 3 passed\n',
      '• Edited a.ts (+1 -1)\n',
      '← Edit b.ts\n',
    ];
    for (const parts of everyCut(bytes(expected.join(''))))
      expect(datas(chunksOf(parts, { chunking: 'semantic' }))).toEqual(expected);
  });

  test('semantic: what is too long is cut at its last line end, if it has one', () => {
    const input = bytes(`first\nsecond\nthird line\n${'x'.repeat(20)}\n`);
    for (const parts of everyCut(input))
      expect(datas(chunksOf(parts, { chunking: 'semantic', maxBytes: 16 }))).toEqual([
        'first\nsecond\n',
        'third line\n',
        'x'.repeat(16),
        'xxxx\n',
      ]);
  });
});

describe('offsets', () => {
  test('a gap ends what there is, and nothing goes on across it', () => {
    const chunker = new TextChunker({ offset: 10 });
    chunker.feed(Uint8Array.of(0x61, 0xe2, 0x94));
    expect(chunker.reset(100)).toEqual([{ data: 'a\ufffd', offset: 10, end: 13 }]);
    chunker.feed(Uint8Array.of(0x80, 0x62));
    expect(chunker.end()).toEqual([{ data: '\ufffdb', offset: 100, end: 102 }]);
    chunker.feed(bytes('\x1b[3'));
    expect(chunker.reset(200)).toEqual([{ data: '\x1b[3', offset: 102, end: 105 }]);
    expect([chunker.feed(bytes('1m')), chunker.flush()]).toEqual([[], [{ data: '1m', offset: 200, end: 202 }]]);
  });

  test("another stream's bytes in between cut no character; the offsets are those of the log", () => {
    const chunker = new TextChunker();
    chunker.feed(Uint8Array.of(0x61, 0xe2, 0x94), 0);
    expect(chunker.flush()).toEqual([{ data: 'a', offset: 0, end: 1 }]);
    chunker.feed(Uint8Array.of(0x80, 0x62), 50);
    expect(chunker.flush()).toEqual([{ data: '─b', offset: 1, end: 52 }]);
    chunker.feed(bytes('c'), 60);
    expect([chunker.offset, chunker.flush()]).toEqual([60, [{ data: 'c', offset: 60, end: 61 }]]);
    expect(chunker.offset).toBe(61);

    const small = new TextChunker({ maxBytes: 16 });
    small.feed(bytes('0123456789abcdef'), 0);
    expect(small.feed(bytes('g'), 100)).toEqual([{ data: '0123456789abcdef', offset: 0, end: 16 }]);
    expect(small.flush()).toEqual([{ data: 'g', offset: 100, end: 101 }]);
  });
});

/** Returns those of `places` that are inside a sequence. */
function insideSequences(input: Uint8Array, places: readonly number[]): number[] {
  const inside = new Set<number>();
  const scanner = new EscapeScanner({
    onSequence: ({ start, end }) => {
      for (let at = start + 1; at < end; at++) inside.add(at);
    },
  });
  scanner.feed(input);
  return places.filter((place) => inside.has(place) || (place < input.length && (input[place]! & 0xc0) === 0x80));
}

/** Computes the same text in another way: the scanner's text, in one piece. */
function textBetween(input: Uint8Array): string {
  const runs: { to: number; bytes: number[] }[] = [];
  const scanner = new EscapeScanner({
    onSequence: () => {},
    onText: (source, from, to, offset) => {
      if (runs.at(-1)?.to !== offset) runs.push({ to: offset, bytes: [] });
      runs.at(-1)!.to = offset + to - from;
      runs.at(-1)!.bytes.push(...source.subarray(from, to));
    },
  });
  scanner.feed(input);
  return runs
    .map((run) => decoded(Uint8Array.from(run.bytes)).replaceAll('\r\n', '\n'))
    .join('')
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
}
