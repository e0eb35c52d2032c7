import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DetachKey, parseDetachKeys, REPLY_BYTES_MAX, TypedInput, type TypedPiece } from './typed-input.ts';
import { cutInto, everyCut, lengths, wild } from '../testing/cuts.ts';

/** Converts each character to one byte: a piece may end inside a character of UTF-8. */
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
const text = (data: Uint8Array): string => Buffer.from(data).toString('latin1');
const utf8 = (shown: string): string => Buffer.from(shown).toString('latin1');

/** Returns the pieces as short words; neighbouring keys are joined. `flush` is called until nothing is held back. */
function typed(chunks: readonly Uint8Array[], keys?: readonly DetachKey[], isFlushed = true): string[] {
  const input = new TypedInput(keys);
  const pieces: TypedPiece[] = chunks.flatMap((chunk) => input.feed(chunk));
  if (isFlushed) while (input.held !== 'nothing') pieces.push(...input.flush());
  const words: string[] = [];
  for (const piece of pieces) {
    if (piece.type !== 'keys')
      words.push(
        piece.type === 'reply'
          ? `reply ${text(piece.bytes)}`
          : piece.type === 'focus'
            ? `focus ${piece.isFocused}`
            : piece.type,
      );
    else if (words.at(-1)?.startsWith('keys ') === true) words[words.length - 1] += text(piece.bytes);
    else words.push(`keys ${text(piece.bytes)}`);
  }
  return words;
}

const REPLIES = [
  '\x1b[?62;22c',
  '\x1b[>41;390;0c',
  '\x1bP!|00000000\x1b\\',
  '\x1b[0n',
  '\x1b[?13n',
  '\x1b[3;17R',
  '\x1b[1;17R',
  '\x1b[1;1R',
  '\x1b[?3;17;1R',
  '\x1b[?2026;2$y',
  '\x1b[4;2$y',
  '\x1b]10;rgb:ffff/ffff/ffff\x07',
  '\x1b]11;rgb:0000/0000/0000\x1b\\',
  '\x1b]4;1;rgb:cdcd/0000/0000\x07',
  '\x1bP>|kitty(0.43.1)\x1b\\',
  '\x1bP1+r544e=78\x1b\\',
  '\x1bP0+r4d73\x1b\\',
  '\x1bP1$r0m\x1b\\',
  '\x1b[?5u',
  '\x1b[>4;2m',
  '\x1b[4;540;900t',
  '\x1b[6;18;9t',
  '\x1b[8;30;100t',
  '\x1b]lTitle\x1b\\',
  '\x1b]LIcon\x1b\\',
  '\x1b_Gi=31;OK\x1b\\',
  '\x1b[?1;3;0S',
  '\x1b[2;1;1;128;128;1;0x',
  '\x1b]52;c;aGk=\x07',
  '\x1b]7501;?\x07',
  '\x1b]99;i=x:p=?;\x1b\\',
];

const KEYS = [
  'hello',
  '\r',
  '\x03',
  '\x7f',
  '\x1b[A',
  '\x1bOA',
  '\x1b[1;5D',
  '\x1b[15~',
  '\x1b[3;5~',
  '\x1bOP',
  '\x1b[1;2R',
  '\x1b[1;16R',
  '\x1b[Z',
  '\x1bx',
  '\x1b\r',
  '\x1b\x7f',
  '\x1b[99;5u',
  '\x1b[97;5:3u',
  '\x1b[27;5;99~',
  '\x1b[[A',
  '\x1b[<0;10;20M',
  '\x1b[<0;10;20m',
  '\x1b[M !!',
  '\x1b[32;10;20M',
  utf8('größe 漢字 😀'),
  '\x1b[?997;1n',
  '\x1b[48;30;100;540;900t',
  '\x1b]',
  '\x1bP',
  '\x1b_',
  '\x1b^',
  '\x1bX',
  '\x1b[',
  '\x1bO',
  '\x1b\x1b[A',
  '\x1b\x1b',
  '\x1b]x',
  '\x1bPx',
  '\x1b_x',
  '\x1b[200~paste \x1c \x1b[?62c \x1b[6n\x1b\x1b[201~',
  '\x1b[200~\x1b]10;?\x07\x1b[201~',
  '\x1b[12\x03',
  '\x1b]1\x03',
];

