import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type C1, CONTROL_BYTES_MAX, EscapeScanner, type ScanListener, type ScannerOptions } from './escape-scanner.ts';
import { latin1 } from './sequence.ts';
import { bytes, concat, cutInto, everyCut, lengths, wild } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';
import { referenceScan } from '../testing/reference-scanner.ts';

type Event = readonly (string | number | boolean)[];

/** Collects everything that the scanner reports; neighbouring runs of text are joined. */
function collector(): { readonly events: Event[]; readonly listener: ScanListener } {
  const events: Event[] = [];
  const join = (what: string, part: string): void => {
    const last = events.at(-1);
    if (last?.[0] === what) events[events.length - 1] = [what, `${last[1]}${part}`];
    else events.push([what, part]);
  };
  return {
    events,
    listener: {
      onSequence: (s) => events.push([s.kind, latin1(s.source, s.from, s.to), s.start, s.end]),
      onControl: (code, offset) => events.push(['control', String.fromCharCode(code), offset]),
      onText: (source, from, to) => join('text', latin1(source, from, to)),
      onOverlong: (s) => events.push(['overlong', s.kind, s.start, s.end, latin1(s.source, s.from, s.to)]),
      onOverlongPart: (source, from, to) => join('part', latin1(source, from, to)),
      onOverlongEnd: (isWhole) => events.push(['end', isWhole]),
    },
  };
}

function scan(chunks: readonly Uint8Array[], options?: ScannerOptions): Event[] {
  const { events, listener } = collector();
  const scanner = new EscapeScanner(listener, options);
  for (const chunk of chunks) scanner.feed(chunk);
  return events;
}

const b = (latin: string): Uint8Array => Uint8Array.from(Buffer.from(latin, 'latin1'));

/** Inputs (Latin-1, so that each character is a byte) with the sequences that they contain. */
const CASES: readonly (readonly [string, readonly Event[], C1?])[] = [
  ['hello', [['text', 'hello']]],
  [
    'a\x1b[31mb',
    [
      ['text', 'a'],
      ['csi', '\x1b[31m', 1, 6],
      ['text', 'b'],
    ],
  ],
  [
    '\x1b[?25l\x1b[>4;2m',
    [
      ['csi', '\x1b[?25l', 0, 6],
      ['csi', '\x1b[>4;2m', 6, 13],
    ],
  ],
  ['\x1b[0 q', [['csi', '\x1b[0 q', 0, 5]]],
  [
    '\x1b7\x1b(B\x1b=',
    [
      ['escape', '\x1b7', 0, 2],
      ['escape', '\x1b(B', 2, 5],
      ['escape', '\x1b=', 5, 7],
    ],
  ],
  [
    '\x1b%/Gx',
    [
      ['escape', '\x1b%/G', 0, 4],
      ['text', 'x'],
    ],
  ],
  [
    '\x1b]0;hi\x07x',
    [
      ['osc', '\x1b]0;hi\x07', 0, 7],
      ['text', 'x'],
    ],
  ],
  [
    '\x1b]0;hi\x1b\\x',
    [
      ['osc', '\x1b]0;hi\x1b\\', 0, 8],
      ['text', 'x'],
    ],
  ],
  ['\x1b]0;\xe2\x9c\xb3 x\x07', [['osc', '\x1b]0;\xe2\x9c\xb3 x\x07', 0, 10]]],
  ['\x1bP+q4d73\x1b\\', [['dcs', '\x1bP+q4d73\x1b\\', 0, 10]]],
  ['\x1bPa\x07b\x1b\\', [['dcs', '\x1bPa\x07b\x1b\\', 0, 7]]],
  [
    '\x1b_Ga=q;AAAA\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\',
    [
      ['apc', '\x1b_Ga=q;AAAA\x1b\\', 0, 13],
      ['pm', '\x1b^p\x1b\\', 13, 18],
      ['sos', '\x1bXs\x1b\\', 18, 23],
    ],
  ],
  [
    '\x1b[3\n1m',
    [
      ['control', '\n', 3],
      ['csi', '\x1b[31m', 0, 6],
    ],
  ],
  [
    '\x1b\r[\x7f1m',
    [
      ['control', '\r', 1],
      ['control', '\x7f', 3],
      ['csi', '\x1b[1m', 0, 6],
    ],
  ],
  [
    '\x1b\n]0;t\x07',
    [
      ['control', '\n', 1],
      ['osc', '\x1b]0;t\x07', 0, 7],
    ],
  ],
  [
    '\x1b[31\x18m',
    [
      ['control', '\x18', 4],
      ['text', 'm'],
    ],
  ],
  [
    '\x1b]0;a\x1am',
    [
      ['control', '\x1a', 5],
      ['text', 'm'],
    ],
  ],
  ['\x1b[3\x1b[1m', [['csi', '\x1b[1m', 3, 7]]],
  ['\x1b]0;a\x1b[1m', [['csi', '\x1b[1m', 5, 9]]],
  ['\x1b]0;a\x1b\x1b\\', [['escape', '\x1b\\', 6, 8]]],
  ['\x1b[3\xc3\xa9', [['text', '\xc3\xa9']]],
  [
    '\x1b[4;?m\x1b[1 2m',
    [
      ['csi', '\x1b[4;?m', 0, 6],
      ['csi', '\x1b[1 2m', 6, 12],
    ],
  ],
  ['a[5n] ]1; matrix[1;2R]', [['text', 'a[5n] ]1; matrix[1;2R]']]],
  [
    '\xc2\x9b31mx',
    [
      ['csi', '\x1b[31m', 0, 5],
      ['text', 'x'],
    ],
  ],
  ['\xc2\x9b31mx', [['text', '\xc2\x9b31mx']], 'off'],
  ['\xc2\xa0x\xc2', [['text', '\xc2\xa0x']]],
  [
    '\xc2\x9d0;t\xc2\x9cx',
    [
      ['osc', '\x1b]0;t\x1b\\', 0, 7],
      ['text', 'x'],
    ],
  ],
  [
    '\x1b]0;a\xc2\xa0\xc2\xc2\x9cx',
    [
      ['osc', '\x1b]0;a\xc2\xa0\xc2\x1b\\', 0, 10],
      ['text', 'x'],
    ],
  ],
  [
    '\xc2\x85\xc2\x84',
    [
      ['escape', '\x1bE', 0, 2],
      ['escape', '\x1bD', 2, 4],
    ],
  ],
  ['\x9b31mx', [['text', '\x9b31mx']]],
  [
    '\x9b31mx',
    [
      ['csi', '\x1b[31m', 0, 4],
      ['text', 'x'],
    ],
    'bytes',
  ],
  [
    '\x9d0;t\x9cx\x85',
    [
      ['osc', '\x1b]0;t\x1b\\', 0, 5],
      ['text', 'x'],
      ['escape', '\x1bE', 6, 7],
    ],
    'bytes',
  ],
  ['\x1b[3\x9b1m', [['csi', '\x1b[1m', 3, 6]], 'bytes'],
];

