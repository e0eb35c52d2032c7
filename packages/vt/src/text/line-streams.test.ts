import { expect, test } from 'vitest';
import { LineStreams } from './line-streams.ts';
import { LineText } from './text.ts';
import { encodeUtf8 } from '../scan/utf8.ts';

const LOG = 'ééé\x1b[31mred\x1b[0m x\r\n\x1b]0;タイトル\x07日本\x1b[1mdone\x1b[m 👩 end';

/** The units that a cut must not split: characters and sequences. */
const PIECES = LOG.match(/\x1b\].*?\x07|\x1b\[[\d;]*m|[^\x1b]/gu)!;

test('[OUT-2] wherever it begins, the rest of an open character or sequence is not shown', () => {
  const bytes = encodeUtf8(LOG);
  for (let from = 0; from <= bytes.length; from++) {
    for (const pieceBytes of [1, 7, bytes.length]) {
      const text = new LineStreams(from);
      const lines: string[] = [];
      for (let at = 0; at < bytes.length; at += pieceBytes)
        lines.push(...text.feed('stdout', bytes.subarray(at, at + pieceBytes), at));
      expect([from, ...lines, ...text.flush()]).toEqual([from, ...linesOf(wholeFrom(from))]);
    }
  }
});

test('[OUT-2] each stream has lines of its own; what has no end comes last, the last heard at the very end', () => {
  const text = new LineStreams(0);
  const told = [
    ['stdout', Uint8Array.of(0x78, 0xc3)],
    ['stderr', Uint8Array.of(0x65, 0xe2)],
    ['stdout', Uint8Array.of(0xa9, 0x79, 0x0a)],
    ['stderr', Uint8Array.of(0x82, 0xac, 0x0a, 0x70)],
    ['stdout', Uint8Array.of(0x71)],
  ] as const;
  let offset = 0;
  const lines = told.flatMap(([stream, bytes]) => {
    offset += bytes.length;
    return text.feed(stream, bytes, offset - bytes.length);
  });
  expect([lines, text.flush()]).toEqual([
    ['xéy', 'e€'],
    ['p', 'q'],
  ]);
});

/** Returns the lines that begin at `from` or later. */
function wholeFrom(from: number): string {
  let at = 0;
  return PIECES.filter((piece) => {
    const start = at;
    at += encodeUtf8(piece).length;
    return start >= from;
  }).join('');
}

function linesOf(text: string): string[] {
  const lines = new LineText();
  return [...lines.feed(encodeUtf8(text)), ...lines.flush()].map((line) => line.text);
}