describe('TypedInput', () => {
  test('[QRY-1] what the terminal replies never reaches the program, at any cut', () => {
    for (const reply of REPLIES)
      for (const chunks of everyCut(bytes(`a${reply}b`)))
        expect(typed(chunks), JSON.stringify(reply)).toEqual(['keys a', `reply ${reply}`, 'keys b']);
  });

  test('[IN-3] what is typed reaches it byte for byte, at any cut', () => {
    for (const keys of KEYS)
      for (const chunks of everyCut(bytes(keys))) expect(typed(chunks), JSON.stringify(keys)).toEqual([`keys ${keys}`]);
  });

  test('focus is told apart, to be put together over all watchers', () => {
    for (const chunks of everyCut(bytes('a\x1b[Ib\x1b[O')))
      expect(typed(chunks)).toEqual(['keys a', 'focus true', 'keys b', 'focus false']);
  });

  const CTRL_BACKSLASH = [
    '\x1c',
    '\x1b[92;5u',
    '\x1b[92;5:1u',
    '\x1b[92:124;5u',
    '\x1b[92::92;5:1u',
    '\x1b[92;69u',
    '\x1b[92;197u',
    '\x1b[27;5;92~',
  ];

  test('[ATT-6] Ctrl-\\ detaches in every encoding, at any cut, once something else is typed or time is up', () => {
    for (const key of CTRL_BACKSLASH) {
      for (const chunks of everyCut(bytes(`a${key}`))) {
        expect(typed(chunks, undefined, false), JSON.stringify(key)).toEqual(['keys a']);
        expect(typed(chunks), JSON.stringify(key)).toEqual(['keys a', 'detach']);
      }
      for (const chunks of everyCut(bytes(`a${key}b`)))
        expect(typed(chunks, undefined, false)).toEqual(['keys a', 'detach']);
    }
  });

  test('[ATT-6] twice sends it, once', () => {
    for (const key of CTRL_BACKSLASH) {
      for (const chunks of everyCut(bytes(`a${key}${key}b`)))
        expect(typed(chunks), JSON.stringify(key)).toEqual([`keys a${key}b`]);
      expect(typed([bytes(key + key + key)])).toEqual([`keys ${key}`, 'detach']);
    }
    // Key releases, the mouse, the focus and the terminal's replies do not interrupt the sequence of detach keys.
    expect(
      typed([bytes('\x1b[92;5u\x1b[92;5:3u\x1b[57442;1:3u\x1b[<35;1;1M\x1b[I\x1b[?1;2c\x1b[57442;5u\x1b[92;5u')]),
    ).toEqual(['keys \x1b[57442;1:3u\x1b[<35;1;1M', 'focus true', 'reply \x1b[?1;2c', 'keys \x1b[57442;5u\x1b[92;5u']);
  });

  test('[ATT-6] other keys are not the detach key', () => {
    for (const key of [
      '\\',
      '\x1b[92u',
      '\x1b[92;6u',
      '\x1b[92;3u',
      '\x1b[91;5u',
      '\x1b[27;6;92~',
      '\x1b[27;5;91~',
      '\x03',
      '\x1b\\',
      '\x1b[92;5~',
    ])
      expect(typed([bytes(`${key}x`)]), JSON.stringify(key)).toEqual([`keys ${key}x`]);
  });

  test('[ATT-6] the detach key can be chosen: another, several in a row, or none', () => {
    expect(parseDetachKeys('ctrl-\\')).toEqual([{ code: 0x5c, ctrl: true, byte: 0x1c }]);
    expect(parseDetachKeys('C-a,d')).toEqual([
      { code: 0x61, ctrl: true, byte: 1 },
      { code: 0x64, ctrl: false, byte: 0x64 },
    ]);
    expect(parseDetachKeys('^P,^Q')).toEqual(parseDetachKeys('ctrl-p,ctrl-q'));
    expect([
      parseDetachKeys('none'),
      parseDetachKeys('ctrl-1'),
      parseDetachKeys('wat'),
      parseDetachKeys('ctrl-a,'),
      parseDetachKeys('d'),
    ]).toEqual([[], undefined, undefined, undefined, undefined]);
    const keys = parseDetachKeys('ctrl-p,ctrl-q')!;
    for (const chunks of everyCut(bytes('a\x10\x11b'))) expect(typed(chunks, keys)).toEqual(['keys a', 'detach']);
    for (const chunks of everyCut(bytes('a\x10\x10\x1b[113;5ub')))
      expect(typed(chunks, keys)).toEqual(['keys a\x10', 'detach']);
    for (const chunks of everyCut(bytes('a\x10b\x10'))) expect(typed(chunks, keys)).toEqual(['keys a\x10b\x10']);
    for (const chunks of everyCut(bytes('a\x1cb'))) expect(typed(chunks, [])).toEqual(['keys a\x1cb']);
  });

  test('an Escape that is held says so, and a flush lets it go', () => {
    const input = new TypedInput();
    expect([input.feed(bytes('\x1b')), input.held]).toEqual([[], 'escape']);
    expect([input.flush(), input.held]).toEqual([[{ type: 'keys', bytes: bytes('\x1b') }], 'nothing']);
    expect([input.feed(bytes('\x1c')), input.held]).toEqual([[], 'detach']);
    expect(input.flush()).toEqual([{ type: 'detach' }]);
    expect([input.feed(bytes('more')), input.flush()]).toEqual([[], []]);
    expect([Buffer.from(input.takeRest()).toString(), input.takeRest().length]).toEqual(['more', 0]);
  });

  test('a reply too long to be one is dropped to its end', () => {
    const long = `\x1b]52;c;${'A'.repeat(2 * REPLY_BYTES_MAX)}`;
    for (const end of ['\x07', '\x1b\\'])
      for (const size of [1, 1000, 1e6]) expect(typed(cutInto(bytes(`a${long}${end}b`), [size]))).toEqual(['keys ab']);
  });

  test('any bytes in any pieces give the same, and nothing is lost but replies and detach keys', () => {
    fc.assert(
      fc.property(wild(), lengths(), (data, pieces) => {
        expect(typed(cutInto(data, pieces))).toEqual(typed([data]));
        const kept = new TypedInput([]);
        const out = [...kept.feed(data)];
        while (kept.held !== 'nothing') out.push(...kept.flush());
        const count = out.reduce(
          (sum, piece) => sum + (piece.type === 'focus' ? 3 : 'bytes' in piece ? piece.bytes.length : 0),
          0,
        );
        expect(count).toBe(data.length);
      }),
      { numRuns: 1000 },
    );
  });
});
