import { expect, test } from 'vitest';
import { DEFAULT_DETACH_KEYS, DetachKeys, parseDetachKeys } from './detach-keys.ts';

/** What was typed (in pieces; then silence), what the session gets of it, and whether it ends in a detach. */
type Case = readonly [typed: string, bytes: string, isDetach: boolean];

const SINGLE: readonly Case[] = [
  ['hello', 'hello', false],
  ['\x1c', '', true],
  ['ls\r\x1c', 'ls\r', true],
  ['\x1cls', '', true],
  ['\x1c\x1c', '\x1c', false],
  ['a\x1c\x1cb', 'a\x1cb', false],
  ['\x1c\x1c\x1c', '\x1c', true],
  ['\x1c\x1c\x1c\x1c', '\x1c\x1c', false],
  ['\x1b[92;5u', '', true],
  ['\x1b[92;5:1u', '', true],
  ['\x1b[92;5u\x1b[92;5:3u', '', true],
  ['\x1b[92;5:3u', '', false],
  ['\x1b[92;133u', '', true],
  ['\x1b[92;69u', '', true],
  ['\x1b[92::92;5u', '', true],
  ['\x1b[92;5;28u', '', true],
  ['\x1b[27;5;92~', '', true],
  ['\x1b[92;5u\x1b[92;5u', '\x1b[92;5u', false],
  ['\x1b[92;6u', '\x1b[92;6u', false],
  ['\x1b[92u', '\x1b[92u', false],
  ['\x1b[93;5u', '\x1b[93;5u', false],
  ['\x1b', '\x1b', false],
  ['\x1b\x1b', '\x1b\x1b', false],
  ['\x1b[A\x1bOP\x1b[15~', '\x1b[A\x1bOP\x1b[15~', false],
  ['\x1bx', '\x1bx', false],
  ['\x1b[200~a\x1cb\x1b[201~', '\x1b[200~a\x1cb\x1b[201~', false],
  ['\x1b[200~a\x1b[92;5ub\x1b[201~\x1c', '\x1b[200~a\x1b[92;5ub\x1b[201~', true],
  ['\x1b[<0;10;20M', '\x1b[<0;10;20M', false],
  [`\x1b[${'1;'.repeat(40)}u`, `\x1b[${'1;'.repeat(40)}u`, false],
  ['\xc3\xbc\x03\x00\xff', '\xc3\xbc\x03\x00\xff', false],
];

test.each(SINGLE)('[ATT-6] %j', (typed, bytes, isDetach) => {
  expect(feed(DEFAULT_DETACH_KEYS, [typed])).toEqual({ bytes, isDetach });
});

test('[ATT-6] every cut of every case gives the same', () => {
  for (const [typed, bytes, isDetach] of SINGLE) {
    for (let cut = 0; cut <= typed.length; cut++) {
      const pieces = [typed.slice(0, cut), typed.slice(cut)];
      expect({ pieces, ...feed(DEFAULT_DETACH_KEYS, pieces) }).toEqual({ pieces, bytes, isDetach });
    }
    expect(feed(DEFAULT_DETACH_KEYS, [...typed])).toEqual({ bytes, isDetach });
  }
});

test.each<Case>([
  ['\x10\x11', '', true],
  ['a\x10b\x10\x11', 'a\x10b', true],
  ['\x10\x10\x11', '\x10', true],
  ['\x10', '', false],
  ['\x11', '\x11', false],
  ['\x1b[112;5u\x1b[113;5u', '', true],
  ['\x1b[112;5ux', '\x1b[112;5ux', false],
])('a sequence of two: %j', (typed, bytes, isDetach) => {
  for (let cut = 0; cut <= typed.length; cut++) {
    expect(feed(parseDetachKeys('C-p,C-q')!, [typed.slice(0, cut), typed.slice(cut)])).toEqual({ bytes, isDetach });
  }
});

test('with none, everything passes', () => {
  expect(feed(parseDetachKeys('none')!, ['\x1c\x1b[92;5u'])).toEqual({ bytes: '\x1c\x1b[92;5u', isDetach: false });
});

test.each<[string, number[] | null]>([
  ['C-q', [0x11]],
  ['ctrl-Q', [0x11]],
  ['^]', [0x1d]],
  ['C-a,d', [0x01, 0x64]],
  ['C-p, C-q', [0x10, 0x11]],
  ['none', []],
  ['q', null],
  ['C-', null],
  ['C-ü', null],
  ['F1', null],
])('the keys %j are the bytes %j', (text, bytes) => {
  expect(parseDetachKeys(text)?.map((key) => key.byte) ?? null).toEqual(bytes);
});

/** Feeds all, then lets the time pass. */
function feed(keys: typeof DEFAULT_DETACH_KEYS, pieces: readonly string[]): { bytes: string; isDetach: boolean } {
  const detach = new DetachKeys(keys);
  let bytes = '';
  for (const piece of pieces) {
    const typed = detach.feed(Buffer.from(piece, 'latin1'));
    bytes += Buffer.from(typed.bytes).toString('latin1');
    if (typed.isDetach) return { bytes, isDetach: true };
  }
  const { isArmed, isHolding } = detach;
  const typed = detach.settle();
  expect(typed.isDetach || typed.bytes.length > 0).toBe(isArmed || isHolding);
  return { bytes: bytes + Buffer.from(typed.bytes).toString('latin1'), isDetach: typed.isDetach };
}