describe('EscapeScanner', () => {
  test('every case, at every cut, finds the same sequences', () => {
    for (const [input, expected, c1 = 'utf8'] of CASES)
      for (const chunks of everyCut(b(input))) expect(scan(chunks, { c1 }), JSON.stringify(input)).toEqual(expected);
  });

  test('the parts of a sequence can be read', () => {
    const parts: unknown[] = [];
    const scanner = new EscapeScanner({
      onSequence: (s) =>
        parts.push([
          s.kind,
          ...[s.prefix, s.intermediate, s.final].map((code) => (code > 255 ? code : String.fromCharCode(code))),
          latin1(s.source, s.paramsFrom, s.paramsTo),
          latin1(s.source, s.dataFrom, s.dataTo),
        ]),
    });
    scanner.feed(
      b(
        '\x1b[?2026$p\x1b[1;2H\x1b(B\x1b%/G\x1b]2;t\x07\x1bP1;2$qm\x1b\\\x1bPq#1\x1b\\\x1b_Gq\x1b\\\x1b[4;?m\x1b[>4;?m',
      ),
    );
    expect(parts).toEqual([
      ['csi', '?', '$', 'p', '2026', ''],
      ['csi', '\0', '\0', 'H', '1;2', ''],
      ['escape', '\0', '(', 'B', '', ''],
      ['escape', '\0', 0x252f, 'G', '', ''],
      ['osc', '\0', '\0', '\0', '', '2;t'],
      ['dcs', '\0', '$', 'q', '1;2', 'm'],
      ['dcs', '\0', '\0', 'q', '', '#1'],
      ['apc', '\0', '\0', '\0', '', 'Gq'],
      ['csi', '\0', '\0', '\0', '', ''],
      ['csi', '\0', '\0', '\0', '', ''],
    ]);
  });

  test('what is longer than its limit is told and let go, at every cut the same', () => {
    const options = { stringBytesMax: 12 };
    const cases: [string, Event[]][] = [
      [
        '\x1b]0;1234567\x07x',
        [
          ['osc', '\x1b]0;1234567\x07', 0, 12],
          ['text', 'x'],
        ],
      ],
      [
        '\x1b]0;12345678\x07x',
        [
          ['overlong', 'osc', 0, 12, '\x1b]0;12345678'],
          ['end', true],
          ['text', 'x'],
        ],
      ],
      [
        '\x1b]0;123456789\x1b\\x',
        [
          ['overlong', 'osc', 0, 12, '\x1b]0;12345678'],
          ['part', '9'],
          ['end', true],
          ['text', 'x'],
        ],
      ],
      [
        '\x1b]0;123456789\x1b[mx',
        [
          ['overlong', 'osc', 0, 12, '\x1b]0;12345678'],
          ['part', '9'],
          ['end', false],
          ['csi', '\x1b[m', 13, 16],
          ['text', 'x'],
        ],
      ],
      [
        '\x1b]0;123456789ab\x18x',
        [
          ['overlong', 'osc', 0, 12, '\x1b]0;12345678'],
          ['part', '9ab'],
          ['end', false],
          ['control', '\x18', 15],
          ['text', 'x'],
        ],
      ],
      [
        '\x1bP012345678\xc2\xc2\xa0\xc2\x9cx',
        [
          ['overlong', 'dcs', 0, 12, '\x1bP012345678?'],
          ['part', '\xc2\xa0'],
          ['end', true],
          ['text', 'x'],
        ],
      ],
    ];
    for (const [input, expected] of cases)
      for (const chunks of everyCut(b(input))) expect(scan(chunks, options), JSON.stringify(input)).toEqual(expected);
    const long = `\x1b[${'1;'.repeat(CONTROL_BYTES_MAX)}mx`;
    for (const size of [1, 7, 5000]) {
      const events = scan(cutInto(b(long), [size]));
      expect(events.map((event) => event[0])).toEqual(['overlong', 'end', 'text']);
    }
  });

  test('any input, in any pieces, with any C1 setting, gives what a second scanner finds', () => {
    fc.assert(
      fc.property(wild(), lengths(), fc.constantFrom<C1>('utf8', 'bytes', 'off'), (input, pieces, c1) => {
        const found = scan(cutInto(input, pieces), { c1 }).map(([what, found]) => [what, found]);
        expect(found).toEqual(referenceScan(input, c1));
      }),
      { numRuns: 2000 },
    );
  });

  test('[ATT-5] pending, fed to a fresh scanner, gives the same state at every byte', () => {
    fc.assert(
      fc.property(wild(60), fc.nat(), fc.constantFrom<C1>('utf8', 'bytes', 'off'), (input, at, c1) => {
        const cut = at % (input.length + 1);
        const first = collector();
        const one = new EscapeScanner(first.listener, { c1, stringBytesMax: 24 });
        one.feed(input.subarray(0, cut));
        const second = collector();
        const two = new EscapeScanner(second.listener, {
          c1,
          stringBytesMax: 24,
          offset: one.offset - one.pending.length,
        });
        two.feed(one.pending);
        const isText = (event: Event | undefined): boolean => event?.[0] === 'text';
        // Pending bytes have not been reported yet, except the beginning of an overlong string and the first bytes of a
        // character.
        expect(second.events.filter((event) => !isText(event) && event[0] !== 'overlong')).toEqual([]);
        expect([...two.pending]).toEqual([...one.pending]);
        first.events.length = 0;
        second.events.length = 0;
        one.feed(input.subarray(cut));
        two.feed(input.subarray(cut));
        const tail = (events: Event[]): Event[] =>
          events.map(([what, found]) => (what === 'overlong' ? [what] : [what!, found!]));
        const rest = tail(second.events).filter(([what]) => what !== 'overlong');
        expect(rest).toEqual(tail(first.events).filter(([what]) => what !== 'overlong'));
      }),
      { numRuns: 2000 },
    );
  });

  test('[ATT-5] a character cut by a read is pending', () => {
    const input = bytes('aé✳😀\x1b[1m漢');
    for (let cut = 0; cut <= input.length; cut++) {
      const scanner = new EscapeScanner({ onSequence: () => {} });
      const buffer = Buffer.alloc(1); // the buffer is reused, as a PTY reader does
      for (const byte of input.subarray(0, cut)) {
        buffer[0] = byte;
        scanner.feed(buffer);
        buffer[0] = 0;
      }
      const whole = new EscapeScanner({ onSequence: () => {} });
      whole.feed(input.subarray(0, cut));
      expect([...scanner.pending]).toEqual([...whole.pending]);
      const settled = input.subarray(0, cut - scanner.pending.length);
      expect(() => new TextDecoder('utf-8', { fatal: true }).decode(settled)).not.toThrow();
    }
  });

  test('the reads of real programs change nothing: whole, as they came, and in 7 bytes', () => {
    for (const { bytes: whole, chunks } of recordings().filter(({ bytes }) => bytes.length < 100_000)) {
      const expected = scan([whole]);
      expect(scan(chunks)).toEqual(expected);
      expect(scan(cutInto(whole, [7, 1, 3]))).toEqual(expected);
    }
  });

  test('in real programs every byte is accounted for, in order', () => {
    for (const { name, bytes: whole } of recordings()) {
      let at = 0;
      const scanner: EscapeScanner = new EscapeScanner({
        onSequence: (s) => {
          if (s.start < at) expect.fail(`${name}: ${s.start} is before ${at}`);
          at = s.end;
        },
        onOverlong: () => expect.fail(`${name} has an overlong sequence`),
      });
      scanner.feed(whole);
      expect(scanner.offset).toBe(whole.length);
    }
  });

  test('an endless string costs no more memory than its limit', () => {
    const scanner = new EscapeScanner(
      { onSequence: () => expect.fail('no end, no sequence') },
      { stringBytesMax: 1000 },
    );
    scanner.feed(b('\x1b]52;c;'));
    const part = new Uint8Array(100_000).fill(0x41);
    for (let turn = 0; turn < 100; turn++) scanner.feed(part);
    expect(scanner.pending.length).toBe(1000);
    expect(scan([concat([b('\x1bP'), part]), b('\x1b\\x')], { stringBytesMax: 1000 }).at(-1)).toEqual(['text', 'x']);
  });
});
