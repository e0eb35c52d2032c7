/** Tests the keys of a viewer that shows a window; `TypedInput` reads them if `isWindowed` is set. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutInto, lengths, wild } from '../testing/cuts.ts';
import { type DetachKey, parseDetachKeys, TypedInput, type TypedPiece } from './typed-input.ts';

const PREFIX = '\x1c';

function pieces(chunks: readonly Uint8Array[], keys?: readonly DetachKey[], isWindowed = true): string[] {
  const input = new TypedInput(keys);
  input.isWindowed = isWindowed;
  const found: TypedPiece[] = chunks.flatMap((chunk) => [...input.feed(chunk)]);
  while (input.held !== 'nothing') found.push(...input.flush());
  const words: string[] = [];
  for (const piece of found) {
    const word = wordOf(piece);
    if (piece.type === 'keys' && words.at(-1)?.startsWith('keys ')) words[words.length - 1] += word.slice(5);
    else words.push(word);
  }
  return words;
}

function wordOf(piece: TypedPiece): string {
  if ('bytes' in piece) return `${piece.type} ${Buffer.from(piece.bytes).toString('latin1')}`;
  if (piece.type === 'pan') return `pan ${piece.key}`;
  if (piece.type === 'mouse') return `mouse ${piece.report.button} ${piece.report.col},${piece.report.row}`;
  return piece.type;
}

const typed = (text: string, keys?: string): string[] =>
  pieces([Buffer.from(text, 'latin1')], keys === undefined ? undefined : parseDetachKeys(keys));

test.each([
  [
    'arrows in each form',
    `${PREFIX}\x1b[A\x1bOB\x1b[1;2C\x1b[1;1:1D\x1b[1;1:3D`,
    ['pan up', 'pan down', 'pan right', 'pan left'],
  ],
  ['letters', `${PREFIX}hjkl`, ['pan left', 'pan down', 'pan up', 'pan right']],
  ['letters of the kitty keyboard', `\x1b[92;5u\x1b[104u\x1b[107;1:3u`, ['pan left']],
  [
    'pages and ends',
    `${PREFIX}\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~`,
    ['pan page-up', 'pan page-down', 'pan home', 'pan end', 'pan home', 'pan end'],
  ],
  ['keys that mean nothing are swallowed', `${PREFIX}jabc\x1b[Zx`, ['pan down']],
  ['Esc ends it, and the next keys are the session’s', `${PREFIX}j\x1b[27uj`, ['pan down', 'pan leave', 'keys j']],
  [
    'so do q, Enter, Ctrl-C and the prefix',
    `${PREFIX}jqa${PREFIX}j\rb${PREFIX}j\x03c${PREFIX}j${PREFIX}d`,
    [
      'pan down',
      'pan leave',
      'keys a',
      'pan down',
      'pan leave',
      'keys b',
      'pan down',
      'pan leave',
      'keys c',
      'pan down',
      'pan leave',
      'keys d',
    ],
  ],
  [
    'a paste ends it and is the session’s',
    `${PREFIX}j\x1b[200~jk${PREFIX}\x1b[201~`,
    ['pan down', 'pan leave', `keys \x1b[200~jk${PREFIX}\x1b[201~`],
  ],
  ['without the prefix they are keys', 'j\x1b[A', ['keys j\x1b[A']],
  ['the prefix and another key detaches, as ever', `${PREFIX}x`, ['detach']],
  ['the prefix twice is for the session', `${PREFIX}${PREFIX}\x1b[A`, [`keys ${PREFIX}\x1b[A`]],
  [
    'the mouse comes by itself',
    'a\x1b[<64;3;2Mb\x1b[M !!c\x1b[32;1;1Md',
    ['keys a', 'mouse 64 2,1', 'keys b', 'keys c', 'keys d'],
  ],
])('[SIZE-40] %s', (_, text, expected) => expect(join(typed(text))).toEqual(join(expected)));

test('[SIZE-40] with several detach keys the first of them is the prefix, and the second still detaches', () => {
  expect(typed('\x01\x1b[Bj\x1b', 'C-a,h')).toEqual(['pan down', 'pan down', 'pan leave']);
  expect(typed('\x01h', 'C-a,h')).toEqual(['detach']);
});

test('[SIZE-40] without a window all of them are keys, or detach', () => {
  expect(pieces([Buffer.from('j\x1b[<64;3;2M')], undefined, false)).toEqual(['keys j\x1b[<64;3;2M']);
  expect(pieces([Buffer.from(`${PREFIX}\x1b[A`)], undefined, false)).toEqual(['detach']);
});

test('[SIZE-40] any bytes in any pieces give the same', () => {
  fc.assert(
    fc.property(wild(), lengths(), (data, cuts) => {
      expect(join(pieces(cutInto(data, cuts)))).toEqual(join(pieces([data])));
    }),
  );
});

/** Joins neighbouring keys that no other piece separates. */
function join(words: readonly string[]): string[] {
  return words.reduce<string[]>((all, word) => {
    if (word.startsWith('keys ') && all.at(-1)?.startsWith('keys ')) all[all.length - 1] += word.slice(5);
    else all.push(word);
    return all;
  }, []);
}
